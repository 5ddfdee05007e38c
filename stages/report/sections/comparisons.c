/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons: how two tables' labels of the same items are apart, and where most. */
#include "schemas/comparisons.h"

#include "draw-distribution.h"
#include "extremes.h"
#include "pipeline/base/intern/intern.h"
#include "sections.h"

#include <math.h>

#define POINTS 2000

/* What is listed of an item, in this order. */
static const int figures[] = { SL_COMPARISONS_TV,
                               SL_COMPARISONS_JS,
                               SL_COMPARISONS_CROSS_ENTROPY,
                               SL_COMPARISONS_W_VALUES,
                               SL_COMPARISONS_FIRST_ENTROPY,
                               SL_COMPARISONS_SECOND_ENTROPY };

typedef struct
{
  const SlReportInput *input;
  gint64 n, same;
  double sum_js, sum_tv;
  SlHistogram distance;
  SlSample sample;
  SlExtremes apart;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  sl_histogram_init (&table->distance, 0, 1, 20);
  sl_sample_init (&table->sample, POINTS);
  sl_extremes_init (&table->apart, report->most);
  return TRUE;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  const SlColumn *column = batch->column;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *item = sl_text_get (column[SL_COMPARISONS_ITEM].text, i, &length);
      gint32 first = column[SL_COMPARISONS_FIRST_CLASS].code[i],
             second = column[SL_COMPARISONS_SECOND_CLASS].code[i];
      double tv = column[SL_COMPARISONS_TV].real[i];
      guint64 hash = sl_text_hash (item, length);
      table->n++;
      table->same += first == second;
      table->sum_js += column[SL_COMPARISONS_JS].real[i];
      table->sum_tv += tv;
      sl_histogram_add (&table->distance, tv);
      sl_sample_add (&table->sample, hash, column[SL_COMPARISONS_FIRST_ENTROPY].real[i],
                     column[SL_COMPARISONS_SECOND_ENTROPY].real[i], first != second);
      SlExtreme *place = sl_extremes_add (&table->apart, -tv, hash, item, length);
      if (place == NULL)
        continue;
      place->values = g_new (double, G_N_ELEMENTS (figures) + 1);
      for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
        place->values[f] = column[figures[f]].real[i];
      place->values[G_N_ELEMENTS (figures)] = second;
      place->code = first;
    }
  return TRUE;
}

static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  const OneTable *table = state;
  sl_extremes_want_pictures (&table->apart, report->pictures);
  return TRUE;
}

static void
draw_facts (SlPage *page, const OneTable *table)
{
  double n = (double) table->n;
  sl_page_facts_begin (page);
  sl_page_fact (page, "items");
  sl_html_count (page->html, table->n);
  sl_page_fact (page, "same likeliest class");
  sl_html_share (page->html, (double) table->same / n);
  sl_page_fact (page, "mean total variation");
  sl_html_figure (page->html, table->sum_tv / n);
  sl_page_fact (page, "mean Jensen–Shannon divergence, nats");
  sl_html_figure (page->html, table->sum_js / n);
  sl_page_facts_end (page);
}

static void
draw_entropies (SlPage *page, OneTable *table)
{
  sl_sample_finish (&table->sample);
  const GArray *points = table->sample.points;
  SlRange range = { 0, 0.1 };
  guint other = 0, above = 0;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_range_add (&range, point->x);
      sl_range_add (&range, point->y);
      other += (guint) point->group;
      above += point->y > point->x;
    }
  g_autoptr (GString) text = g_string_new ("Of ");
  sl_html_many (text, points->len, "item", "items");
  g_string_append (text, " shown, the second table is less certain of ");
  sl_html_share (text, (double) above / points->len);
  g_string_append (text, ", and has another likeliest class for ");
  sl_html_share (text, (double) other / points->len);
  g_string_append_c (text, '.');
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = "Entropies of both",
                      .description = text->str,
                      .height = 300,
                      .x = sl_range_round (range),
                      .y = sl_range_round (range),
                      .x_label = "entropy in the first table, nats",
                      .y_label = "entropy in the second table, nats" };
  SlPlot plot = sl_plot_begin (page->html, &form);
  sl_svg_line (page->html, "even", sl_plot_x (&plot, plot.x.lo), sl_plot_y (&plot, plot.x.lo),
               sl_plot_x (&plot, plot.x.hi), sl_plot_y (&plot, plot.x.hi));
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_svg_circle (page->html, point->group != 0 ? "point c2" : "point c1",
                     sl_plot_x (&plot, point->x), sl_plot_y (&plot, point->y), 2.5);
    }
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html, "<strong>Entropies of both.</strong> ");
  g_string_append (page->html, text->str);
  if (other > 0)
    g_string_append (page->html, " The latter have the other colour.");
  if (table->sample.seen > points->len)
    {
      g_string_append (page->html, " They are drawn by their names from ");
      sl_html_count (page->html, table->sample.seen);
      g_string_append_c (page->html, '.');
    }
  sl_page_figure_end (page);
}

static void
draw_apart (SlReport *report, const OneTable *table)
{
  static const char *const heads[]
      = { "item", "image",          "in the first", "in the second",  "#total variation",
          "#JS",  "#cross-entropy", "#w values",    "#first entropy", "#second entropy",
          NULL };
  SlPage *page = &report->page;
  char *const *classes = table->input->table->classes;
  gboolean images = sl_pictures_any (report->pictures);
  const char *shown[G_N_ELEMENTS (heads)];
  int n = 0;
  for (int h = 0; heads[h] != NULL; h++)
    if (h != 1 || images)
      shown[n++] = heads[h];
  shown[n] = NULL;
  sl_page_table_begin (page,
                       "<strong>Furthest apart</strong>: the items with the largest total "
                       "variation, each with its likeliest class in either table.",
                       shown);
  for (int i = 0; i < table->apart.n; i++)
    {
      const SlExtreme *item = &table->apart.of[i];
      sl_page_row (page);
      sl_page_row_name (page, item->name, -1);
      if (images)
        sl_pictures_append_cell (report->pictures, page->html, item->name);
      sl_page_cell (page, classes[item->code], -1);
      sl_page_cell (page, classes[(int) item->values[G_N_ELEMENTS (figures)]], -1);
      for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
        sl_page_cell_figure (page, item->values[f]);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  OneTable *table = state;
  SlPage *page = &report->page;
  if (table->n == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  draw_facts (page, table);
  sl_page_grid_begin (page);
  sl_histogram_draw (&table->distance, page, "How far labels of an item are apart",
                     "total variation", "items");
  draw_entropies (page, table);
  sl_page_grid_end (page);
  draw_apart (report, table);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  sl_histogram_clear (&table->distance);
  sl_sample_clear (&table->sample);
  sl_extremes_clear (&table->apart);
}

const SlSection sl_section_comparisons = {
  .id = "comparisons",
  .title = "Two tables, item by item",
  .kinds = { &sl_comparisons },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
  .clear = clear,
};
