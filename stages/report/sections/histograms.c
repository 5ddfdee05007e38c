/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms that tables of scores have: a row for each bin. */
#include "score-rows.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define PANELS 24
#define MOST_BINS 400 /* of a picture */

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

static void
draw (gpointer state, SlReport *report)
{
  const SlScoreRows *rows = state;
  SlPage *page = &report->page;
  guint drawn = 0, left_out = 0;
  sl_page_grid_begin (page);
  for (guint from = 0; from < rows->bins->len;)
    {
      Bins bins = bins_from (rows->bins, from);
      from += bins.n;
      if (drawn == PANELS || bins.n > MOST_BINS)
        left_out++;
      else
        {
          draw_histogram (page, &bins);
          drawn++;
        }
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
