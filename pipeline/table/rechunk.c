/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rechunk.h"

#include "batch.h"
#include "carray.h"

#include <arrow-glib/arrow-glib.h>

void
sl_rechunk_init (SlRechunk *chunks, gint64 rows)
{
  *chunks = (SlRechunk){ .rows = rows, .full = SL_BATCH_FULL, .pending = G_QUEUE_INIT };
}

void
sl_rechunk_clear (SlRechunk *chunks)
{
  g_queue_clear_full (&chunks->pending, g_object_unref);
  chunks->n_pending = 0;
}

/* The offsets [rows + 1] of column C, which is text, bytes or lists; NULL for any other. */
static const gint32 *
offsets_of (GArrowRecordBatch *batch, gint c)
{
  g_autoptr (GArrowArray) array = garrow_record_batch_get_column_data (batch, c);
  struct ArrowArray bare;
  if (!(GARROW_IS_BINARY_ARRAY (array) || GARROW_IS_LIST_ARRAY (array))
      || !sl_carray_export (array, &bare, NULL))
    return NULL;
  /* The batch holds the memory. */
  const gint32 *offsets = (const gint32 *) bare.buffers[1] + bare.offset;
  sl_carray_release (&bare);
  return offsets;
}

/* HELD[c] += SIGN times what column c of BATCH has. */
static void
count_held (GArrowRecordBatch *batch, gint64 *held, int sign)
{
  gint64 n = garrow_record_batch_get_n_rows (batch);
  for (gint c = 0; n > 0 && c < (gint) garrow_record_batch_get_n_columns (batch); c++)
    {
      const gint32 *offsets = offsets_of (batch, c);
      if (offsets != NULL)
        held[c] += sign * ((gint64) offsets[n] - offsets[0]);
    }
}

static gboolean
is_over (const SlRechunk *chunks)
{
  gboolean over = FALSE;
  for (gsize c = 0; c < G_N_ELEMENTS (chunks->held); c++)
    over = over || chunks->held[c] > chunks->full;
  return over;
}

/* How many of BATCH's first rows still fit: HELD and they together stay within FULL in every
 * column. */
static gint64
count_fitting (GArrowRecordBatch *batch, const gint64 *held, gint64 full)
{
  gint64 fit = garrow_record_batch_get_n_rows (batch);
  for (gint c = 0; c < (gint) garrow_record_batch_get_n_columns (batch); c++)
    {
      const gint32 *offsets = offsets_of (batch, c);
      while (offsets != NULL && fit > 0 && held[c] + offsets[fit] - offsets[0] > full)
        fit--;
    }
  return fit;
}

/* How many rows go into a chunk whose text is full before it has all its rows; at least one. */
static gint64
count_full (const SlRechunk *chunks)
{
  gint64 held[G_N_ELEMENTS (chunks->held)] = { 0 }, rows = 0;
  for (const GList *batch = chunks->pending.head; batch != NULL; batch = batch->next)
    {
      gint64 fit = count_fitting (batch->data, held, chunks->full);
      rows += fit;
      if (fit < garrow_record_batch_get_n_rows (batch->data))
        break;
      count_held (batch->data, held, 1);
    }
  return MAX (rows, 1);
}

void
sl_rechunk_push (SlRechunk *chunks, GArrowRecordBatch *batch)
{
  gint64 n = garrow_record_batch_get_n_rows (batch);
  if (n == 0)
    return;
  g_queue_push_tail (&chunks->pending, g_object_ref (batch));
  chunks->n_pending += n;
  count_held (batch, chunks->held, 1);
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

GArrowRecordBatch *
sl_batches_join (GPtrArray *parts, GError **error)
{
  gint64 n_rows = 0;
  if (parts->len == 1)
    return g_object_ref (parts->pdata[0]);
  for (guint i = 0; i < parts->len; i++)
    n_rows += garrow_record_batch_get_n_rows (parts->pdata[i]);
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
  gboolean over = is_over (chunks);
  if (wanted == 0 || (wanted < chunks->rows && !flush && !over))
    return TRUE;
  if (over)
    wanted = MIN (wanted, count_full (chunks));
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
      count_held (parts->pdata[parts->len - 1], chunks->held, -1);
      left -= take;
    }
  chunks->n_pending -= wanted;
  *batch = sl_batches_join (parts, error);
  return *batch != NULL;
}
