/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single values of each type: whether one is missing, how two compare, how one gets into a builder,
 * also by other classes. */
#include "types-private.h"

#include <math.h>
#include <string.h>

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

/* The bytes of values I of A and J of B, of N bytes each. */
static int
compare_bytes (gconstpointer a, gint64 i, gconstpointer b, gint64 j, gint64 n)
{
  return memcmp ((const char *) a + i * n, (const char *) b + j * n, (gsize) n);
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
sl_compare_class (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (a->column[column].code, i, b->column[column].code, j, 4);
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
sl_compare_label (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (a->column[column].real, i, b->column[column].real, j,
                        sl_type_bytes (a->table, column));
}

int
sl_compare_bool (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return a->column[column].flag[i] - b->column[column].flag[j];
}

int
sl_compare_int32 (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (a->column[column].int32, i, b->column[column].int32, j, 4);
}

int
sl_compare_int64 (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (a->column[column].int64, i, b->column[column].int64, j, 8);
}

int
sl_compare_real (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (a->column[column].real, i, b->column[column].real, j, 8);
}

int
sl_compare_float32 (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (a->column[column].float32, i, b->column[column].float32, j, 4);
}

/* The numbers of COLUMN's tensors, of whichever type they are. */
static gconstpointer
numbers_of (const SlBatch *batch, int column)
{
  const SlColumn *values = &batch->column[column];
  return values->uint8 != NULL ? (gconstpointer) values->uint8 : values->float32;
}

int
sl_compare_tensor (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  return compare_bytes (numbers_of (a, column), i, numbers_of (b, column), j,
                        sl_type_bytes (a->table, column));
}

void
sl_copy_text (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  sl_builder_text (builder, column, text, length);
}

void
sl_copy_class (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  sl_builder_class (builder, column, batch->column[column].code[row]);
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
sl_copy_label (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  gint32 n = batch->table->n_classes;
  memcpy (sl_builder_labels (builder, column, 1), batch->column[column].real + row * n,
          (gsize) n * sizeof (double));
}

void
sl_copy_bool (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  sl_builder_bool (builder, column, batch->column[column].flag[row]);
}

void
sl_copy_int32 (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  sl_builder_int (builder, column, batch->column[column].int32[row]);
}

void
sl_copy_int64 (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  sl_builder_int (builder, column, batch->column[column].int64[row]);
}

void
sl_copy_real (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  sl_builder_real (builder, column, batch->column[column].real[row]);
}

void
sl_copy_float32 (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  sl_builder_float32 (builder, column, batch->column[column].float32[row]);
}

void
sl_copy_tensor (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  gint64 n = sl_type_bytes (batch->table, column);
  memcpy (sl_builder_tensors (builder, column, 1),
          (const char *) numbers_of (batch, column) + row * n, (gsize) n);
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
