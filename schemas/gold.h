/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gold column of the two kinds of table that answers come in. */
#pragma once

#include "annotations.h"
#include "labels.h"

/* The number of the column in KIND, which is annotations or labels. */
static inline int
sl_gold_column (const SlKind *kind)
{
  return kind == &sl_labels ? (int) SL_LABELS_GOLD : (int) SL_ANNOTATIONS_GOLD;
}
