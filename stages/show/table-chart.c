/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-chart-private.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/real-math.h"
#include "schemas/labels.h"
#include "schemas/log.h"
#include "schemas/predictions.h"

#include <math.h>
#include <string.h>

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
      int part
          = (int) CLAMP (entropy / chart->most_entropy * SL_CHART_PARTS, 0, SL_CHART_PARTS - 1);
      chart->counts[part]++;
      chart->n_labels++;
    }
}

/* The line of the split NAME; NULL where there are too many. */
static SlChartLine *
find_line (SlTableChart *chart, const char *name, gsize length)
{
  for (int l = 0; l < chart->n_lines; l++)
    if (strlen (chart->lines[l].name) == length && memcmp (chart->lines[l].name, name, length) == 0)
      return &chart->lines[l];
  if (chart->n_lines == SL_CHART_LINES)
    return NULL;
  SlChartLine *line = &chart->lines[chart->n_lines++];
  *line = (SlChartLine){ g_strndup (name, length), g_array_new (FALSE, TRUE, sizeof (double)),
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
      SlChartLine *line = find_line (chart, split, length);
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
