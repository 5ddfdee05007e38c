/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair-kappas.h"

#include "stages/common/answers/answers-by-item.h"

#include <math.h>
#include <stdlib.h>

/* ---- pairs ---- */

/* The answers to item I of whoever gave answer J, which stand side by side. */
static double
count_own (const SlByItem *by, gint32 i, gint64 j)
{
  gint64 from = j, to = j + 1;
  double n = 0;
  while (from > by->first[i] && by->annotator[from - 1] == by->annotator[j])
    from--;
  while (to < by->first[i + 1] && by->annotator[to] == by->annotator[j])
    to++;
  for (gint64 k = from; k < to; k++)
    n += sl_by_item_count (by, k);
  return n;
}

/* Answer J to item I beside those by annotators who come later. */
static void
add_cells (const SlByItem *by, gint32 i, gint64 j, GArray *cells)
{
  double own = sl_by_item_count (by, j), all = count_own (by, i, j);
  for (gint64 o = j + 1; o < by->first[i + 1]; o++)
    {
      if (by->annotator[o] == by->annotator[j])
        continue;
      double count = own * sl_by_item_count (by, o) / (all * count_own (by, i, o));
      SlPairCell cell = { by->annotator[o], i, by->answer[j], by->answer[o], count };
      if (count > 0)
        g_array_append_val (cells, cell);
    }
}

static int
by_other (gconstpointer a, gconstpointer b)
{
  const SlPairCell *x = a, *y = b;
  int order = SL_COMPARE (x->other, y->other) ?: SL_COMPARE (x->item, y->item);
  order = order ?: SL_COMPARE (x->first_class, y->first_class);
  return order ?: SL_COMPARE (x->second_class, y->second_class);
}

void
sl_pairs_each (const SlByItem *by,
               void (*visit) (gint32 first, gint32 second, const SlPairCell *cells, gsize n,
                              gpointer data),
               gpointer data)
{
  g_auto (SlByAnnotator) own;
  sl_by_annotator_init (&own, by);
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (SlPairCell));
  for (gint32 a = 0; a < by->n_annotators; a++)
    {
      g_array_set_size (cells, 0);
      for (gint64 o = own.first[a]; o < own.first[a + 1]; o++)
        add_cells (by, own.item[own.order[o]], own.order[o], cells);
      const SlPairCell *cell = (const SlPairCell *) (gpointer) cells->data;
      if (cells->len > 0)
        qsort (cells->data, cells->len, sizeof (SlPairCell), by_other);
      for (guint first = 0, end; first < cells->len; first = end)
        {
          for (end = first; end < cells->len && cell[end].other == cell[first].other;)
            end++;
          visit (a, cell[first].other, cell + first, end - first, data);
        }
    }
}

double
sl_pairs_cells (const SlByItem *by)
{
  double n = 0;
  for (gint32 i = 0; i < by->n_items; i++)
    n += (double) (by->first[i + 1] - by->first[i]) * (double) (by->first[i + 1] - by->first[i] - 1)
         / 2;
  return n;
}

/* ---- the table of two annotators ---- */

void
sl_pair_table_init (SlPairTable *table, gint32 n_classes, const double *value)
{
  *table = (SlPairTable){ .n_classes = n_classes,
                          .value = value,
                          .row = g_new0 (double, MAX (n_classes, 1)),
                          .column = g_new0 (double, MAX (n_classes, 1)) };
}

void
sl_pair_table_clear (SlPairTable *table)
{
  g_clear_pointer (&table->row, g_free);
  g_clear_pointer (&table->column, g_free);
}

void
sl_pair_table_add (SlPairTable *table, const SlPairCell *cell, double times)
{
  double count = cell->weight * times;
  table->n += count;
  table->row[cell->first_class] += count;
  table->column[cell->second_class] += count;
  table->agreed += cell->first_class == cell->second_class ? count : 0;
  if (table->value == NULL)
    return;
  double apart = fabs (table->value[cell->first_class] - table->value[cell->second_class]);
  table->linear += count * apart;
  table->quadratic += count * apart * apart;
}

void
sl_pair_table_empty (SlPairTable *table, const SlPairCell *cells, gsize n)
{
  for (gsize c = 0; c < n; c++)
    table->row[cells[c].first_class] = table->column[cells[c].second_class] = 0;
  table->n = table->agreed = table->linear = table->quadratic = 0;
}

/* 1 - OBSERVED / EXPECTED; NaN where nothing but rounding is expected, of MOST. */
static double
beyond_chance (double observed, double expected, double most)
{
  return expected > 1e-12 * most ? 1 - observed / expected : (double) NAN;
}

/* Weighted by distance, which is Σ (v_{k+1} - v_k) (F_k (1 - G_k) + G_k (1 - F_k)) of the cumulated
 * margins F and G; and by its square. */
static void
find_weighted (const SlPairTable *table, double *figure)
{
  gint32 last = table->n_classes - 1;
  double f = 0, g = 0, apart = 0, rows = 0, columns = 0, squares = 0, n = table->n;
  double middle = (table->value[0] + table->value[last]) / 2;
  double width = table->value[last] - table->value[0];
  for (gint32 k = 0; k <= last; k++)
    {
      double v = table->value[k] - middle;
      f += table->row[k];
      g += table->column[k];
      rows += table->row[k] * v;
      columns += table->column[k] * v;
      squares += (table->row[k] + table->column[k]) * v * v;
      if (k < last)
        apart += (table->value[k + 1] - table->value[k]) * (f * (n - g) + g * (n - f));
    }
  figure[SL_PAIR_LINEAR] = beyond_chance (table->linear / n, apart / (n * n), width);
  figure[SL_PAIR_QUADRATIC] = beyond_chance (
      table->quadratic / n, squares / n - 2 * (rows / n) * (columns / n), width * width);
}

void
sl_pair_figures (const SlPairTable *table, double *figure)
{
  double kappa = 0, pi = 0, n = table->n;
  for (int f = 0; f < SL_N_PAIR_FIGURES; f++)
    figure[f] = (double) NAN;
  if (!(n > 1e-9))
    return;
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      double both = (table->row[k] + table->column[k]) / (2 * n);
      kappa += table->row[k] / n * (table->column[k] / n);
      pi += both * both;
    }
  double apart = (n - table->agreed) / n;
  figure[SL_PAIR_KAPPA] = beyond_chance (apart, 1 - kappa, 1);
  figure[SL_PAIR_PI] = beyond_chance (apart, 1 - pi, 1);
  if (table->value != NULL)
    find_weighted (table, figure);
}

void
sl_pair_errors (SlPairTable *table, const SlPairCell *cells, gsize n, double *error)
{
  double sum[SL_N_PAIR_FIGURES] = { 0 }, square[SL_N_PAIR_FIGURES] = { 0 }, items = 0;
  double whole[SL_N_PAIR_FIGURES], figure[SL_N_PAIR_FIGURES];
  sl_pair_figures (table, whole);
  for (gsize first = 0, end; first < n; first = end)
    {
      for (end = first; end < n && cells[end].item == cells[first].item; end++)
        sl_pair_table_add (table, &cells[end], -1);
      sl_pair_figures (table, figure);
      for (gsize c = first; c < end; c++)
        sl_pair_table_add (table, &cells[c], 1);
      items++;
      for (int f = 0; f < SL_N_PAIR_FIGURES; f++)
        {
          sum[f] += figure[f] - whole[f];
          square[f] += (figure[f] - whole[f]) * (figure[f] - whole[f]);
        }
    }
  for (int f = 0; f < SL_N_PAIR_FIGURES; f++)
    error[f] = sqrt (MAX (square[f] - sum[f] * sum[f] / items, 0) * (items - 1) / items);
}
