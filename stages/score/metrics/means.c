/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means of what is said of each item. */
#include "intervals.h"

#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"

#include <math.h>

/* So many sums run side by side, each of every so many-th item; they are added in one order. */
#define SUMS 4

/* The weighed sum of X over the items that have it, and their weights'. */
SL_VECTORS static double
weigh (const double *x, const double *weight, gint64 n, double *count)
{
  const SlVector zero = sl_vector (0);
  SlVector sum[SUMS] = { zero, zero, zero, zero }, of[SUMS] = { zero, zero, zero, zero };
  gint64 i = 0;
  for (; i + 4 * SUMS <= n; i += 4 * SUMS)
    for (int s = 0; s < SUMS; s++)
      {
        SlVector value = sl_vector_load (x + i + 4 * s);
        SlVector w = sl_vector_select (value == value, sl_vector_load (weight + i + 4 * s), zero);
        /* What is not drawn may be infinite. */
        sum[s] += sl_vector_select (w > 0.0, w * value, zero);
        of[s] += w;
      }
  double whole = sl_vector_sum ((sum[0] + sum[2]) + (sum[1] + sum[3]));
  *count = sl_vector_sum ((of[0] + of[2]) + (of[1] + of[3]));
  for (; i < n; i++)
    {
      double w = isnan (x[i]) ? 0 : weight[i];
      whole += w > 0 ? w * x[i] : 0;
      *count += w;
    }
  return whole;
}

static SlMetricValue
mean (SlFigure figure, const SlScoredItems *items, const double *weight)
{
  double n = (double) items->count[figure], sum = items->sum[figure];
  if (weight != NULL)
    sum = weigh (items->column[figure], weight, items->n, &n);
  if (n == 0)
    return (SlMetricValue){ NAN, 0,
                            items->n == 0 ? "there are no items" : "no item has this figure" };
  if (!isfinite (sum))
    return (SlMetricValue){ NAN, n,
                            "infinite: a class that is the target has probability 0; --clip 1e-12 "
                            "gives a figure" };
  return (SlMetricValue){ sum / n, n, NULL };
}

SL_METRIC_FUNCTION (sl_metric_mean)
{
  SlMetricValue value = mean (metric->figure, items, weight);
  value.value *= metric->factor != 0 ? metric->factor : 1;
  return value;
}

static gboolean
wilson (const SlMetric *metric, const SlScoredItems *items, const SlMetricSettings *settings,
        SlShared *shared, double level, double *lower, double *upper)
{
  double n = (double) items->count[metric->figure], x = items->sum[metric->figure];
  if (n > 0)
    sl_wilson (x, n, level, lower, upper);
  return n > 0;
}

const SlFormula sl_formula_wilson = { "Wilson over items", wilson };

SL_METRIC_FUNCTION (sl_metric_mean_by_class)
{
  SlMetricValue value = mean (metric->figure, items, weight);
  value.value /= items->n_classes;
  return value;
}

SL_METRIC_FUNCTION (sl_metric_mean_by_log)
{
  if (items->n_classes < 2)
    return (SlMetricValue){ NAN, 0, "there is one class alone" };
  SlMetricValue value = mean (metric->figure, items, weight);
  value.value /= sl_log (items->n_classes);
  return value;
}

SL_METRIC_FUNCTION (sl_metric_rounded_mean)
{
  SlMetricValue value = mean (metric->figure, items, weight);
  value.value = rint (value.value * 1e5) / 1e5;
  return value;
}

SL_METRIC_FUNCTION (sl_metric_greatest)
{
  const double *x = items->column[metric->figure];
  double most = NAN, n = 0;
  for (gint64 i = 0; i < items->n; i++)
    if (!isnan (x[i]) && (weight == NULL || weight[i] > 0))
      {
        most = !(most >= x[i]) ? x[i] : most;
        n += weight == NULL ? 1 : weight[i];
      }
  return (SlMetricValue){ most, n, n > 0 ? NULL : "there are no items" };
}
