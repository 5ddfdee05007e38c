/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms that tables of scores have: a row for each bin. */
#include "score-rows.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define PANELS 24
#define MOST_BINS 400 /* of a picture */
#define TOGETHER 4    /* groups of a picture */

/* The bins of one histogram, which stand together: rows FROM to TO. */
typedef struct
{
  const SlScoreRow *row;
  guint n;
} Bins;

static Bins
bins_from (const GArray *rows, guint from)
{
  const SlScoreRow *first = &g_array_index (rows, SlScoreRow, from);
  guint to = from + 1;
  for (; to < rows->len; to++)
    {
      const SlScoreRow *row = &g_array_index (rows, SlScoreRow, to);
      if (strcmp (row->metric, first->metric) != 0 || strcmp (row->group, first->group) != 0
          || !(row->bin > row[-1].bin))
        break;
    }
  return (Bins){ first, to - from };
}

static gint64
count_of (const SlScoreRow *row)
{
  return isfinite (row->value) ? (gint64) CLAMP (row->value, 0, 1e15) : 0;
}

static char *
describe (const Bins *bins)
{
  GString *text = g_string_new (NULL);
  gint64 all = 0;
  for (guint b = 0; b < bins->n; b++)
    all += count_of (&bins->row[b]);
  sl_html_say (text, "%m:", all, "value", "values");
  for (guint b = 0; b < bins->n; b++)
    if (count_of (&bins->row[b]) > 0)
      sl_html_say (text, " %n from %f;", count_of (&bins->row[b]), bins->row[b].bin);
  return g_string_free (text, FALSE);
}

static void
draw_histogram (SlPage *page, const Bins *bins)
{
  const SlScoreRow *first = bins->row;
  g_autofree gint64 *count = g_new (gint64, bins->n);
  gint64 most = 1;
  for (guint b = 0; b < bins->n; b++)
    most = MAX (most, count[b] = count_of (&first[b]));
  double step = bins->n > 1 ? first[1].bin - first[0].bin : 1;
  g_autofree char *text = describe (bins),
                  *title = g_strdup_printf ("%s, %s", first->metric, first->group);
  SlPlot plot
      = sl_plot_figure (page, (SlPlotForm){ .title = title,
                                            .description = text,
                                            .x = { first->bin, first[bins->n - 1].bin + step },
                                            .y = sl_range_round ((SlAxisRange){ 0, (double) most }),
                                            .x_label = "each bar from its left edge on",
                                            .y_label = "how many",
                                            .whole_y = TRUE });
  sl_plot_bars (&plot, "c1", count, (int) bins->n);
  sl_plot_caption (&plot, page, "<strong>%t.</strong> %c", title, first->definition, 160);
  sl_page_figure_end (page);
}

static double
step_of (const Bins *bins)
{
  return bins->n > 1 ? bins->row[1].bin - bins->row[0].bin : 1;
}

static double
all_of (const Bins *bins)
{
  double all = 0;
  for (guint b = 0; b < bins->n; b++)
    all += (double) count_of (&bins->row[b]);
  return MAX (all, 1);
}

/* The group of a histogram without what all rows of it have alike. */
static char *
name_of (const Bins *bins, const GPtrArray *alike)
{
  char *own = sl_score_line (bins->row, NULL, alike);
  if (*own != '\0')
    return own;
  g_free (own);
  return g_strdup (bins->row->group);
}

static void
draw_group (SlPlot *plot, const Bins *bins, int number, int n)
{
  double step = step_of (bins), all = all_of (bins);
  g_autofree char *mark = g_strdup_printf ("c%d", number + 1);
  for (guint b = 0; b < bins->n; b++)
    {
      double from = bins->row[b].bin + step * (0.06 + 0.88 * number / n),
             to = bins->row[b].bin + step * (0.06 + 0.88 * (number + 1) / n);
      double x = sl_plot_x (plot, from),
             y = sl_plot_y (plot, (double) count_of (&bins->row[b]) / all);
      sl_svg_rect (plot->out, mark, x, y, sl_plot_x (plot, to) - x, plot->bottom - y);
    }
}

/* Several groups' histograms of a metric on one scale: each bar is the share of its group. */
static void
draw_together (SlPage *page, const Bins *bins, int n)
{
  SlAxisRange x = SL_RANGE_EMPTY, y = { 0, 0.1 };
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL), said = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    g_ptr_array_add (rows, (gpointer) bins[i].row);
  g_autoptr (GPtrArray) alike = sl_score_alike (rows, said);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *words = describe (&bins[i]), *name = name_of (&bins[i], alike);
      g_string_append_printf (text, "%s%s: %s", i > 0 ? " " : "", name, words);
      sl_range_add (&x, bins[i].row->bin);
      sl_range_add (&x, bins[i].row[bins[i].n - 1].bin + step_of (&bins[i]));
      for (guint b = 0; b < bins[i].n; b++)
        sl_range_add (&y, (double) count_of (&bins[i].row[b]) / all_of (&bins[i]));
    }
  SlPlot plot = sl_plot_figure (page, (SlPlotForm){ .title = bins->row->metric,
                                                    .description = text->str,
                                                    .x = x,
                                                    .y = sl_range_round (y),
                                                    .x_label = "bars from a left edge on",
                                                    .y_label = "share of its group" });
  for (int i = 0; i < n; i++)
    draw_group (&plot, &bins[i], i, n);
  sl_plot_caption (&plot, page, "<strong>%t.</strong> ", bins->row->metric);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *name = name_of (&bins[i], alike);
      sl_page_key (page, i + 1, name);
      sl_html_say (page->html, " (%n)%s", (gint64) all_of (&bins[i]), i + 1 < n ? ", " : ". ");
    }
  sl_html_say (page->html, "%c", bins->row->definition, 160);
  sl_page_figure_end (page);
}

/* BINS and others of ALL that are not drawn yet, of the same metric in bins alike. */
static int
find_alike (GArray *all, guint from, Bins *found)
{
  int n = 0;
  const Bins *first = &g_array_index (all, Bins, from);
  Bins own = *first;
  for (guint i = from; i < all->len && n < TOGETHER; i++)
    {
      Bins *bins = &g_array_index (all, Bins, i);
      if (bins->row == NULL || strcmp (bins->row->metric, own.row->metric) != 0
          || !isfinite (bins->row->bin) || fabs (step_of (bins) - step_of (&own)) > 1e-9)
        continue;
      found[n++] = *bins;
      bins->row = NULL;
    }
  return n;
}

static void
draw (gpointer state, SlReport *report)
{
  const SlScoreRows *rows = state;
  SlPage *page = &report->page;
  guint drawn = 0, left_out = 0;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Bins));
  for (guint from = 0; from < rows->bins->len;)
    {
      Bins bins = bins_from (rows->bins, from);
      from += bins.n;
      left_out += bins.n > MOST_BINS;
      if (bins.n <= MOST_BINS)
        g_array_append_val (all, bins);
    }
  sl_page_grid_begin (page);
  for (guint i = 0; i < all->len; i++)
    {
      Bins own = g_array_index (all, Bins, i), found[TOGETHER];
      if (own.row == NULL)
        continue;
      if (drawn == PANELS)
        {
          left_out++;
          continue;
        }
      int n = find_alike (all, i, found);
      drawn++;
      if (n > 1)
        draw_together (page, found, n);
      else
        draw_histogram (page, &own);
    }
  sl_page_grid_end (page);
  if (left_out > 0)
    sl_page_note (page, "%m not drawn; <code>softlabel show</code> prints them.", (gint64) left_out,
                  "histogram is", "histograms are");
}

static gboolean
fills (gconstpointer state)
{
  return ((const SlScoreRows *) state)->bins->len > 0;
}

const SlSection sl_section_histograms = {
  .id = "histograms",
  .title = "Histograms",
  .of = &sl_section_scores,
  .together = TRUE,
  .fills = fills,
  .draw = draw,
};
