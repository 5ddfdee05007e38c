/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the values of a batch's columns lie. A column with missing values is copied where those
 * need a value of their own. */
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
sl_point_class (SlBatch *batch, int column, const struct ArrowArray *array)
{
  batch->column[column].code = codes_of (batch, array);
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
sl_point_int32 (SlBatch *batch, int column, const struct ArrowArray *array)
{
  static const gint32 missing;
  batch->column[column].int32 = values_of (batch, array, sizeof missing, &missing);
}

void
sl_point_int64 (SlBatch *batch, int column, const struct ArrowArray *array)
{
  static const gint64 missing;
  batch->column[column].int64 = values_of (batch, array, sizeof missing, &missing);
}

void
sl_point_real (SlBatch *batch, int column, const struct ArrowArray *array)
{
  batch->column[column].real = reals_of (batch, array);
}

void
sl_point_float32 (SlBatch *batch, int column, const struct ArrowArray *array)
{
  static const float missing = NAN;
  batch->column[column].float32 = values_of (batch, array, sizeof missing, &missing);
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
