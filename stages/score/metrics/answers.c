/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions of single annotators' answers, as the shared task of 2025 scores them (LeWiDi at
 * NLPerspectives): each item's mean over its annotators, then the mean over items. */
#include "metrics.h"

#include <math.h>

/* The mean over items of the mean over their answers of DISTANCE; with ROUNDED, each item's rounded
 * to 5 decimals. */
static SlMetricValue
mean_over_items (const SlScoredItems *items, const double *weight, const double *value,
                 gboolean rounded)
{
  const double *item = items->column[SL_FIGURE_ITEM], *class = items->column[SL_FIGURE_CLASS];
  const double *answer = items->column[SL_FIGURE_ANSWER];
  gsize most = 0;
  for (gint64 i = 0; i < items->n; i++)
    most = MAX (most, (gsize) item[i] + 1);
  g_autofree double *sum = g_new0 (double, most + 1), *count = g_new0 (double, most + 1);
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = isnan (class[i]) ? 0 : weight != NULL ? weight[i] : 1;
      if (!(w > 0))
        continue;
      gint32 a = (gint32) class[i], b = (gint32) answer[i];
      sum[(gsize) item[i]] += w * (value != NULL ? fabs (value[a] - value[b]) : a != b);
      count[(gsize) item[i]] += w;
    }
  double whole = 0, n = 0;
  for (gsize i = 0; i < most; i++)
    if (count[i] > 0)
      {
        double mean = sum[i] / count[i];
        whole += rounded ? rint (mean * 1e5) / 1e5 : mean;
        n += 1;
      }
  if (!(n > 0))
    return (SlMetricValue){ NAN, 0, "no annotator's answer is known" };
  return (SlMetricValue){ whole / n, n, NULL };
}

SL_METRIC_FUNCTION (sl_metric_error_rate)
{
  SlMetricValue value = mean_over_items (items, weight, NULL, TRUE);
  value.value = rint (value.value * 1e5) / 1e5;
  return value;
}

SL_METRIC_FUNCTION (sl_metric_absolute_distance)
{
  if (settings->class_value == NULL)
    return (SlMetricValue){ NAN, 0, "the classes are no numbers" };
  SlMetricValue value = mean_over_items (items, weight, settings->class_value, FALSE);
  value.value /= settings->scale;
  return value;
}
