/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parting.h"

#include "pipeline/base/error.h"
#include "pipeline/table/batch.h"
#include "pipeline/table/types/types.h"

void
sl_parting_init (SlParting *parting, const SlTable *answers, int column, const char *source)
{
  *parting = (SlParting){ .column = column,
                          .source = source,
                          .names = g_byte_array_new (),
                          .offsets = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  sl_annotator_tags_want (&parting->tags, answers, column);
}

void
sl_parting_clear (SlParting *parting)
{
  if (parting->column == 0)
    return;
  sl_annotator_tags_clear (&parting->tags);
  g_byte_array_unref (parting->names);
  g_array_unref (parting->offsets);
  parting->column = 0;
}

SlBatch *
sl_parting_rows (SlParting *parting, SlBatch *batch, GError **error)
{
  if (parting->column == 0)
    return sl_batch_ref (batch);
  gint64 without = 0;
  g_autofree guint8 *keep = g_new (guint8, MAX (batch->n_rows, 1));
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      keep[i] = !sl_value_is_missing (batch, parting->column, i);
      without += !keep[i];
    }
  parting->n_without += without;
  return without > 0 ? sl_batch_filter (batch, keep, error) : sl_batch_ref (batch);
}

gboolean
sl_parting_name (SlParting *parting, SlRowVotes *rows, GError **error)
{
  if (parting->column == 0)
    return TRUE;
  SlText values = rows->batch->column[parting->column].text;
  g_byte_array_set_size (parting->names, 0);
  g_array_set_size (parting->offsets, (guint) rows->n + 1);
  gint32 *offset = (gint32 *) (gpointer) parting->offsets->data;
  for (gint64 i = 0; i < rows->n; i++)
    {
      gsize length, own;
      const char *item = sl_text_get (rows->item, i, &length);
      const char *value = sl_text_get (values, i, &own);
      offset[i] = (gint32) parting->names->len;
      if (length + own + parting->names->len >= G_MAXINT32)
        return sl_error_bad_input (error, "%s: a batch of rows has too long names",
                                   parting->source);
      g_byte_array_append (parting->names, (const guint8 *) item, (guint) length);
      g_byte_array_append (parting->names, (const guint8 *) "", 1);
      g_byte_array_append (parting->names, (const guint8 *) value, (guint) own);
    }
  offset[rows->n] = (gint32) parting->names->len;
  g_byte_array_append (parting->names, (const guint8 *) "", 1);
  rows->item = (SlText){ offset, (const char *) parting->names->data };
  return rows->annotator.offset == NULL
         || sl_annotator_tags_add (&parting->tags, rows->batch, rows->annotator, parting->source,
                                   error);
}
