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

/* The mean of a Poisson distribution that has X or more with probability TAIL. */
static double
poisson_mean (int x, double tail)
{
  double least = 0, most = 2 * x + 1;
  for (int i = 0; i < 100; i++)
    {
      double mean = 0.5 * (least + most), term = sl_exp (-mean), below = 0;
      for (int j = 0; j < x; j++, term *= mean / j)
        below += term;
      *(1 - below < tail ? &least : &most) = mean;
    }
  return least;
}

/* Where Wilson's interval of X of N (JASA 22, 1927) begins. Of one, two or three it would begin so
 * high that it misses rare things too often; there it begins where Poisson's does (Brown, Cai &
 * DasGupta, Statistical Science 16, 2001). */
static double
wilson_lower (double x, double n, double z, double level)
{
  double share = x / n, z2 = z * z / n;
  double half = z * sqrt (share * (1 - share) / n + z2 / (4 * n));
  if (x >= 1 && x <= (n > 50 ? 3 : 2))
    return poisson_mean ((int) x, 1 - level) / n;
  return MAX ((share + z2 / 2 - half) / (1 + z2), 0);
}

static gboolean
wilson (const SlMetric *metric, const SlScoredItems *items, const SlMetricSettings *settings,
        SlShared *shared, double level, double *lower, double *upper)
{
  double n = (double) items->count[metric->figure], x = items->sum[metric->figure];
  double z = sl_t_quantile (0.5 + level / 2, 0);
  *lower = wilson_lower (x, n, z, level);
  *upper = 1 - wilson_lower (n - x, n, z, level);
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
