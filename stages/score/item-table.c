/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-table.h"

#include "pipeline/base/largest.h"

#include "schemas/comparisons.h"

#include <math.h>

/* A column of a comparison: its name, its number, the figure that it is, and times what. */
#define COLUMNS(ROW)                                                                               \
  ROW ("first_entropy", FIRST_ENTROPY, ENTROPY, 1)                                                 \
  ROW ("second_entropy", SECOND_ENTROPY, TARGET_ENTROPY, 1)                                        \
  ROW ("cross_entropy", CROSS_ENTROPY, CROSS_ENTROPY, 1)                                           \
  ROW ("kl", KL, KL, 1)                                                                            \
  ROW ("js", JS, JS, 1)                                                                            \
  ROW ("brier", BRIER, BRIER, 1)                                                                   \
  ROW ("l1", L1, L1, 1)                                                                            \
  ROW ("tv", TV, L1, 0.5)                                                                          \
  ROW ("w_values", W_VALUES, W_VALUES, 1)                                                          \
  ROW ("w_line", W_LINE, W_LINE, 1)

#define FIGURE(name, column, figure, factor)                                                       \
  { SL_COMPARISONS_##column, SL_FIGURE_##figure, factor },
#define NAME(name, column, figure, factor) name,

static const struct
{
  int column;
  SlFigure figure;
  double factor;
} figures[] = { COLUMNS (FIGURE) };

const char *const sl_item_sorts[] = { "none", COLUMNS (NAME) NULL };

guint64
sl_item_table_figures (void)
{
  guint64 all = 0;
  for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
    all |= SL_FIGURE_BIT (figures[f].figure);
  return all;
}

typedef struct
{
  gint32 row;
  double value;
} Place;

/* The largest first; ties in the order of the table. */
static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const Place *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  return (x->row > y->row) - (x->row < y->row);
}

static void
put_item (SlBuilder *builder, const SlReference *first, const SlAligned *aligned,
          const SlScoredItems *items, gint64 i)
{
  gsize length, k = (gsize) first->table->n_classes;
  const char *item = sl_intern_get (first->items, aligned->item[i], &length);
  sl_builder_text (builder, SL_COMPARISONS_ITEM, item, length);
  sl_builder_class (builder, SL_COMPARISONS_FIRST_CLASS,
                    sl_largest (aligned->first + (gsize) i * k, (gint32) k));
  sl_builder_class (builder, SL_COMPARISONS_SECOND_CLASS,
                    sl_largest (aligned->second + (gsize) i * k, (gint32) k));
  for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
    {
      double value = items->column[figures[f].figure][i] * figures[f].factor;
      sl_builder_real (builder, figures[f].column, isfinite (value) ? value : (double) NAN);
    }
}

gboolean
sl_item_table_write (SlRun *run, const char *path, const SlReference *first,
                     const SlAligned *aligned, const SlScoredItems *items, int sort,
                     gboolean same_top, GError **error)
{
  gsize k = (gsize) first->table->n_classes;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (SlTable) table
      = sl_table_new (&sl_comparisons, (const char *const *) first->table->classes);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL
      || !sl_run_claim_array (run, (gsize) aligned->n, 2 * sizeof (Place), "the items in order",
                              error))
    return FALSE;
  for (gint64 i = 0; i < aligned->n; i++)
    {
      const double *p = aligned->first + (gsize) i * k, *t = aligned->second + (gsize) i * k;
      Place place = { (gint32) i, 0 };
      if (sort > 0)
        place.value = items->column[figures[sort - 1].figure][i];
      if (!same_top || sl_largest (p, (gint32) k) == sl_largest (t, (gint32) k))
        g_array_append_val (places, place);
    }
  if (sort > 0)
    g_array_sort_with_data (places, compare_places, NULL);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint j = 0; j < places->len; j++)
    {
      put_item (builder, first, aligned, items, g_array_index (places, Place, j).row);
      if (!sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}
