/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of tables, sl_NAME, and the numbers of their columns, SL_NAME_COLUMN (kinds.def). */
#pragma once

#include "pipeline/table/batch.h"

/* clang-format off */
#define KIND(prefix, kind, ...) extern const SlKind kind; enum {
#define COLUMN(prefix, number, ...) SL_##prefix##_##number,
#define END(prefix) };
#include "kinds.def"
#undef KIND
#undef COLUMN
#undef END
/* clang-format on */

/* The number of the column of gold classes in KIND, which is annotations or labels. */
static inline int
sl_gold_column (const SlKind *kind)
{
  return kind == &sl_labels ? (int) SL_LABELS_GOLD : (int) SL_ANNOTATIONS_GOLD;
}
