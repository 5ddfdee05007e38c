/* SPDX-License-Identifier: GPL-3.0-or-later */
/* items: one row is how annotators agree on one item. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_ITEMS_ITEM,
  SL_ITEMS_ANSWERS,
  SL_ITEMS_AGREEMENT,
  SL_ITEMS_CONSISTENCY,
  SL_ITEMS_ENTROPY,
  SL_ITEMS_DIFFICULTY,
  SL_ITEMS_GAIN,
  SL_ITEMS_ACTIVELAB,
};

extern const SlKind sl_items;
