/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figure-rows.h"

#include "stages/common/figures/chances.h"
#include "stages/common/figures/pair-kappas.h"
#include "stages/common/figures/resampling.h"

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
    return isnan (x) != isnan (y) ? isnan (x) - isnan (y) : SL_COMPARE (first, second);
  int order = SL_COMPARE (x, y);
  if (order == 0)
    return SL_COMPARE (first, second);
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
                      const gint32 *number, const SlRowOrder *order, const SlRowTags *tags,
                      GError **error)
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
      if (tags != NULL)
        sl_row_tags_write (tags, builder, table, row[r], row[r] + 1);
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

#define FEWEST 10 /* items with which an interval is given */

typedef struct
{
  gint32 first, second;
  double number[SL_PAIRS_PI + 1]; /* by column, from SL_PAIRS_ITEMS on */
} Pair;

typedef struct
{
  GArray *pairs;
  SlPairTable table;
  gboolean intervals;
  double level;
} Counting;

void
sl_pairs_columns (SlTable *table, gboolean ordered, gboolean intervals)
{
  for (int c = SL_PAIRS_LOWER; c <= SL_PAIRS_UPPER && intervals; c++)
    sl_table_add (table, c);
  for (int c = SL_PAIRS_LINEAR; c <= SL_PAIRS_QUADRATIC && ordered; c++)
    sl_table_add (table, c);
}

static gint64
count_items (const SlPairCell *cells, gsize n)
{
  gint64 items = 0;
  for (gsize c = 0; c < n; c++)
    items += c == 0 || cells[c].item != cells[c - 1].item;
  return items;
}

static void
set_interval (Counting *counting, const SlPairCell *cells, gsize n, gint64 items, double *number)
{
  static const SlRange range = { -1, 1 };
  double error[SL_N_PAIR_FIGURES];
  sl_pair_errors (&counting->table, cells, n, error);
  double half
      = sl_t_quantile (0.5 + counting->level / 2, (double) (items - 1)) * error[SL_PAIR_KAPPA];
  if (!(half > 0))
    return;
  number[SL_PAIRS_LOWER] = number[SL_PAIRS_KAPPA] - half;
  number[SL_PAIRS_UPPER] = number[SL_PAIRS_KAPPA] + half;
  sl_interval_hold (number[SL_PAIRS_KAPPA], range, &number[SL_PAIRS_LOWER],
                    &number[SL_PAIRS_UPPER]);
}

static void
add_pair (gint32 first, gint32 second, const SlPairCell *cells, gsize n, gpointer data)
{
  Counting *counting = data;
  Pair pair = { .first = first, .second = second };
  double figure[SL_N_PAIR_FIGURES], *number = pair.number;
  gint64 items = count_items (cells, n);
  for (gsize c = 0; c < n; c++)
    sl_pair_table_add (&counting->table, &cells[c], 1);
  sl_pair_figures (&counting->table, figure);
  number[SL_PAIRS_ITEMS] = (double) items;
  number[SL_PAIRS_AGREEMENT] = CLAMP (counting->table.agreed / counting->table.n, 0, 1);
  number[SL_PAIRS_KAPPA] = figure[SL_PAIR_KAPPA];
  number[SL_PAIRS_LINEAR] = figure[SL_PAIR_LINEAR];
  number[SL_PAIRS_QUADRATIC] = figure[SL_PAIR_QUADRATIC];
  number[SL_PAIRS_PI] = figure[SL_PAIR_PI];
  number[SL_PAIRS_LOWER] = number[SL_PAIRS_UPPER] = (double) NAN;
  if (counting->intervals && items >= FEWEST && !isnan (figure[SL_PAIR_KAPPA]))
    set_interval (counting, cells, n, items, number);
  sl_pair_table_empty (&counting->table, cells, n);
  g_array_append_val (counting->pairs, pair);
}

static gboolean
write_rows (const GArray *pairs, const SlGathering *crowd, const SlRowOrder *order, SlTable *table,
            GError **error)
{
  gint32 n = (gint32) pairs->len;
  int column = order->sort != NULL ? sl_table_column (table, order->sort) : SL_PAIRS_ITEMS;
  g_autofree double *items = g_new (double, MAX (n, 1)), *by = g_new (double, MAX (n, 1));
  for (gint32 p = 0; p < n; p++)
    {
      items[p] = g_array_index (pairs, Pair, p).number[SL_PAIRS_ITEMS];
      by[p] = g_array_index (pairs, Pair, p).number[column];
    }
  g_autofree gint32 *row
      = sl_order_rows (order->sort != NULL ? by : NULL, items, (double) order->min_answers,
                       order->ascending, order->top, &n);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint32 r = 0; r < n; r++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, row[r]);
      const gint32 who[] = { pair->first, pair->second };
      for (int c = SL_PAIRS_FIRST; c <= SL_PAIRS_SECOND; c++)
        {
          gsize length;
          const char *name = sl_intern_get (crowd->answers.annotators, who[c], &length);
          sl_builder_text (builder, c, name, length);
        }
      sl_builder_int (builder, SL_PAIRS_ITEMS, (gint64) pair->number[SL_PAIRS_ITEMS]);
      for (int c = SL_PAIRS_AGREEMENT; c <= SL_PAIRS_PI; c++)
        if (sl_table_has (table, c))
          sl_builder_real (builder, c, pair->number[c]);
      if (!sl_writer_write_built (crowd->run->out, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (crowd->run->out, builder, TRUE, error);
}

gboolean
sl_pairs_write (SlGathering *crowd, const SlByItem *by, const double *value, double level,
                const SlRowOrder *order, SlTable *table, GError **error)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  Counting counting
      = { .pairs = pairs, .intervals = sl_table_has (table, SL_PAIRS_LOWER), .level = level };
  sl_pair_table_init (&counting.table, by->n_classes, value);
  sl_pairs_each (by, add_pair, &counting);
  sl_pair_table_clear (&counting.table);
  return sl_run_claim_array (crowd->run, pairs->len, sizeof (Pair), "pairs of annotators", error)
         && write_rows (pairs, crowd, order, table, error);
}
