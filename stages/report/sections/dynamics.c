/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training says of single items: the map of Swayamdipta et al. 2020, and the items with the
 * least margin (Pleiss et al. 2020). */
#include "schemas/dynamics.h"

#include "extremes.h"
#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>

#define POINTS 2000

typedef struct
{
  const SlReportInput *input;
  SlExtremes worst;
  SlSample sample;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  sl_extremes_init (&table->worst, report->most);
  sl_sample_init (&table->sample, POINTS);
  return TRUE;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  const double *confidence = batch->column[SL_DYNAMICS_CONFIDENCE].real,
               *variability = batch->column[SL_DYNAMICS_VARIABILITY].real,
               *margin = batch->column[SL_DYNAMICS_MARGIN].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *item = sl_text_get (batch->column[SL_DYNAMICS_ITEM].text, i, &length);
      guint64 hash = sl_text_hash (item, length);
      if (!isfinite (margin[i]) || !isfinite (confidence[i]) || !isfinite (variability[i]))
        continue;
      sl_sample_add (&table->sample, hash, variability[i], confidence[i], margin[i] < 0);
      SlExtreme *place = sl_extremes_add (&table->worst, margin[i], hash, item, length);
      if (place == NULL)
        continue;
      const double values[] = { margin[i], confidence[i], variability[i] };
      place->values = g_memdup2 (values, sizeof values);
      place->code = batch->column[SL_DYNAMICS_CLASS].code[i];
    }
  return TRUE;
}

static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  const OneTable *table = state;
  sl_extremes_want_pictures (&table->worst, report->pictures);
  return TRUE;
}

static void
draw_map (SlPage *page, OneTable *table)
{
  sl_sample_finish (&table->sample);
  const GArray *points = table->sample.points;
  SlRange x = { 0, 0.1 };
  guint against = 0;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_range_add (&x, point->x);
      against += (guint) point->group;
    }
  g_autoptr (GString) text = g_string_new ("Of ");
  sl_html_many (text, points->len, "item", "items");
  g_string_append (text, " shown, ");
  sl_html_share (text, (double) against / points->len);
  g_string_append (text, " have a margin below 0: another class was held to be likelier.");
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = "Map of the items",
                      .description = text->str,
                      .height = 300,
                      .x = sl_range_round (x),
                      .y = { 0, 1 },
                      .x_label = "variability over epochs",
                      .y_label = "mean confidence in the item's own class" };
  SlPlot plot = sl_plot_begin (page->html, &form);
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_svg_circle (page->html, point->group != 0 ? "point c2" : "point c1",
                     sl_plot_x (&plot, point->x), sl_plot_y (&plot, point->y), 2.5);
    }
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html,
                   "<strong>Map of the items.</strong> Low at the left are items that look "
                   "mislabelled, at the right ambiguous ones, high at the left easy "
                   "ones. ");
  g_string_append (page->html, text->str);
  if (table->sample.seen > points->len)
    {
      g_string_append (page->html, " They are drawn by their names from ");
      sl_html_count (page->html, table->sample.seen);
      g_string_append_c (page->html, '.');
    }
  sl_page_figure_end (page);
}

static void
draw_worst (SlReport *report, const OneTable *table)
{
  static const char *const with_images[]
      = { "item", "image", "class", "#margin", "#confidence", "#variability", NULL };
  static const char *const plain[]
      = { "item", "class", "#margin", "#confidence", "#variability", NULL };
  SlPage *page = &report->page;
  gboolean images = sl_pictures_any (report->pictures);
  sl_page_table_begin (page,
                       "<strong>Worth another look</strong>: the items whose class had the least "
                       "margin over the likeliest other one.",
                       images ? with_images : plain);
  for (int i = 0; i < table->worst.n; i++)
    {
      const SlExtreme *item = &table->worst.of[i];
      sl_page_row (page);
      sl_page_row_name (page, item->name, -1);
      if (images)
        sl_pictures_append_cell (report->pictures, page->html, item->name);
      sl_page_cell (page, table->input->table->classes[item->code], -1);
      for (int v = 0; v < 3; v++)
        sl_page_cell_figure (page, item->values[v]);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  OneTable *table = state;
  SlPage *page = &report->page;
  if (table->worst.n == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  sl_page_grid_begin (page);
  draw_map (page, table);
  sl_page_grid_end (page);
  draw_worst (report, table);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  sl_extremes_clear (&table->worst);
  sl_sample_clear (&table->sample);
}

const SlSection sl_section_dynamics = {
  .id = "dynamics",
  .title = "What training says of items",
  .kinds = { &sl_dynamics },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
  .clear = clear,
};
