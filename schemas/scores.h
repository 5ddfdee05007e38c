/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scores: one row is one figure. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_SCORES_GROUP,
  SL_SCORES_METRIC,
  SL_SCORES_BIN,
  SL_SCORES_VALUE,
  SL_SCORES_LOWER,
  SL_SCORES_UPPER,
  SL_SCORES_SD,
  SL_SCORES_P,
  SL_SCORES_N,
  SL_SCORES_RUNS,
  SL_SCORES_REASON,
  SL_SCORES_INTERVAL,
  SL_SCORES_DEFINITION,
};

extern const SlKind sl_scores;
