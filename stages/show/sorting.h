/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a table in the order of a column: all of them, or the first few, which are all that
 * is held then. Numbers go by size, classes in the table's order, texts by their bytes; rows
 * without a value come last, equal ones stay in their order. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  SlRun *run;
  SlTable *table;
  int column;
  gint32 class; /* of a distribution, the one that is looked at */
  gboolean descending;
  gint64 most; /* rows that are wanted; 0: all */
  GArray *rows;
  gint64 seen, taken; /* rows that were added, and that were taken */
  gsize held;         /* bytes of batches, where all rows are kept */
  gsize claimed;
} SlSorting;

/* FALSE and ERROR where TABLE has no such COLUMN ("weight", "label.cat"), or its values have no
 * order. */
gboolean sl_sorting_init (SlSorting *sorting, SlRun *run, SlTable *table, const char *column,
                          gboolean descending, gint64 most, GError **error);
void sl_sorting_clear (SlSorting *sorting);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlSorting, sl_sorting_clear)

gboolean sl_sorting_add (SlSorting *sorting, SlBatch *batch, GError **error);

/* Once all rows are in: *BATCH becomes the next of them in order, NULL at the end. */
gboolean sl_sorting_take (SlSorting *sorting, SlBatch **batch, GError **error);
