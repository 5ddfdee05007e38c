/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the values of a batch's columns lie; a column with missing values is copied where those
 * need a value of their own. Single values of each type: whether one is missing, how two compare,
 * how one gets into a builder, also by other classes. */
#include "types-private.h"

#include <math.h>
#include <string.h>

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

/* N values of WIDTH bytes; where one is missing the bytes of MISSING stand, whatever another
 * program left there. */
static gconstpointer
values_of (SlBatch *batch, const struct ArrowArray *array, gsize width, gconstpointer missing)
{
  const char *values = (const char *) array->buffers[1] + array->offset * (gint64) width;
  if (array->null_count == 0 || array->buffers[0] == NULL)
    return values;
  gsize n = (gsize) array->length;
  char *copy = own (batch, g_memdup2 (values, MAX (n * width, 1)));
  const guint8 *valid = array->buffers[0];
  for (gint64 i = 0; i < array->length; i++)
    if (!((valid[(array->offset + i) / 8] >> ((array->offset + i) % 8)) & 1))
      memcpy (copy + (gsize) i * width, missing, width);
  return copy;
}

static const gint32 *
codes_of (SlBatch *batch, const struct ArrowArray *array)
{
  static const gint32 missing = -1;
  return values_of (batch, array, sizeof missing, &missing);
}

static const double *
reals_of (SlBatch *batch, const struct ArrowArray *array)
{
  static const double missing = (double) NAN;
  return values_of (batch, array, sizeof missing, &missing);
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

void
sl_point_text (SlBatch *batch, int column, const struct ArrowArray *array)
{
  SlText *text = &batch->column[column].text;
  text->offset = offsets_of (array);
  text->data = array->buffers[2] != NULL ? array->buffers[2] : "";
}

void
sl_point_classes (SlBatch *batch, int column, const struct ArrowArray *array)
{
  batch->column[column].start = offsets_of (array);
  batch->column[column].code = codes_of (batch, array->children[0]);
}

void
sl_point_choices (SlBatch *batch, int column, const struct ArrowArray *array)
{
  const struct ArrowArray *pairs = array->children[0];
  struct ArrowArray classes = child_of (pairs, 0, 1), percents = child_of (pairs, 1, 1);
  batch->column[column].start = offsets_of (array);
  batch->column[column].code = codes_of (batch, &classes);
  batch->column[column].real = reals_of (batch, &percents);
}

void
sl_point_label (SlBatch *batch, int column, const struct ArrowArray *array)
{
  struct ArrowArray values = child_of (array, 0, batch->table->n_classes);
  batch->column[column].real = (const double *) values.buffers[1] + values.offset;
}

void
sl_point_bool (SlBatch *batch, int column, const struct ArrowArray *array)
{
  SlColumn *values = &batch->column[column];
  values->flag = bytes_of_bits (batch, array->buffers[1], array->offset, array->length);
  for (gint64 i = 0; values->valid != NULL && i < array->length; i++)
    ((guint8 *) values->flag)[i] &= values->valid[i];
}

void
sl_point_tensor (SlBatch *batch, int column, const struct ArrowArray *array)
{
  const SlTensor *tensor = &batch->table->tensor[column];
  struct ArrowArray values = child_of (array, 0, tensor->size);
  if (tensor->number == SL_NUMBER_UINT8)
    batch->column[column].uint8 = (const guint8 *) values.buffers[1] + values.offset;
  else
    batch->column[column].float32 = (const float *) values.buffers[1] + values.offset;
}

void
sl_point_fixed (SlBatch *batch, int column, const struct ArrowArray *array)
{
  const SlTypeRow *type = sl_type_of (batch->table, column);
  static const guint8 zero[8];
  *(gconstpointer *) ((char *) &batch->column[column] + type->values)
      = values_of (batch, array, (gsize) type->bytes, type->missing != NULL ? type->missing : zero);
}

gconstpointer
sl_values_of (const SlBatch *batch, int column)
{
  const SlColumn *values = &batch->column[column];
  gsize at = sl_type_of (batch->table, column)->values;
  return values->uint8 != NULL ? values->uint8
                               : *(const gconstpointer *) ((const char *) values + at);
}

gboolean
sl_is_missing_class (const SlColumn *values, gint64 row)
{
  return values->code[row] < 0;
}

gboolean
sl_is_missing_list (const SlColumn *values, gint64 row)
{
  return values->start[row] == values->start[row + 1];
}

gboolean
sl_is_missing_real (const SlColumn *values, gint64 row)
{
  return isnan (values->real[row]);
}

gboolean
sl_is_missing_float32 (const SlColumn *values, gint64 row)
{
  return isnan (values->float32[row]);
}

int
sl_compare_text (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  gsize n_a, n_b;
  const char *x = sl_text_get (a->column[column].text, i, &n_a);
  const char *y = sl_text_get (b->column[column].text, j, &n_b);
  int order = memcmp (x, y, MIN (n_a, n_b));
  return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

int
sl_compare_classes (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  const SlColumn *x = &a->column[column], *y = &b->column[column];
  gint32 n_x = x->start[i + 1] - x->start[i], n_y = y->start[j + 1] - y->start[j];
  if (n_x != n_y)
    return n_x < n_y ? -1 : 1;
  return memcmp (x->code + x->start[i], y->code + y->start[j], (gsize) n_x * sizeof *x->code);
}

int
sl_compare_choices (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  const SlColumn *x = &a->column[column], *y = &b->column[column];
  int order = sl_compare_classes (a, i, b, j, column);
  return order != 0 ? order
                    : memcmp (x->real + x->start[i], y->real + y->start[j],
                              (gsize) (x->start[i + 1] - x->start[i]) * sizeof *x->real);
}

int
sl_compare_fixed (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  const gint64 n = sl_type_bytes (a->table, column);
  return memcmp ((const char *) sl_values_of (a, column) + i * n,
                 (const char *) sl_values_of (b, column) + j * n, (gsize) n);
}

void
sl_copy_text (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  sl_builder_text (builder, column, text, length);
}

/* A list of classes, each as MAP has it, unless that is NULL. */
static void
copy_classes (SlBuilder *builder, int column, const SlBatch *batch, gint64 row, const gint32 *map)
{
  const SlColumn *list = &batch->column[column];
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    sl_builder_member (builder, column, map != NULL ? map[list->code[j]] : list->code[j]);
  sl_builder_end_list (builder, column);
}

static void
copy_choices (SlBuilder *builder, int column, const SlBatch *batch, gint64 row, const gint32 *map)
{
  const SlColumn *list = &batch->column[column];
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    sl_builder_choice (builder, column, map != NULL ? map[list->code[j]] : list->code[j],
                       list->real[j]);
  sl_builder_end_list (builder, column);
}

void
sl_copy_classes (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  copy_classes (builder, column, batch, row, NULL);
}

void
sl_copy_choices (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  copy_choices (builder, column, batch, row, NULL);
}

void
sl_copy_value (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  const SlColumn *values = &batch->column[column];
  switch (batch->table->spec[column].type)
    {
    case SL_TYPE_CLASS:
      sl_builder_class (builder, column, values->code[row]);
      break;
    case SL_TYPE_BOOL:
      sl_builder_bool (builder, column, values->flag[row]);
      break;
    case SL_TYPE_REAL:
      sl_builder_real (builder, column, values->real[row]);
      break;
    case SL_TYPE_FLOAT32:
      sl_builder_float32 (builder, column, values->float32[row]);
      break;
    default:
      sl_builder_int (builder, column,
                      values->int32 != NULL ? values->int32[row] : values->int64[row]);
    }
}

void
sl_copy_label (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  gint32 n = batch->table->n_classes;
  memcpy (sl_builder_labels (builder, column, 1), batch->column[column].real + row * n,
          (gsize) n * sizeof (double));
}

void
sl_copy_tensor (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  gint64 n = sl_type_bytes (batch->table, column);
  memcpy (sl_builder_tensors (builder, column, 1),
          (const char *) sl_values_of (batch, column) + row * n, (gsize) n);
}

void
sl_map_class (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes)
{
  const gint32 *code = batch->column[column].code;
  for (gint64 i = 0; i < batch->n_rows; i++)
    sl_builder_class (builder, column, code[i] < 0 ? -1 : classes[code[i]]);
}

void
sl_map_classes (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    copy_classes (builder, column, batch, i, classes);
}

void
sl_map_choices (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    copy_choices (builder, column, batch, i, classes);
}

void
sl_map_label (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes)
{
  gint32 n_classes = batch->table->n_classes;
  double *to = sl_builder_labels (builder, column, batch->n_rows);
  const double *from = batch->column[column].real;
  for (gint64 i = 0; i < batch->n_rows; i++, to += n_classes, from += n_classes)
    for (gint32 k = 0; k < n_classes; k++)
      to[classes[k]] = from[k];
}
