/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "missing.h"

#include "carray.h"

#include <arrow-glib/arrow-glib.h>
#include <stdlib.h>
#include <string.h>

/* An array as Arrow gave it, but for some buffers, which are replaced by copies. */
typedef struct
{
  struct ArrowArray array;
  GPtrArray *copies;
} Cleared;

static void
release_cleared (struct ArrowArray *array)
{
  Cleared *cleared = array->private_data;
  sl_carray_release (&cleared->array);
  g_ptr_array_unref (cleared->copies);
  g_free (cleared);
  array->release = NULL;
}

/* Replaces buffer B by a copy of its first BYTES. */
static guint8 *
copy_buffer (struct ArrowArray *array, int b, gsize bytes, GPtrArray *copies)
{
  guint8 *copy = sl_buffer_new (bytes);
  memcpy (copy, array->buffers[b], bytes);
  g_ptr_array_add (copies, copy);
  array->buffers[b] = copy;
  return copy;
}

static gboolean
has_bit (const struct ArrowArray *array, int b, gint64 i)
{
  const guint8 *bits = array->buffers[b];
  return bits[(array->offset + i) / 8] >> (array->offset + i) % 8 & 1;
}

/* Bits of buffer B that belong to a missing value (MISSING: there are some), or to none. */
static void
clear_bits (struct ArrowArray *array, int b, gboolean missing, GPtrArray *copies)
{
  const gint64 end = array->offset + array->length;
  const guint8 *bits = array->buffers[b];
  gboolean clear = end % 8 == 0 || bits[end / 8] >> end % 8 == 0;
  for (gint64 i = 0; missing && clear && i < array->length; i++)
    clear = has_bit (array, 0, i) || !has_bit (array, b, i);
  if (clear)
    return;
  guint8 *to = copy_buffer (array, b, (gsize) (end + 7) / 8, copies);
  for (gint64 i = 0; missing && i < array->length; i++)
    if (!has_bit (array, 0, i))
      to[(array->offset + i) / 8] &= (guint8) ~(1u << (array->offset + i) % 8);
  if (end % 8 != 0)
    to[end / 8] &= (guint8) ((1u << end % 8) - 1);
}

/* Values of WIDTH bytes each. */
static void
clear_values (struct ArrowArray *array, gsize width, GPtrArray *copies)
{
  static const guint8 zeros[16];
  guint8 *to = NULL;
  for (gint64 i = 0; i < array->length; i++)
    {
      const gsize at = (gsize) (array->offset + i) * width;
      if (has_bit (array, 0, i)
          || memcmp ((const guint8 *) array->buffers[1] + at, zeros, width) == 0)
        continue;
      if (to == NULL)
        to = copy_buffer (array, 1, (gsize) (array->offset + array->length) * width, copies);
      memset (to + at, 0, width);
    }
}

static void
clear_texts (struct ArrowArray *array, GPtrArray *copies)
{
  const gint32 *from = (const gint32 *) array->buffers[1] + array->offset;
  const gint64 n = array->length;
  gboolean clear = TRUE;
  for (gint64 i = 0; i < n; i++)
    clear &= has_bit (array, 0, i) || from[i] == from[i + 1];
  if (clear)
    return;
  gint32 *offsets = sl_buffer_new (4 * (gsize) (array->offset + n + 1));
  gint32 *to = offsets + array->offset;
  char *bytes = sl_buffer_new ((gsize) (from[n] - from[0]));
  memset (offsets, 0, 4 * (gsize) (array->offset + 1));
  for (gint64 i = 0; i < n; i++)
    {
      const gint32 length = has_bit (array, 0, i) ? from[i + 1] - from[i] : 0;
      if (length > 0)
        memcpy (bytes + to[i], (const char *) array->buffers[2] + from[i], (gsize) length);
      to[i + 1] = to[i] + length;
    }
  g_ptr_array_add (copies, offsets);
  g_ptr_array_add (copies, bytes);
  array->buffers[1] = offsets;
  array->buffers[2] = bytes;
}

/* Bytes of a number; 0: FORMAT, as the C data interface has it, is of something else. */
static gsize
width_of (const char *format)
{
  static const char numbers[] = "cCsSeiIflLg";
  static const gsize widths[] = { 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8 };
  const char *at = format[1] == '\0' ? strchr (numbers, format[0]) : NULL;
  return at != NULL ? widths[at - numbers] : 0;
}

static void
clear_array (struct ArrowArray *array, const struct ArrowSchema *type, GPtrArray *copies)
{
  const char *format = type->format; /* of codes, where there is a dictionary */
  const gboolean missing
      = array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL;
  for (gint64 i = 0; i < array->n_children; i++)
    clear_array (array->children[i], type->children[i], copies);
  if (array->length == 0)
    return;
  if (strcmp (format, "b") == 0)
    clear_bits (array, 1, missing, copies);
  if (!missing)
    return;
  if (strcmp (format, "u") == 0 || strcmp (format, "z") == 0)
    clear_texts (array, copies);
  else if (width_of (format) > 0)
    clear_values (array, width_of (format), copies);
  clear_bits (array, 0, FALSE, copies);
}

GArrowArray *
sl_clear_missing (GArrowArray *array, GError **error)
{
  gpointer exported = NULL, schema = NULL;
  if (!garrow_array_export (array, &exported, &schema, error))
    return NULL;
  g_autofree struct ArrowArray *from = exported;
  g_autofree struct ArrowSchema *type = schema;
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func (free);
  clear_array (from, type, copies);
  type->release (type);
  if (copies->len == 0)
    {
      sl_carray_release (from);
      return g_object_ref (array);
    }
  Cleared *cleared = g_new (Cleared, 1);
  *cleared = (Cleared){ *from, g_steal_pointer (&copies) };
  from->private_data = cleared;
  from->release = release_cleared;
  g_autoptr (GArrowDataType) own = garrow_array_get_value_data_type (array);
  return garrow_array_import (from, own, error);
}

GArrowRecordBatch *
sl_clear_missing_columns (GArrowRecordBatch *batch, GError **error)
{
  g_autolist (GArrowArray) columns = NULL;
  for (guint i = garrow_record_batch_get_n_columns (batch); i-- > 0;)
    {
      g_autoptr (GArrowArray) column = garrow_record_batch_get_column_data (batch, (gint) i);
      GArrowArray *clear = sl_clear_missing (column, error);
      if (clear == NULL)
        return NULL;
      columns = g_list_prepend (columns, clear);
    }
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (batch);
  return garrow_record_batch_new (schema, (guint32) garrow_record_batch_get_n_rows (batch), columns,
                                  error);
}
