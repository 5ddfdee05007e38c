/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rechunk.h"

void
sl_rechunk_init (SlRechunk *chunks, gint64 rows)
{
  *chunks = (SlRechunk){ .rows = rows, .pending = G_QUEUE_INIT };
}

void
sl_rechunk_clear (SlRechunk *chunks)
{
  g_queue_clear_full (&chunks->pending, g_object_unref);
  chunks->n_pending = 0;
}

void
sl_rechunk_push (SlRechunk *chunks, GArrowRecordBatch *batch)
{
  gint64 n = garrow_record_batch_get_n_rows (batch);
  if (n == 0)
    return;
  g_queue_push_tail (&chunks->pending, g_object_ref (batch));
  chunks->n_pending += n;
}

/* The parts of one column, end to end. */
static GArrowArray *
join_column (GPtrArray *parts, gint column, GError **error)
{
  g_autolist (GArrowArray) rest = NULL;
  for (guint i = parts->len - 1; i > 0; i--)
    rest = g_list_prepend (rest, garrow_record_batch_get_column_data (parts->pdata[i], column));
  g_autoptr (GArrowArray) first = garrow_record_batch_get_column_data (parts->pdata[0], column);
  return garrow_array_concatenate (first, rest, error);
}

static GArrowRecordBatch *
join (GPtrArray *parts, gint64 n_rows, GError **error)
{
  if (parts->len == 1)
    return g_object_ref (parts->pdata[0]);
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (parts->pdata[0]);
  g_autolist (GArrowArray) columns = NULL;
  for (gint c = (gint) garrow_schema_n_fields (schema) - 1; c >= 0; c--)
    {
      GArrowArray *column = join_column (parts, c, error);
      if (column == NULL)
        return NULL;
      columns = g_list_prepend (columns, column);
    }
  return garrow_record_batch_new (schema, (guint32) n_rows, columns, error);
}

gboolean
sl_rechunk_pop (SlRechunk *chunks, gboolean flush, GArrowRecordBatch **batch, GError **error)
{
  *batch = NULL;
  gint64 wanted = MIN (chunks->n_pending, chunks->rows);
  if (wanted == 0 || (wanted < chunks->rows && !flush))
    return TRUE;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_object_unref);
  for (gint64 left = wanted; left > 0;)
    {
      g_autoptr (GArrowRecordBatch) head = g_queue_pop_head (&chunks->pending);
      gint64 n = garrow_record_batch_get_n_rows (head);
      gint64 take = MIN (n, left);
      if (take < n)
        {
          g_queue_push_head (&chunks->pending, garrow_record_batch_slice (head, take, n - take));
          g_ptr_array_add (parts, garrow_record_batch_slice (head, 0, take));
        }
      else
        g_ptr_array_add (parts, g_steal_pointer (&head));
      left -= take;
    }
  chunks->n_pending -= wanted;
  *batch = join (parts, wanted, error);
  return *batch != NULL;
}
