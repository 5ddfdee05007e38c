/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-chart.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/real-math.h"
#include "pipeline/display/charts.h"
#include "pipeline/display/terminal.h"
#include "schemas/labels.h"
#include "schemas/log.h"
#include "schemas/predictions.h"
#include "stages/common/figures/reliability.h"

#include <math.h>
#include <string.h>

#define WIDEST 72 /* of a chart, however wide the terminal */
#define BINS 10
#define PARTS 48
#define HEIGHT 4
#define MOST_LINES 6
#define MOST_EPOCHS 100000 /* later ones are not drawn */

/* A split of the log: sums over runs by epoch. */
typedef struct
{
  char *name;
  GArray *loss, *accuracy, *runs; /* double */
} Line;

struct _SlTableChart
{
  const SlKind *kind;
  SlReliability bins;
  gint64 unknown;       /* predictions without gold */
  double counts[PARTS]; /* labels by their entropies */
  double most_entropy;
  gint64 n_labels;
  Line lines[MOST_LINES];
  int n_lines;
};

SlTableChart *
sl_table_chart_new (const SlTable *table)
{
  gboolean predictions = table->kind == &sl_predictions && sl_table_has (table, SL_PREDICTIONS_GOLD)
                         && !sl_table_has (table, SL_PREDICTIONS_ATTACK)
                         && !sl_table_has (table, SL_PREDICTIONS_CORRUPTION)
                         && !sl_table_has (table, SL_PREDICTIONS_ANNOTATOR);
  gboolean labels = table->kind == &sl_labels && table->n_classes > 1;
  gboolean log = table->kind == &sl_training_log && !sl_table_has (table, SL_LOG_GRID);
  if (!predictions && !labels && !log)
    return NULL;
  SlTableChart *chart = g_new0 (SlTableChart, 1);
  chart->kind = table->kind;
  chart->bins.n = BINS;
  chart->most_entropy = labels ? sl_log (table->n_classes) : 1;
  return chart;
}

void
sl_table_chart_free (SlTableChart *chart)
{
  if (chart == NULL)
    return;
  for (int l = 0; l < chart->n_lines; l++)
    {
      g_free (chart->lines[l].name);
      g_array_unref (chart->lines[l].loss);
      g_array_unref (chart->lines[l].accuracy);
      g_array_unref (chart->lines[l].runs);
    }
  g_free (chart);
}

static void
add_predictions (SlTableChart *chart, const SlBatch *batch)
{
  gint32 k = batch->table->n_classes;
  const double *p = batch->column[SL_PREDICTIONS_PROB].real;
  const gint32 *gold = batch->column[SL_PREDICTIONS_GOLD].code;
  for (gint64 i = 0; i < batch->n_rows; i++, p += k)
    {
      gint32 top = sl_largest (p, k);
      if (gold[i] >= 0)
        sl_reliability_add (&chart->bins, p[top], top == gold[i]);
      else
        chart->unknown++;
    }
}

static void
add_labels (SlTableChart *chart, const SlBatch *batch)
{
  SlLabels view = sl_labels_view (batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      const double *p = view.label + i * view.n_classes;
      double entropy = 0;
      for (gint32 k = 0; k < view.n_classes; k++)
        entropy -= p[k] > 0 ? p[k] * sl_log (p[k]) : 0;
      int part = (int) CLAMP (entropy / chart->most_entropy * PARTS, 0, PARTS - 1);
      chart->counts[part]++;
      chart->n_labels++;
    }
}

/* The line of the split NAME; NULL where there are too many. */
static Line *
find_line (SlTableChart *chart, const char *name, gsize length)
{
  for (int l = 0; l < chart->n_lines; l++)
    if (strlen (chart->lines[l].name) == length && memcmp (chart->lines[l].name, name, length) == 0)
      return &chart->lines[l];
  if (chart->n_lines == MOST_LINES)
    return NULL;
  Line *line = &chart->lines[chart->n_lines++];
  *line = (Line){ g_strndup (name, length), g_array_new (FALSE, TRUE, sizeof (double)),
                  g_array_new (FALSE, TRUE, sizeof (double)),
                  g_array_new (FALSE, TRUE, sizeof (double)) };
  return line;
}

static void
add_log (SlTableChart *chart, const SlBatch *batch)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *split = sl_text_get (batch->column[SL_LOG_SPLIT].text, i, &length);
      gint32 epoch = batch->column[SL_LOG_EPOCH].int32[i];
      Line *line = find_line (chart, split, length);
      if (line == NULL || epoch < 1 || epoch > MOST_EPOCHS)
        continue;
      guint n = MAX (line->runs->len, (guint) epoch);
      g_array_set_size (line->loss, n);
      g_array_set_size (line->accuracy, n);
      g_array_set_size (line->runs, n);
      g_array_index (line->loss, double, epoch - 1) += batch->column[SL_LOG_LOSS].real[i];
      g_array_index (line->accuracy, double, epoch - 1) += batch->column[SL_LOG_ACCURACY].real[i];
      g_array_index (line->runs, double, epoch - 1)++;
    }
}

void
sl_table_chart_add (SlTableChart *chart, const SlBatch *batch)
{
  if (chart->kind == &sl_predictions)
    add_predictions (chart, batch);
  else if (chart->kind == &sl_labels)
    add_labels (chart, batch);
  else
    add_log (chart, batch);
}

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

static void
draw_reliability (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  const SlReliability *bins = &chart->bins;
  gint64 all = sl_reliability_all (bins);
  if (all == 0)
    return;
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
}

static void
draw_certainty (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  double most = 0;
  for (int p = 0; p < PARTS; p++)
    most = MAX (most, chart->counts[p]);
  if (most == 0)
    return;
  g_autoptr (GString) heading = g_string_new ("entropies of all ");
  sl_display_count (heading, chart->n_labels);
  g_string_append (heading, " labels, from 0 to ");
  append_real (heading, chart->most_entropy, 2);
  g_string_append (heading, " nats");
  append_heading (out, heading, width);
  double counts[PARTS];
  for (int p = 0; p < PARTS; p++)
    counts[p] = chart->counts[p] > 0 ? chart->counts[p] : NAN;
  sl_chart_columns (out, counts, PARTS, 0, most, MIN (width, PARTS + 12), HEIGHT, color);
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
draw_curve (const char *what, const Line *line, const GArray *sums, double lo, double hi, int width,
            gboolean color, GString *out)
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
      const Line *line = &chart->lines[l];
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
      const Line *line = &chart->lines[l];
      if (line->runs->len > 0)
        draw_curve (accuracy ? "accuracy" : "loss", line, accuracy ? line->accuracy : line->loss,
                    lo, hi, width, color, out);
    }
}

void
sl_table_chart_draw (SlTableChart *chart, int width, gboolean color, GString *out)
{
  width = width > 0 ? MIN (width, WIDEST) : WIDEST;
  if (chart->kind == &sl_predictions)
    draw_reliability (chart, width, color, out);
  else if (chart->kind == &sl_labels)
    draw_certainty (chart, width, color, out);
  else
    {
      draw_training (chart, FALSE, width, color, out);
      draw_training (chart, TRUE, width, color, out);
    }
}
