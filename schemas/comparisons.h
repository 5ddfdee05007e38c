/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparisons: one row is what two tables say of one item. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_COMPARISONS_ITEM,
  SL_COMPARISONS_FIRST_CLASS,
  SL_COMPARISONS_SECOND_CLASS,
  SL_COMPARISONS_FIRST_ENTROPY,
  SL_COMPARISONS_SECOND_ENTROPY,
  SL_COMPARISONS_CROSS_ENTROPY,
  SL_COMPARISONS_KL,
  SL_COMPARISONS_JS,
  SL_COMPARISONS_BRIER,
  SL_COMPARISONS_L1,
  SL_COMPARISONS_TV,
  SL_COMPARISONS_W_VALUES,
  SL_COMPARISONS_W_LINE,
};

extern const SlKind sl_comparisons;
