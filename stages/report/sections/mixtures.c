/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixtures: the share of the first item as people see it, over its share in what is mixed. */
#include "schemas/mixtures.h"

#include "extremes.h"
#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>

#define POINTS 800
#define PARTS 10

typedef struct
{
  const SlReportInput *input;
  gint64 n, seen[PARTS];
  double lambda[PARTS], human[PARTS], confidence;
  gint64 n_confidence;
  SlSample sample;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  sl_sample_init (&table->sample, POINTS);
  return TRUE;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  const double *lambda = batch->column[SL_MIXTURES_LAMBDA].real,
               *human = batch->column[SL_MIXTURES_HUMAN].real,
               *confidence = batch->column[SL_MIXTURES_CONFIDENCE].real;
  table->n += batch->n_rows;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      if (confidence != NULL && !isnan (confidence[i]))
        {
          table->confidence += confidence[i];
          table->n_confidence++;
        }
      if (human == NULL || isnan (human[i]))
        continue;
      gsize length;
      const char *item = sl_text_get (batch->column[SL_MIXTURES_ITEM].text, i, &length);
      int part = (int) CLAMP (lambda[i] * PARTS, 0, PARTS - 1);
      table->seen[part]++;
      table->lambda[part] += lambda[i];
      table->human[part] += human[i];
      guint64 row = (guint64) (batch->first_row + i);
      sl_sample_add (&table->sample, sl_text_hash (item, length) ^ row * 0x9e3779b97f4a7c15u,
                     lambda[i], human[i], 0);
    }
  return TRUE;
}

static void
draw_human (SlPage *page, OneTable *table)
{
  double x[PARTS], y[PARTS];
  gsize n = 0;
  g_autoptr (GString) text = g_string_new ("Mean as people see it:");
  for (int p = 0; p < PARTS; p++)
    if (table->seen[p] > 0)
      {
        x[n] = table->lambda[p] / (double) table->seen[p];
        y[n] = table->human[p] / (double) table->seen[p];
        g_string_append (text, n > 0 ? ", " : " ");
        sl_html_real (text, y[n], 2);
        g_string_append (text, " at ");
        sl_html_real (text, x[n], 2);
        n++;
      }
  g_string_append_c (text, '.');
  sl_sample_finish (&table->sample);
  const GArray *points = table->sample.points;
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = "What people see in mixtures",
                      .description = text->str,
                      .height = 300,
                      .x = { 0, 1 },
                      .y = { 0, 1 },
                      .x_label = "share of the first item, mixed",
                      .y_label = "the same as people see it" };
  SlPlot plot = sl_plot_begin (page->html, &form);
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_svg_circle (page->html, "faint c6", sl_plot_x (&plot, point->x),
                     sl_plot_y (&plot, point->y), 2);
    }
  sl_svg_line (page->html, "even", sl_plot_x (&plot, 0), sl_plot_y (&plot, 0), sl_plot_x (&plot, 1),
               sl_plot_y (&plot, 1));
  sl_plot_line (&plot, "line c1", x, y, n);
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html, "<strong>What people see in mixtures.</strong> The line is the mean "
                               "of what was seen, the dashed one would be as it is mixed.");
  if (table->sample.seen > points->len)
    {
      g_string_append (page->html, " Dots are ");
      sl_html_count (page->html, points->len);
      g_string_append (page->html, " rows, drawn by lot from ");
      sl_html_count (page->html, table->sample.seen);
      g_string_append_c (page->html, '.');
    }
  sl_page_figure_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  OneTable *table = state;
  SlPage *page = &report->page;
  sl_page_facts_begin (page);
  sl_page_fact (page, "rows");
  sl_html_count (page->html, table->n);
  if (table->n_confidence > 0)
    {
      sl_page_fact (page, "mean confidence");
      sl_html_figure (page->html, table->confidence / (double) table->n_confidence);
    }
  sl_page_facts_end (page);
  if (table->sample.seen == 0)
    {
      sl_page_note (page, "Nobody was asked what they see in them.");
      return;
    }
  sl_page_grid_begin (page);
  draw_human (page, table);
  sl_page_grid_end (page);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  sl_sample_clear (&table->sample);
}

const SlSection sl_section_mixtures = {
  .id = "mixtures",
  .title = "Mixtures",
  .kinds = { &sl_mixtures },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .draw = draw,
  .clear = clear,
};
