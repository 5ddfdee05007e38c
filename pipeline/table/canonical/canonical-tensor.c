/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of which each value has the same number of numbers: labels and tensors. */
#include "canonical-private.h"

#include "pipeline/base/error.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

static gboolean
check_size (gint64 size, gint64 row, const SlCanonical *context, GError **error)
{
  const SlTable *table = context->table;
  gboolean label = context->spec->type == SL_TYPE_LABEL;
  gint64 wanted = label ? table->n_classes : table->tensor[context->column].size;
  if (size == wanted)
    return TRUE;
  return sl_error_row (error, row,
                       label ? "column '%s' has %" G_GINT64_FORMAT
                               " probabilities for %" G_GINT64_FORMAT " classes"
                             : "column '%s' has %" G_GINT64_FORMAT
                               " numbers; the rows before have %" G_GINT64_FORMAT,
                       context->spec->name, size, wanted);
}

/* The numbers of lists of fixed size, which may lie in each other. */
static GArrowArray *
open_fixed (GArrowArray *array, const SlCanonical *context, GError **error)
{
  gint64 n = garrow_array_get_length (array), size = 1;
  g_autoptr (GArrowArray) values = g_object_ref (array);
  while (GARROW_IS_FIXED_SIZE_LIST_ARRAY (values))
    {
      GArrowFixedSizeListArray *lists = GARROW_FIXED_SIZE_LIST_ARRAY (values);
      gint64 each = garrow_fixed_size_list_array_get_list_size (lists);
      gint64 length = garrow_array_get_length (values), offset = garrow_array_get_offset (values);
      if (!sl_canonical_no_nulls (values, context, "has a missing list in a value", error))
        return NULL;
      g_autoptr (GArrowArray) all = garrow_fixed_size_list_array_get_values (lists);
      g_object_unref (values);
      values = garrow_array_slice (all, offset * each, length * each);
      size *= each;
    }
  if (n > 0 && !check_size (size, context->first_row + 1, context, error))
    return NULL;
  return g_steal_pointer (&values);
}

static GArrowArray *
open_variable (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autofree gint32 *offsets = NULL;
  g_autoptr (GArrowArray) values = NULL;
  if (!sl_canonical_open (array, context, &offsets, &values, error))
    return NULL;
  gint64 n = garrow_array_get_length (array);
  for (gint64 i = 0; i < n; i++)
    if (!check_size (offsets[i + 1] - offsets[i], context->first_row + i + 1, context, error))
      return NULL;
  return g_steal_pointer (&values);
}

/* The numbers of ARRAY's rows as one array of NUMBER, SIZE a row, of which none is missing. */
static GArrowArray *
open_numbers (GArrowArray *array, GArrowDataType *number, gint64 size, const char *missing,
              const SlCanonical *context, GError **error)
{
  if (!sl_canonical_no_nulls (array, context, "has no value", error))
    return NULL;
  g_autoptr (GArrowArray) raw = GARROW_IS_FIXED_SIZE_LIST_ARRAY (array)
                                    ? open_fixed (array, context, error)
                                    : open_variable (array, context, error);
  if (raw == NULL)
    return NULL;
  g_autoptr (GArrowArray) values = sl_canonical_cast_to (raw, number, context, error);
  gint64 at = values != NULL ? sl_canonical_missing (values) : -1;
  if (at < 0)
    return g_steal_pointer (&values);
  sl_error_row (error, context->first_row + at / size + 1, "column '%s' has %s",
                context->spec->name, missing);
  return NULL;
}

GArrowArray *
sl_canonical_label (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowDataType) type = sl_table_column_type (context->table, context->column);
  g_autoptr (GArrowArray) values = open_numbers (array, real, context->table->n_classes,
                                                 "a missing probability", context, error);
  return values != NULL ? GARROW_ARRAY (garrow_fixed_size_list_array_new (
             type, garrow_array_get_length (array), values, NULL, 0))
                        : NULL;
}

static gboolean
lies_in_order (const SlTensor *tensor)
{
  for (int d = 0; d < tensor->n_dims; d++)
    if (tensor->axis[d] != d)
      return FALSE;
  return TRUE;
}

/* One tensor FROM, that lies as TENSOR's axes say, TO its own order: a walk through TO, with the
 * step in FROM of each dimension. */
static void
reorder (const SlTensor *tensor, const char *from, char *to)
{
  gint64 step[SL_MAX_DIMS], stride = 1, at = 0;
  gint32 index[SL_MAX_DIMS] = { 0 };
  gsize width = (gsize) sl_tensor_width (tensor);
  for (int d = tensor->n_dims - 1; d >= 0; d--)
    {
      step[tensor->axis[d]] = stride;
      stride *= tensor->dim[tensor->axis[d]];
    }
  for (gint32 i = 0; i < tensor->size; i++, to += width)
    {
      memcpy (to, from + (gsize) at * width, width);
      int d = tensor->n_dims - 1;
      for (; d >= 0 && ++index[d] == tensor->dim[d]; d--)
        {
          at -= step[d] * (tensor->dim[d] - 1);
          index[d] = 0;
        }
      at += d >= 0 ? step[d] : 0;
    }
}

static GArrowArray *
reordered (GArrowArray *values, GArrowDataType *number, const SlTensor *tensor, GError **error)
{
  struct ArrowArray from, to;
  if (!sl_carray_export (values, &from, error))
    return NULL;
  gint64 bytes = (gint64) sl_tensor_width (tensor);
  sl_carray_init (&to, from.length, 2, 0);
  char *out = sl_buffer_new ((gsize) (from.length * bytes));
  sl_carray_set (&to, 1, out);
  const char *in = (const char *) from.buffers[1] + from.offset * bytes;
  for (gint64 i = 0; i < from.length; i += tensor->size)
    reorder (tensor, in + i * bytes, out + i * bytes);
  sl_carray_release (&from);
  return garrow_array_import (&to, number, error);
}

GArrowArray *
sl_canonical_tensor (GArrowArray *array, const SlCanonical *context, GError **error)
{
  const SlTensor *tensor = &context->table->tensor[context->column];
  g_autoptr (GArrowDataType) number = sl_tensor_number_type (tensor);
  g_autoptr (GArrowDataType) type = sl_table_column_type (context->table, context->column);
  g_autoptr (GArrowArray) values
      = open_numbers (array, number, tensor->size, "a missing number in a tensor", context, error);
  if (values == NULL)
    return NULL;
  g_autoptr (GArrowArray) ordered
      = lies_in_order (tensor) ? g_object_ref (values) : reordered (values, number, tensor, error);
  return ordered != NULL ? GARROW_ARRAY (garrow_fixed_size_list_array_new (
             type, garrow_array_get_length (array), ordered, NULL, 0))
                         : NULL;
}
