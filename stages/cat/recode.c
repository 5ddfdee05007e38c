/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recode.h"

static void
copy_lists (SlBuilder *builder, int c, const SlBatch *batch, const gint32 *map)
{
  const SlColumn *column = &batch->column[c];
  gboolean percents = batch->table->kind->columns[c].type == SL_TYPE_CHOICES;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      for (gint32 j = column->start[i]; j < column->start[i + 1]; j++)
        if (percents)
          sl_builder_choice (builder, c, map[column->code[j]], column->real[j]);
        else
          sl_builder_member (builder, c, map[column->code[j]]);
      sl_builder_end_list (builder, c);
    }
}

static void
copy_labels (SlBuilder *builder, int c, const SlBatch *batch, const gint32 *map)
{
  gint32 n_classes = batch->table->n_classes;
  double *to = sl_builder_labels (builder, c, batch->n_rows);
  const double *from = batch->column[c].real;
  for (gint64 i = 0; i < batch->n_rows; i++, to += n_classes, from += n_classes)
    for (gint32 k = 0; k < n_classes; k++)
      to[map[k]] = from[k];
}

SlBatch *
sl_cat_recode (SlBuilder *builder, const SlTable *table, const SlBatch *batch, const gint32 *map,
               gboolean same, GError **error)
{
  const SlColumnSpec *specs = table->kind->columns;
  for (int c = 0; specs[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c))
        continue;
      SlType type = specs[c].type;
      if (!same && type == SL_TYPE_CLASS)
        for (gint64 i = 0; i < batch->n_rows; i++)
          sl_builder_class (builder, c,
                            batch->column[c].code[i] < 0 ? -1 : map[batch->column[c].code[i]]);
      else if (!same && type == SL_TYPE_LABEL)
        copy_labels (builder, c, batch, map);
      else if (!same && (type == SL_TYPE_CHOICES || type == SL_TYPE_CLASSES))
        copy_lists (builder, c, batch, map);
      else
        sl_builder_share (builder, c, batch, c);
    }
  return sl_builder_take (builder, error);
}
