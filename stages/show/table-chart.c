/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/largest.h"
#include "pipeline/base/real-math.h"
#include "pipeline/display/charts.h"
#include "pipeline/display/terminal.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/figures/vote-figures.h"
#include "table-chart.h"

#include <math.h>
#include <string.h>

#define CHART_PARTS 48
#define CHART_LINES 6

/* A split of the log: sums over runs by epoch. */
typedef struct
{
  char *name;
  GArray *loss, *accuracy, *runs; /* double */
} ChartLine;

struct _SlTableChart
{
  const SlKind *kind;
  SlReliability bins;
  gint64 unknown;             /* predictions without gold */
  double counts[CHART_PARTS]; /* labels by their entropies */
  double most_entropy;
  gint64 n_labels;
  ChartLine lines[CHART_LINES];
  int n_lines;
};

#define WIDEST 72 /* of a chart, however wide the terminal */
#define HEIGHT 4

static void
append_real (GString *out, double value, int decimals)
{
  char format[8], digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_string_append (out, g_ascii_formatd (digits, sizeof digits, format, value));
}

/* TEXT in lines of its own, after an empty one; as wide as the terminal (0: no limit), however
 * narrow the chart. */
static void
append_heading (GString *out, const GString *text, int width)
{
  g_string_append_c (out, '\n');
  sl_display_wrap (out, text->str, 2, width > 0 ? width : G_MAXINT);
  g_string_append_c (out, '\n');
}

static int
chart_width (int width)
{
  return width > 0 ? MIN (width, WIDEST) : WIDEST;
}

/* Characters of the largest part's count. */
static int
digits_of (const SlReliability *bins)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize most = 0;
  for (int b = 0; b < bins->n; b++)
    {
      g_string_truncate (text, 0);
      sl_display_count (text, bins->count[b]);
      most = MAX (most, text->len);
    }
  return (int) most;
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
  int bar = MAX (chart_width (width) - 18 - digits_of (bins), 4);
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
  sl_display_wrap (out, legend->str, 2, width > 0 ? width : G_MAXINT);
  g_string_append_c (out, '\n');
  return TRUE;
}

static gboolean
draw_certainty (const SlTableChart *chart, int width, gboolean color, GString *out)
{
  double most = 0;
  for (int p = 0; p < CHART_PARTS; p++)
    most = MAX (most, chart->counts[p]);
  if (most == 0)
    return FALSE;
  g_autoptr (GString) heading = g_string_new ("entropies of all ");
  sl_display_count (heading, chart->n_labels);
  g_string_append (heading, " labels, from 0 to ");
  append_real (heading, chart->most_entropy, 2);
  g_string_append (heading, " nats");
  append_heading (out, heading, width);
  double counts[CHART_PARTS];
  for (int p = 0; p < CHART_PARTS; p++)
    counts[p] = chart->counts[p] > 0 ? chart->counts[p] : NAN;
  int across = MIN (chart_width (width), CHART_PARTS + 12);
  sl_chart_columns (out, counts, CHART_PARTS, 0, most, across, HEIGHT, color);
  g_autoptr (GString) end = g_string_new (NULL);
  append_real (end, chart->most_entropy, 2);
  sl_chart_axis (out, CHART_PARTS, 0, most, across, "0", end->str);
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
draw_curve (const char *what, const ChartLine *line, const GArray *sums, double lo, double hi,
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
  sl_chart_columns (out, means, sums->len, lo, hi, chart_width (width), HEIGHT, color);
  g_autofree char *last = g_strdup_printf ("%u", sums->len);
  sl_chart_axis (out, sums->len, lo, hi, chart_width (width), "1", last);
}

/* Loss, then accuracy; all splits on the same scale. */
static void
draw_training (const SlTableChart *chart, gboolean accuracy, int width, gboolean color,
               GString *out)
{
  double lo = G_MAXDOUBLE, hi = -G_MAXDOUBLE;
  for (int l = 0; l < chart->n_lines; l++)
    {
      const ChartLine *line = &chart->lines[l];
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
      const ChartLine *line = &chart->lines[l];
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
  return chart->kind == &sl_predictions ? draw_reliability (chart, width, color, out)
         : chart->kind == &sl_labels    ? draw_certainty (chart, width, color, out)
                                        : draw_log (chart, width, color, out);
}

#define BINS 10
#define MOST_EPOCHS 100000 /* later ones are not drawn */

/* Why there is no chart of TABLE; NULL where there is one. */
static const char *
find_reason (const SlTable *table)
{
  if (table->kind == &sl_predictions && !sl_table_has (table, SL_PREDICTIONS_GOLD))
    return "these predictions have no gold; `softlabel join --columns gold` brings it";
  if (sl_predictions_are_changed (table)
      || (table->kind == &sl_predictions && sl_table_has (table, SL_PREDICTIONS_ANNOTATOR)))
    return "these predictions are of attacked or corrupted examples, or of single annotators; "
           "`softlabel score` and `softlabel report` tell how reliable they are";
  if (table->kind == &sl_labels && table->n_classes < 2)
    return "there is no uncertainty about one class";
  if (table->kind == &sl_training_log && sl_table_has (table, SL_LOG_GRID))
    return "the log is of several options that were tried; `softlabel report` draws it";
  if (table->kind != &sl_predictions && table->kind != &sl_labels
      && table->kind != &sl_training_log)
    return "there are charts of predictions with gold, of labels and of logs of training; "
           "`softlabel report` draws tables of every kind";
  return NULL;
}

const char *
sl_table_chart_missing (const SlTable *table)
{
  const char *reason = find_reason (table);
  if (reason != NULL)
    return reason;
  return table->kind == &sl_predictions ? "no prediction among the rows has gold"
                                        : "there are no rows";
}

SlTableChart *
sl_table_chart_new (const SlTable *table)
{
  if (find_reason (table) != NULL)
    return NULL;
  gboolean labels = table->kind == &sl_labels;
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
      int part = (int) CLAMP (entropy / chart->most_entropy * CHART_PARTS, 0, CHART_PARTS - 1);
      chart->counts[part]++;
      chart->n_labels++;
    }
}

/* The line of the split NAME; NULL where there are too many. */
static ChartLine *
find_line (SlTableChart *chart, const char *name, gsize length)
{
  for (int l = 0; l < chart->n_lines; l++)
    if (strlen (chart->lines[l].name) == length && memcmp (chart->lines[l].name, name, length) == 0)
      return &chart->lines[l];
  if (chart->n_lines == CHART_LINES)
    return NULL;
  ChartLine *line = &chart->lines[chart->n_lines++];
  *line = (ChartLine){ g_strndup (name, length), g_array_new (FALSE, TRUE, sizeof (double)),
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
      ChartLine *line = find_line (chart, split, length);
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
