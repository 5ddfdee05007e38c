/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rows.h"

#include <math.h>
#include <string.h>

static int
compare_texts (SlText a, gint64 i, SlText b, gint64 j)
{
  gsize a_length, b_length;
  const char *a_text = sl_text_get (a, i, &a_length), *b_text = sl_text_get (b, j, &b_length);
  int order = memcmp (a_text, b_text, MIN (a_length, b_length));
  return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

/* Any order will do that tells every two values apart, also NaN, and -0 from 0: that of their
 * bytes. */
static int
compare_memory (gconstpointer a, gint64 i, gint64 n_a, gconstpointer b, gint64 j, gint64 n_b,
                gsize size)
{
  if (n_a != n_b)
    return n_a < n_b ? -1 : 1;
  return memcmp ((const char *) a + (gsize) i * size, (const char *) b + (gsize) j * size,
                 (gsize) n_a * size);
}

static int
compare_lists (const SlColumn *a, gint64 i, const SlColumn *b, gint64 j, gboolean with_percents)
{
  gint32 a_first = a->start[i], b_first = b->start[j], n_a = a->start[i + 1] - a_first,
         n_b = b->start[j + 1] - b_first;
  int order = compare_memory (a->code, a_first, n_a, b->code, b_first, n_b, sizeof *a->code);
  return order != 0 || !with_percents
             ? order
             : compare_memory (a->real, a_first, n_a, b->real, b_first, n_b, sizeof *a->real);
}

static int
compare_column (SlRow a, SlRow b, int c)
{
  const SlColumn *x = &a.batch->column[c], *y = &b.batch->column[c];
  gint64 i = a.row, j = b.row, n = a.batch->table->n_classes;
  if (x->valid != NULL || y->valid != NULL)
    {
      int x_there = x->valid == NULL || x->valid[i], y_there = y->valid == NULL || y->valid[j];
      if (x_there != y_there || !x_there)
        return x_there - y_there;
    }
  switch (a.batch->table->kind->columns[c].type)
    {
    case SL_TYPE_TEXT:
      return compare_texts (x->text, i, y->text, j);
    case SL_TYPE_CLASS:
      return compare_memory (x->code, i, 1, y->code, j, 1, sizeof *x->code);
    case SL_TYPE_CLASSES:
      return compare_lists (x, i, y, j, FALSE);
    case SL_TYPE_CHOICES:
      return compare_lists (x, i, y, j, TRUE);
    case SL_TYPE_LABEL:
      return compare_memory (x->real, i * n, n, y->real, j * n, n, sizeof *x->real);
    case SL_TYPE_BOOL:
      return x->flag[i] - y->flag[j];
    case SL_TYPE_INT32:
      return compare_memory (x->int32, i, 1, y->int32, j, 1, sizeof *x->int32);
    case SL_TYPE_INT64:
      return compare_memory (x->int64, i, 1, y->int64, j, 1, sizeof *x->int64);
    case SL_TYPE_REAL:
      return compare_memory (x->real, i, 1, y->real, j, 1, sizeof *x->real);
    }
  g_assert_not_reached ();
}

int
sl_row_compare (SlRow a, SlRow b, int annotator)
{
  const SlTable *table = a.batch->table;
  int order
      = annotator >= 0 && sl_table_has (table, annotator) ? compare_column (a, b, annotator) : 0;
  for (int c = 0; order == 0 && table->kind->columns[c].name != NULL; c++)
    if (sl_table_has (table, c) && c != annotator)
      order = compare_column (a, b, c);
  return order;
}

static void
copy_list (SlBuilder *builder, int c, const SlColumn *column, gint64 i, gboolean with_percents)
{
  for (gint32 j = column->start[i]; j < column->start[i + 1]; j++)
    if (with_percents)
      sl_builder_choice (builder, c, column->code[j], column->real[j]);
    else
      sl_builder_member (builder, c, column->code[j]);
  sl_builder_end_list (builder, c);
}

static void
copy_column (SlBuilder *builder, SlRow row, int c)
{
  const SlColumn *column = &row.batch->column[c];
  gint64 i = row.row, n = row.batch->table->n_classes;
  gsize length;
  const char *text;
  if (column->valid != NULL && !column->valid[i])
    {
      sl_builder_null (builder, c);
      return;
    }
  switch (row.batch->table->kind->columns[c].type)
    {
    case SL_TYPE_TEXT:
      text = sl_text_get (column->text, i, &length);
      sl_builder_text (builder, c, text, length);
      break;
    case SL_TYPE_CLASS:
      sl_builder_class (builder, c, column->code[i]);
      break;
    case SL_TYPE_CLASSES:
      copy_list (builder, c, column, i, FALSE);
      break;
    case SL_TYPE_CHOICES:
      copy_list (builder, c, column, i, TRUE);
      break;
    case SL_TYPE_LABEL:
      memcpy (sl_builder_labels (builder, c, 1), column->real + i * n, (gsize) n * sizeof (double));
      break;
    case SL_TYPE_BOOL:
      sl_builder_bool (builder, c, column->flag[i]);
      break;
    case SL_TYPE_INT32:
      sl_builder_int (builder, c, column->int32[i]);
      break;
    case SL_TYPE_INT64:
      sl_builder_int (builder, c, column->int64[i]);
      break;
    case SL_TYPE_REAL:
      sl_builder_real (builder, c, column->real[i]);
      break;
    }
}

void
sl_row_copy (SlBuilder *builder, const SlTable *table, SlRow row, int replaced)
{
  for (int c = 0; table->kind->columns[c].name != NULL; c++)
    if (sl_table_has (table, c) && c != replaced)
      copy_column (builder, row, c);
}
