/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-chart-private.h"

#include "pipeline/display/charts.h"
#include "pipeline/display/terminal.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"

#include <math.h>

#define WIDEST 72 /* of a chart, however wide the terminal */
#define HEIGHT 4

static void
append_real (GString *out, double value, int decimals)
{
  char format[8], digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_string_append (out, g_ascii_formatd (digits, sizeof digits, format, value));
}

/* TEXT in lines of its own, after an empty one. */
static void
append_heading (GString *out, const GString *text, int width)
{
  g_string_append_c (out, '\n');
  sl_display_wrap (out, text->str, 2, width);
  g_string_append_c (out, '\n');
}

static gboolean
draw_reliability (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  const SlReliability *bins = &chart->bins;
  gint64 all = sl_reliability_all (bins);
  if (all == 0)
    return FALSE;
  g_autoptr (GString) heading = g_string_new ("reliability: right ");
  append_real (heading, sl_reliability_accuracy (bins), 4);
  g_string_append (heading, ", mean confidence ");
  append_real (heading, sl_reliability_confidence (bins), 4);
  g_string_append (heading, ", calibration error ");
  append_real (heading, sl_reliability_error (bins), 4);
  append_heading (out, heading, width);
  int bar = MAX (width - 28, 8);
  for (int b = 0; b < bins->n; b++)
    {
      append_real (out, (double) b / bins->n, 1);
      g_string_append (out, sl_display_utf8 () ? "–" : "-");
      append_real (out, (double) (b + 1) / bins->n, 1);
      g_string_append_c (out, ' ');
      if (bins->count[b] > 0)
        {
          double n = (double) bins->count[b], right = (double) bins->right[b] / n;
          sl_chart_bar (out, right, bins->confidence[b] / n, bar, color);
          g_string_append_c (out, ' ');
          append_real (out, right, 2);
          g_string_append (out, " of ");
          sl_display_count (out, bins->count[b]);
        }
      while (out->str[out->len - 1] == ' ')
        g_string_truncate (out, out->len - 1);
      g_string_append_c (out, '\n');
    }
  g_autoptr (GString) legend = g_string_new ("bars: the share that is right; ");
  g_string_append (legend, sl_display_utf8 () ? "┃" : "|");
  g_string_append (legend, ": the mean confidence");
  sl_display_wrap (out, legend->str, 2, width);
  g_string_append_c (out, '\n');
  return TRUE;
}

static gboolean
draw_certainty (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  double most = 0;
  for (int p = 0; p < SL_CHART_PARTS; p++)
    most = MAX (most, chart->counts[p]);
  if (most == 0)
    return FALSE;
  g_autoptr (GString) heading = g_string_new ("entropies of all ");
  sl_display_count (heading, chart->n_labels);
  g_string_append (heading, " labels, from 0 to ");
  append_real (heading, chart->most_entropy, 2);
  g_string_append (heading, " nats");
  append_heading (out, heading, width);
  double counts[SL_CHART_PARTS];
  for (int p = 0; p < SL_CHART_PARTS; p++)
    counts[p] = chart->counts[p] > 0 ? chart->counts[p] : NAN;
  sl_chart_columns (out, counts, SL_CHART_PARTS, 0, most, MIN (width, SL_CHART_PARTS + 12), HEIGHT,
                    color);
  return TRUE;
}

/* The means over runs of SUMS; NaN where an epoch is missing. */
static double *
means_of (const GArray *sums, const GArray *runs)
{
  double *means = g_new (double, sums->len + 1);
  for (guint e = 0; e < sums->len; e++)
    {
      double n = g_array_index (runs, double, e);
      means[e] = n > 0 ? g_array_index (sums, double, e) / n : NAN;
    }
  return means;
}

static void
draw_curve (const char *what, const SlChartLine *line, const GArray *sums, double lo, double hi,
            int width, gboolean color, GString *out)
{
  g_autofree double *means = means_of (sums, line->runs);
  g_autoptr (GString) heading = g_string_new (NULL);
  sl_display_text (heading, line->name, -1);
  g_string_append_printf (heading, " %s, epochs 1 to %u: ", what, sums->len);
  append_real (heading, means[0], 4);
  g_string_append (heading, sl_display_utf8 () ? " → " : " -> ");
  append_real (heading, means[sums->len - 1], 4);
  append_heading (out, heading, width);
  sl_chart_columns (out, means, sums->len, lo, hi, width, HEIGHT, color);
}

/* Loss, then accuracy; all splits on the same scale. */
static void
draw_training (const SlTableChart *chart, gboolean accuracy, int width, gboolean color,
               GString *out)
{
  double lo = G_MAXDOUBLE, hi = -G_MAXDOUBLE;
  for (int l = 0; l < chart->n_lines; l++)
    {
      const SlChartLine *line = &chart->lines[l];
      const GArray *sums = accuracy ? line->accuracy : line->loss;
      g_autofree double *means = means_of (sums, line->runs);
      for (guint e = 0; e < sums->len; e++)
        if (isfinite (means[e]))
          {
            lo = MIN (lo, means[e]);
            hi = MAX (hi, means[e]);
          }
    }
  for (int l = 0; l < chart->n_lines && lo <= hi; l++)
    {
      const SlChartLine *line = &chart->lines[l];
      if (line->runs->len > 0)
        draw_curve (accuracy ? "accuracy" : "loss", line, accuracy ? line->accuracy : line->loss,
                    lo, hi, width, color, out);
    }
}

/* Whether the log has anything that is a number. */
static gboolean
draw_log (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  draw_training (chart, FALSE, width, color, out);
  draw_training (chart, TRUE, width, color, out);
  return chart->n_lines > 0;
}

gboolean
sl_table_chart_draw (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  width = width > 0 ? MIN (width, WIDEST) : WIDEST;
  return chart->kind == &sl_predictions ? draw_reliability (chart, width, color, out)
         : chart->kind == &sl_labels    ? draw_certainty (chart, width, color, out)
                                        : draw_log (chart, width, color, out);
}
