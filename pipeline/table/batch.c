/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batch.h"

#include "carray.h"
#include "types/types.h"

#include <arrow-glib/arrow-glib.h>

SlBatch *
sl_batch_ref (SlBatch *batch)
{
  g_atomic_int_inc (&batch->ref_count);
  return batch;
}

void
sl_batch_unref (SlBatch *batch)
{
  if (!g_atomic_int_dec_and_test (&batch->ref_count))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (batch->column); i++)
    g_clear_object (&batch->column[i].array);
  g_clear_object (&batch->arrow);
  sl_table_unref (batch->table);
  g_ptr_array_unref (batch->owned);
  g_free (batch);
}

/* Sets COLUMN's pointers to the values of its array, which is canonical. */
static gboolean
point (SlBatch *batch, int c, GError **error)
{
  struct ArrowArray array;
  SlColumn *column = &batch->column[c];
  if (!sl_carray_export (column->array, &array, error))
    return FALSE;
  if (array.n_buffers > 0 && array.buffers[0] != NULL && array.null_count != 0)
    {
      guint8 *valid = g_malloc ((gsize) MAX (array.length, 1));
      sl_bits_to_bytes (array.buffers[0], array.offset, array.length, valid);
      g_ptr_array_add (batch->owned, valid);
      column->valid = valid;
    }
  sl_type_of (batch->table, c)->point (batch, c, &array);
  /* The GArrowArray keeps the memory alive. */
  sl_carray_release (&array);
  return TRUE;
}

SlBatch *
sl_batch_new (SlTable *table, GArrowRecordBatch *arrow, gint64 first_row, GError **error)
{
  g_autoptr (SlBatch) batch = g_new0 (SlBatch, 1);
  batch->ref_count = 1;
  batch->table = sl_table_ref (table);
  batch->arrow = g_object_ref (arrow);
  batch->n_rows = garrow_record_batch_get_n_rows (arrow);
  batch->first_row = first_row;
  batch->owned = g_ptr_array_new_with_free_func (g_free);
  int position = 0;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        batch->column[i].array = garrow_record_batch_get_column_data (arrow, position++);
        if (!point (batch, i, error))
          return NULL;
      }
  return g_steal_pointer (&batch);
}

SlBatch *
sl_batch_filter (SlBatch *batch, const guint8 *keep, GError **error)
{
  gint64 n_dropped;
  struct ArrowArray mask;
  sl_carray_init (&mask, batch->n_rows, 2, 0);
  sl_carray_set (&mask, 1, sl_bits_new (keep, batch->n_rows, &n_dropped));
  if (n_dropped == 0)
    {
      sl_carray_release (&mask);
      return sl_batch_ref (batch);
    }
  g_autoptr (GArrowDataType) type = GARROW_DATA_TYPE (garrow_boolean_data_type_new ());
  g_autoptr (GArrowArray) filter = garrow_array_import (&mask, type, error);
  if (filter == NULL)
    return NULL;
  g_autoptr (GArrowRecordBatch) kept
      = garrow_record_batch_filter (batch->arrow, GARROW_BOOLEAN_ARRAY (filter), NULL, error);
  SlBatch *rows = kept != NULL ? sl_batch_new (batch->table, kept, batch->first_row, error) : NULL;
  if (rows == NULL || batch->aside == NULL)
    return rows;
  guint8 *aside = g_new (guint8, MAX (batch->n_rows, 1));
  for (gint64 i = 0, at = 0; i < batch->n_rows; i++)
    {
      aside[at] = batch->aside[i];
      at += keep[i] != 0;
    }
  sl_batch_set_aside (rows, aside);
  return rows;
}

void
sl_batch_set_aside (SlBatch *batch, guint8 *aside)
{
  g_ptr_array_add (batch->owned, aside);
  if (batch->aside == NULL)
    batch->aside = aside;
}

/* Text bytes of N values whose offsets are at hand. */
static gsize
span (const gint32 *offset, gint64 n)
{
  return n > 0 ? (gsize) (offset[n] - offset[0]) : 0;
}

gsize
sl_batch_bytes (const SlBatch *batch)
{
  gsize bytes = 0, n = (gsize) batch->n_rows;
  for (int i = 0; batch->table->spec[i].name != NULL; i++)
    if (sl_table_has (batch->table, i))
      {
        const SlColumn *column = &batch->column[i];
        switch (sl_type_of (batch->table, i)->storage)
          {
          case SL_STORAGE_BYTES:
            bytes += 4 * n + span (column->text.offset, batch->n_rows);
            break;
          case SL_STORAGE_LISTS:
            bytes += 4 * n + 12 * span (column->start, batch->n_rows);
            break;
          case SL_STORAGE_FIXED:
            bytes += n * (gsize) sl_type_bytes (batch->table, i);
            break;
          }
      }
  return bytes;
}
