/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scores: one row is one figure. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_SCORES_METRIC,
  SL_SCORES_VALUE,
  SL_SCORES_N,
};

extern const SlKind sl_scores;
