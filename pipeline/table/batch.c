/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batch.h"

#include "pipeline/base/error.h"
#include "carray.h"

#include <math.h>
#include <string.h>

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

static gpointer
own (SlBatch *batch, gpointer memory)
{
  g_ptr_array_add (batch->owned, memory);
  return memory;
}

static const guint8 *
bytes_of_bits (SlBatch *batch, const guint8 *bits, gint64 offset, gint64 n)
{
  guint8 *bytes = own (batch, g_malloc ((gsize) MAX (n, 1)));
  sl_bits_to_bytes (bits, offset, n, bytes);
  return bytes;
}

/* Class codes of a dictionary array; -1 stands for a missing one, so a column with missing values is copied. */
static const gint32 *
codes_of (SlBatch *batch, const struct ArrowArray *array)
{
  const gint32 *codes = (const gint32 *) array->buffers[1] + array->offset;
  if (array->null_count == 0 || array->buffers[0] == NULL)
    return codes;
  gint32 *copy = own (batch, g_new (gint32, MAX (array->length, 1)));
  const guint8 *valid = array->buffers[0];
  for (gint64 i = 0; i < array->length; i++)
    copy[i] = (valid[(array->offset + i) / 8] >> ((array->offset + i) % 8)) & 1 ? codes[i] : -1;
  return copy;
}

static const double *
reals_of (SlBatch *batch, const struct ArrowArray *array)
{
  const double *values = (const double *) array->buffers[1] + array->offset;
  if (array->null_count == 0 || array->buffers[0] == NULL)
    return values;
  double *copy = own (batch, g_new (double, MAX (array->length, 1)));
  const guint8 *valid = array->buffers[0];
  for (gint64 i = 0; i < array->length; i++)
    copy[i] = (valid[(array->offset + i) / 8] >> ((array->offset + i) % 8)) & 1 ? values[i]
                                                                                : (double) NAN;
  return copy;
}

/* N values of WIDTH bytes; what another program left where one is missing is replaced by 0. */
static gconstpointer
numbers_of (SlBatch *batch, const struct ArrowArray *array, gsize width)
{
  const char *values = (const char *) array->buffers[1] + array->offset * (gint64) width;
  if (array->null_count == 0 || array->buffers[0] == NULL)
    return values;
  gsize n = (gsize) array->length;
  char *copy = own (batch, g_memdup2 (values, MAX (n * width, 1)));
  const guint8 *valid = array->buffers[0];
  for (gint64 i = 0; i < array->length; i++)
    if (!((valid[(array->offset + i) / 8] >> ((array->offset + i) % 8)) & 1))
      memset (copy + (gsize) i * width, 0, width);
  return copy;
}

/* Offsets of an array with none in it may be missing altogether. */
static const gint32 *
offsets_of (const struct ArrowArray *array)
{
  static const gint32 zero[2];
  return array->length == 0 || array->buffers[1] == NULL
             ? zero
             : (const gint32 *) array->buffers[1] + array->offset;
}

/* A struct's children do not share in its offset by themselves: they are moved along by it here. */
static struct ArrowArray
child_of (const struct ArrowArray *array, int i, gint64 scale)
{
  struct ArrowArray child = *array->children[i];
  child.offset += array->offset * scale;
  child.length = array->length * scale;
  return child;
}

static void
point_list (SlBatch *batch, SlColumn *column, SlType type, const struct ArrowArray *array)
{
  column->start = offsets_of (array);
  const struct ArrowArray *values = array->children[0];
  if (type == SL_TYPE_CLASSES)
    {
      column->code = codes_of (batch, values);
      return;
    }
  struct ArrowArray classes = child_of (values, 0, 1), percents = child_of (values, 1, 1);
  column->code = codes_of (batch, &classes);
  column->real = reals_of (batch, &percents);
}

/* Sets COLUMN's pointers to the values of its array, which is canonical. */
static gboolean
point (SlBatch *batch, SlColumn *column, SlType type, GError **error)
{
  struct ArrowArray array;
  if (!sl_carray_export (column->array, &array, error))
    return FALSE;
  if (array.n_buffers > 0 && array.buffers[0] != NULL && array.null_count != 0)
    column->valid = bytes_of_bits (batch, array.buffers[0], array.offset, array.length);
  switch (type)
    {
    case SL_TYPE_TEXT:
      column->text.offset = offsets_of (&array);
      column->text.data = array.buffers[2] != NULL ? array.buffers[2] : "";
      break;
    case SL_TYPE_CLASS:
      column->code = codes_of (batch, &array);
      break;
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      point_list (batch, column, type, &array);
      break;
    case SL_TYPE_LABEL:
      {
        struct ArrowArray values = child_of (&array, 0, batch->table->n_classes);
        column->real = (const double *) values.buffers[1] + values.offset;
        break;
      }
    case SL_TYPE_BOOL:
      column->flag = bytes_of_bits (batch, array.buffers[1], array.offset, array.length);
      for (gint64 i = 0; column->valid != NULL && i < array.length; i++)
        ((guint8 *) column->flag)[i] &= column->valid[i];
      break;
    case SL_TYPE_INT32:
      column->int32 = numbers_of (batch, &array, sizeof (gint32));
      break;
    case SL_TYPE_INT64:
      column->int64 = numbers_of (batch, &array, sizeof (gint64));
      break;
    case SL_TYPE_REAL:
      column->real = reals_of (batch, &array);
      break;
    }
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
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        batch->column[i].array = garrow_record_batch_get_column_data (arrow, position++);
        if (!point (batch, &batch->column[i], table->kind->columns[i].type, error))
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
  return kept != NULL ? sl_batch_new (batch->table, kept, batch->first_row, error) : NULL;
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
  for (int i = 0; batch->table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (batch->table, i))
      {
        const SlColumn *column = &batch->column[i];
        switch (batch->table->kind->columns[i].type)
          {
          case SL_TYPE_TEXT:
            bytes += 4 * n + span (column->text.offset, batch->n_rows);
            break;
          case SL_TYPE_CLASSES:
          case SL_TYPE_CHOICES:
            bytes += 4 * n + 12 * span (column->start, batch->n_rows);
            break;
          case SL_TYPE_LABEL:
            bytes += 8 * n * (gsize) batch->table->n_classes;
            break;
          case SL_TYPE_CLASS:
          case SL_TYPE_INT32:
            bytes += 4 * n;
            break;
          case SL_TYPE_INT64:
          case SL_TYPE_REAL:
            bytes += 8 * n;
            break;
          case SL_TYPE_BOOL:
            bytes += n;
            break;
          }
      }
  return bytes;
}
