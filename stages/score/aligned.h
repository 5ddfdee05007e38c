/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables whose item i is the same: the items of the first, in its order, that all of them have. */
#pragma once

#include "cases.h"
#include "reference.h"
#include "stages/common/items/item-values.h"

typedef struct
{
  gint64 n;
  gint32 *item; /* [n]: numbers in the first table */
  double *first, *second,
      *against; /* [n][n_classes], in the first table's order of classes; AGAINST may be NULL */
  gint32 *gold; /* [n]; NULL: not wanted */
  const char *moved; /* a table whose classes stand in another order than the first's; or NULL */
} SlAligned;

/* AGAINST and GOLD may be NULL; WANTS_GOLD: the column of whichever table has it, or GOLD's. That a
 * table lacks items of another is an error, or with INNER told. */
gboolean sl_aligned_make (SlAligned *aligned, SlRun *run, const SlReference *first,
                          const SlReference *second, const SlReference *against,
                          const SlItemValues *gold, gboolean wants_gold, gboolean inner,
                          GError **error);
void sl_aligned_clear (SlAligned *aligned);
