/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figure-rows.h"

#include <math.h>

/* Which rows are written, and in which order. */

typedef struct
{
  const double *value;
  gboolean ascending;
} How;

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const How *how = data;
  gint32 first = *(const gint32 *) a, second = *(const gint32 *) b;
  double x = how->value[first], y = how->value[second];
  if (isnan (x) || isnan (y))
    return isnan (x) != isnan (y) ? isnan (x) - isnan (y) : (first > second) - (first < second);
  int order = (x > y) - (x < y);
  if (order == 0)
    return (first > second) - (first < second);
  return how->ascending ? order : -order;
}

gint32 *
sl_order_rows (const double *value, const double *answers, double least, gboolean ascending,
               gint64 top, gint32 *n)
{
  gint32 *rows = g_new (gint32, MAX (*n, 1)), n_rows = 0;
  How how = { value, ascending };
  for (gint32 i = 0; i < *n; i++)
    if (answers[i] >= least)
      rows[n_rows++] = i;
  if (value != NULL)
    g_qsort_with_data (rows, n_rows, sizeof *rows, compare, &how);
  *n = top > 0 ? (gint32) MIN (top, n_rows) : n_rows;
  return rows;
}

#define ANSWERS 1 /* the column */

void
sl_figure_rows_clear (SlFigureRows *rows)
{
  for (int c = 0; c < SL_MAX_COLUMNS; c++)
    g_free (rows->value[c]);
}

gboolean
sl_figure_rows_init (SlFigureRows *rows, SlRun *run, const SlTable *table, gint32 n, GError **error)
{
  rows->n = n;
  for (int c = 1; table->kind->columns[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c))
        continue;
      rows->value[c]
          = sl_run_alloc0 (run, (gsize) MAX (n, 1), sizeof (double), "the figures", error);
      if (rows->value[c] == NULL)
        return FALSE;
      for (gint32 i = 0; i < n; i++)
        rows->value[c][i] = (double) NAN;
    }
  return TRUE;
}

gboolean
sl_figure_rows_write (const SlFigureRows *rows, SlRun *run, SlTable *table, const SlIntern *names,
                      const gint32 *number, const SlRowOrder *order, GError **error)
{
  int column = order->sort != NULL ? sl_table_column (table, order->sort) : 0;
  gint32 n = rows->n;
  g_autofree gint32 *row
      = sl_order_rows (column > 0 ? rows->value[column] : NULL, rows->value[ANSWERS],
                       (double) order->min_answers, order->ascending, order->top, &n);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint32 r = 0; r < n; r++)
    {
      gsize length;
      const char *name = sl_intern_get (names, number != NULL ? number[row[r]] : row[r], &length);
      sl_builder_text (builder, 0, name, length);
      sl_builder_int (builder, ANSWERS, (gint64) rows->value[ANSWERS][row[r]]);
      for (int c = ANSWERS + 1; table->kind->columns[c].name != NULL; c++)
        if (rows->value[c] != NULL && table->kind->columns[c].type == SL_TYPE_INT64)
          sl_builder_int (builder, c, (gint64) rows->value[c][row[r]]);
        else if (rows->value[c] != NULL)
          sl_builder_real (builder, c, rows->value[c][row[r]]);
      if (!sl_writer_write_built (run->out, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

gboolean
sl_row_order_check (const SlRowOrder *order, const SlTable *table, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  int column = order->sort != NULL ? sl_table_column (table, order->sort) : -1;
  if (order->sort == NULL || (column > 0 && table->kind->columns[column].type != SL_TYPE_TEXT))
    return TRUE;
  for (int c = ANSWERS; table->kind->columns[c].name != NULL; c++)
    if (sl_table_has (table, c) && table->kind->columns[c].type != SL_TYPE_TEXT)
      g_string_append_printf (all, "%s%s", all->len > 0 ? ", " : "", table->kind->columns[c].name);
  return sl_error_usage (error, "--sort: '%s' is not one of %s", order->sort, all->str);
}
