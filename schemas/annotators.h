/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annotators: one row is what is known of one annotator. */
#pragma once

#include "../pipeline/batch.h"

enum
{
  SL_ANNOTATORS_ANNOTATOR,
  SL_ANNOTATORS_ANSWERS,
  SL_ANNOTATORS_ACCURACY,
  SL_ANNOTATORS_CHECKS,
  SL_ANNOTATORS_CHECK_ACCURACY,
  SL_ANNOTATORS_RANGE,
  SL_ANNOTATORS_IMPOSSIBLE,
  SL_ANNOTATORS_MISSING,
  SL_ANNOTATORS_DUPLICATES,
  SL_ANNOTATORS_COMPLETE,
  SL_ANNOTATORS_EXCLUDED,
  SL_ANNOTATORS_REASON,
};

extern const SlKind sl_annotators;
