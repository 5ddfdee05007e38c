/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doubts: one row is one item, and how far a model doubts its label. */
#pragma once

#include "pipeline/table/table.h"

enum
{
  SL_DOUBTS_ITEM,
  SL_DOUBTS_GIVEN,
  SL_DOUBTS_PREDICTED,
  SL_DOUBTS_SELF_CONFIDENCE,
  SL_DOUBTS_MARGIN,
  SL_DOUBTS_CONFIDENT,
  SL_DOUBTS_DOUBTED,
  SL_DOUBTS_GOLD,
};

extern const SlKind sl_doubts;
