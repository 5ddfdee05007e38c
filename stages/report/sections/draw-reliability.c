/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw-reliability.h"

#include "stages/report/html-text.h"
#include "stages/report/plot.h"

#include <math.h>

/* Accuracy, confidence and calibration error of BINS. */
static void
append_summary (GString *out, const SlReliability *bins)
{
  sl_html_many (out, sl_reliability_all (bins), "prediction", "predictions");
  g_string_append (out, "; right ");
  sl_html_share (out, sl_reliability_accuracy (bins));
  g_string_append (out, ", mean confidence ");
  sl_html_share (out, sl_reliability_confidence (bins));
  g_string_append (out, ", expected calibration error ");
  sl_html_figure (out, sl_reliability_error (bins));
  g_string_append_c (out, '.');
}

static char *
describe (const SlReliability *bins)
{
  GString *text = g_string_new (NULL);
  append_summary (text, bins);
  g_string_append (text, " Share right at each confidence:");
  for (int b = 0; b < bins->n; b++)
    if (bins->count[b] > 0)
      {
        g_string_append_c (text, ' ');
        sl_html_real (text, (double) bins->right[b] / (double) bins->count[b], 2);
        g_string_append (text, " at ");
        sl_html_real (text, bins->confidence[b] / (double) bins->count[b], 2);
        g_string_append_c (text, ';');
      }
  return g_string_free (text, FALSE);
}

static void
draw_bins (SlPlot *plot, const SlReliability *bins)
{
  gint64 most = 1;
  for (int b = 0; b < bins->n; b++)
    most = MAX (most, bins->count[b]);
  sl_svg_line (plot->out, "even", sl_plot_x (plot, 0), sl_plot_y (plot, 0), sl_plot_x (plot, 1),
               sl_plot_y (plot, 1));
  for (int b = 0; b < bins->n; b++)
    if (bins->count[b] > 0)
      {
        double n = (double) bins->count[b], lower, upper;
        double x = sl_plot_x (plot, bins->confidence[b] / n);
        sl_share_interval (bins->right[b], bins->count[b], &lower, &upper);
        sl_svg_line (plot->out, "span c1", x, sl_plot_y (plot, lower), x, sl_plot_y (plot, upper));
        sl_svg_circle (plot->out, "c1", x, sl_plot_y (plot, (double) bins->right[b] / n),
                       2.5 + 4.5 * sqrt (n / (double) most));
      }
}

void
sl_draw_reliability (SlPage *page, const char *title, const SlReliability *bins)
{
  g_autofree char *text = describe (bins);
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = title,
                      .description = text,
                      .height = 300,
                      .x = { 0, 1 },
                      .y = { 0, 1 },
                      .x_label = "confidence",
                      .y_label = "share that is right" };
  SlPlot plot = sl_plot_begin (page->html, &form);
  draw_bins (&plot, bins);
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html, "<strong><bdi>");
  sl_html_text (page->html, title, -1);
  g_string_append (page->html, "</bdi>.</strong> ");
  append_summary (page->html, bins);
  sl_page_figure_end (page);
}
