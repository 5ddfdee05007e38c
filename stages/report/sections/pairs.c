/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs: how each two annotators agree, as a square of those with the most items in common; the
 * pairs that agree least as a list. Of ordered classes kappa is weighted by squared distance. */

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWN_MOST 24 /* annotators of the picture */
#define NUMBERS 10    /* of so many annotators cells have numbers in them */
#define LISTED 10
#define LEAST 10 /* items of a listed pair */
#define SIDE 360.0
#define NAME 12 /* columns of a name */
#define COLUMN 6.6

typedef struct
{
  gint32 first, second;
  double items, agreement, kappa;
} Pair;

typedef struct
{
  const SlReportInput *input;
  SlIntern *annotators;
  GArray *pairs; /* of Pair */
  gsize claimed;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table = (OneTable){ input, sl_intern_new (), g_array_new (FALSE, FALSE, sizeof (Pair)), 0 };
  SL_OWN (report, table->annotators, sl_intern_free);
  SL_OWN (report, table->pairs, g_array_unref);
  return TRUE;
}

static gboolean
is_weighted (const OneTable *table)
{
  return sl_table_has (table->input->table, SL_PAIRS_QUADRATIC);
}

static gint32
number_of (OneTable *table, const SlBatch *batch, int column, gint64 row)
{
  return sl_intern_text (table->annotators, batch->column[column].text, row);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  int kappa = is_weighted (table) ? SL_PAIRS_QUADRATIC : SL_PAIRS_KAPPA;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      Pair pair = { number_of (table, batch, SL_PAIRS_FIRST, i),
                    number_of (table, batch, SL_PAIRS_SECOND, i),
                    (double) batch->column[SL_PAIRS_ITEMS].int64[i],
                    batch->column[SL_PAIRS_AGREEMENT].real[i], batch->column[kappa].real[i] };
      g_array_append_val (table->pairs, pair);
    }
  return sl_run_claim_up_to (report->run, &table->claimed,
                             sl_intern_bytes (table->annotators)
                                 + 2 * table->pairs->len * sizeof (Pair),
                             "pairs of annotators", error);
}

static char *
name_of (const OneTable *table, gint32 annotator)
{
  return sl_intern_dup (table->annotators, annotator);
}

/* ---- the square ---- */

typedef struct
{
  gint32 annotator;
  double items, sum, of; /* in common with others; of kappas, by items */
} Who;

static int
by_items (gconstpointer a, gconstpointer b)
{
  const Who *x = a, *y = b;
  return SL_COMPARE (y->items, x->items) ?: SL_COMPARE (x->annotator, y->annotator);
}

static double
mean_of (const Who *who)
{
  return who->of > 0 ? who->sum / who->of : -2;
}

static int
by_kappa (gconstpointer a, gconstpointer b)
{
  double x = mean_of (a), y = mean_of (b);
  return SL_COMPARE (y, x) ?: by_items (a, b);
}

/* The *N annotators with the most items in common with others, those first who agree the most. */
static Who *
choose (const OneTable *table, gint32 *n)
{
  *n = sl_intern_size (table->annotators);
  Who *who = g_new0 (Who, MAX (*n, 1));
  for (gint32 a = 0; a < *n; a++)
    who[a].annotator = a;
  for (guint p = 0; p < table->pairs->len; p++)
    {
      const Pair *pair = &g_array_index (table->pairs, Pair, p);
      Who *both[] = { &who[pair->first], &who[pair->second] };
      for (int side = 0; side < 2; side++)
        {
          both[side]->items += pair->items;
          both[side]->sum += isnan (pair->kappa) ? 0 : pair->items * pair->kappa;
          both[side]->of += isnan (pair->kappa) ? 0 : pair->items;
        }
    }
  qsort (who, (gsize) *n, sizeof *who, by_items);
  *n = MIN (*n, DRAWN_MOST);
  qsort (who, (gsize) *n, sizeof *who, by_kappa);
  return who;
}

/* PAIR at PLACE[annotator], on both sides of the diagonal. */
static void
draw_pair (GString *out, const Pair *pair, const gint32 *place, double left, double cell,
           gboolean numbers)
{
  gint32 at[] = { place[pair->first], place[pair->second] };
  if (at[0] < 0 || at[1] < 0 || isnan (pair->kappa))
    return;
  for (int side = 0; side < 2; side++)
    {
      double x = left + at[side] * cell, y = 12 + at[1 - side] * cell;
      sl_svg_cell (out, pair->kappa < 0 ? "c2" : "heat", x, y, cell - 1, cell - 1,
                   0.75 * MIN (fabs (pair->kappa), 1));
      if (numbers)
        sl_svg_real (out, "", x + cell / 2, y + cell / 2 + 4, SL_SVG_MIDDLE, pair->kappa, 2);
    }
}

static void
draw_square (SlPage *page, const OneTable *table)
{
  gint32 n, all = sl_intern_size (table->annotators), longest = 2;
  g_autofree Who *who = choose (table, &n);
  g_autofree gint32 *place = g_new (gint32, MAX (all, 1));
  memset (place, 0xff, (gsize) all * sizeof *place);
  for (gint32 i = 0; i < n; i++)
    {
      g_autofree char *name = name_of (table, who[i].annotator);
      place[who[i].annotator] = i;
      longest = MAX (longest, MIN (sl_html_columns (name, -1), NAME));
    }
  double left = longest * COLUMN + 8, cell = (SIDE - left) / MAX (n, 1);
  g_autoptr (GString) title = g_string_new (NULL);
  sl_html_say (title, "Cohen’s κ%s of each two of %m",
               is_weighted (table) ? ", with quadratic weights," : "", (gint64) n, "annotator",
               "annotators");
  sl_page_figure_begin (page);
  sl_svg_begin (page->html, SIDE, 20 + n * cell + longest * COLUMN, sl_page_id (page), title->str,
                "A square with a cell for each two annotators, the darker the more they agree, in "
                "another colour where they agree less than by chance. Who agrees most with "
                "others comes first.");
  for (guint p = 0; p < table->pairs->len; p++)
    draw_pair (page->html, &g_array_index (table->pairs, Pair, p), place, left, cell, n <= NUMBERS);
  for (gint32 i = 0; i < n; i++)
    {
      double middle = (i + 0.5) * cell;
      g_autofree char *name = name_of (table, who[i].annotator);
      sl_svg_text (page->html, "", left - 6, 16 + middle, SL_SVG_END, name, NAME);
      sl_svg_text_upright (page->html, "soft", left + middle + 4, 17 + n * cell, name, NAME);
    }
  sl_svg_end (page->html);
  sl_page_caption (page, "<strong>%s.</strong>", title->str);
  if (n < all)
    sl_html_say (page->html, " Of %m those with the most items in common.", (gint64) all,
                 "annotator", "annotators");
  sl_page_figure_end (page);
}

/* ---- the list ---- */

static int
least_first (gconstpointer a, gconstpointer b)
{
  const Pair *x = a, *y = b;
  int order = SL_COMPARE (x->kappa, y->kappa) ?: SL_COMPARE (x->first, y->first);
  return order ?: SL_COMPARE (x->second, y->second);
}

static void
list_pairs (SlPage *page, const OneTable *table)
{
  static const char *const heads[] = { "first", "second", "#items", "#agreement", "#κ", NULL };
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Pair));
  for (guint p = 0; p < table->pairs->len; p++)
    {
      const Pair *pair = &g_array_index (table->pairs, Pair, p);
      if (pair->items >= LEAST && !isnan (pair->kappa))
        g_array_append_val (sorted, *pair);
    }
  if (sorted->len == 0)
    return;
  g_array_sort (sorted, least_first);
  sl_page_table_begin (page,
                       "<strong>Who agree least</strong>, of pairs with ten items in common or "
                       "more.",
                       heads);
  for (guint p = 0; p < MIN (sorted->len, LISTED); p++)
    {
      const Pair *pair = &g_array_index (sorted, Pair, p);
      g_autofree char *first = name_of (table, pair->first);
      g_autofree char *second = name_of (table, pair->second);
      sl_page_row (page, "ntcff", first, second, (gint64) pair->items, pair->agreement,
                   pair->kappa);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  draw_square (&report->page, table);
  list_pairs (&report->page, table);
}

const SlSection sl_section_pairs = {
  .id = "pairs",
  .title = "Pairs of annotators",
  .kinds = { &sl_pairs },
  .size = sizeof (OneTable),
  .empty = "The table has no rows.",
  .begin = begin,
  .take = take,
  .draw = draw,
};
