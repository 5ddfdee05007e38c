/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "confusion-rows.h"

#include "schemas/kinds.h"

SlTable *
sl_confusion_table (char *const *classes)
{
  SlTable *table = sl_table_new (&sl_confusion, (const char *const *) classes);
  sl_table_add (table, SL_CONFUSION_ANSWERS);
  sl_table_add (table, SL_CONFUSION_PRIOR);
  return table;
}

gboolean
sl_confusion_write (SlWriter *writer, SlBuilder *builder, const char *name, gsize length,
                    const SlConfusionCell *cell, GError **error)
{
  sl_builder_text (builder, SL_CONFUSION_ANNOTATOR, name, length);
  sl_builder_class (builder, SL_CONFUSION_TRUE, cell->k);
  sl_builder_class (builder, SL_CONFUSION_ANSWERED, cell->l);
  sl_builder_real (builder, SL_CONFUSION_PROBABILITY, cell->probability);
  if (cell->answers != SL_NO_COLUMN)
    sl_builder_real (builder, SL_CONFUSION_ANSWERS, cell->answers);
  if (cell->prior != SL_NO_COLUMN)
    sl_builder_real (builder, SL_CONFUSION_PRIOR, cell->prior);
  if (cell->information != NULL)
    sl_builder_real (builder, SL_CONFUSION_INFORMATION, *cell->information);
  return sl_writer_write_built (writer, builder, FALSE, error);
}
