/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "intervals.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"

#include <math.h>
#include <string.h>

SlRunSpread
sl_spread (const double *value, gint64 n, SlInterval interval, double level)
{
  SlRunSpread spread = { 0, NAN, NAN, NAN };
  double squares = 0;
  for (gint64 i = 0; i < n; i++)
    spread.mean += value[i] / (double) n;
  for (gint64 i = 0; i < n; i++)
    squares += (value[i] - spread.mean) * (value[i] - spread.mean);
  if (n < 2)
    return spread;
  spread.sd = sqrt (squares / (double) (n - 1));
  double quantile
      = sl_t_quantile (0.5 + level / 2, interval == SL_INTERVAL_NORMAL ? 0 : (double) (n - 1));
  double half = quantile * spread.sd / sqrt ((double) n);
  spread.lower = spread.mean - half;
  spread.upper = spread.mean + half;
  return spread;
}

/* ---- bootstrap ---- */

/* So many resamples are one task. */
#define PIECE 16

typedef struct
{
  const SlScoredItems *items;
  const SlMetric *const *metrics;
  int n_metrics;
  const SlMetricSettings *settings;
  const SlBootstrap *bootstrap;
  guint32 purpose;
  double *value;
} Drawing;

void
sl_bootstrap_draw (SlRandom *random, const SlScoredItems *items, guint32 *count, double *weight)
{
  sl_draw_counts (random, (guint32) (items->distinct != NULL ? items->n_distinct : items->n),
                  count);
  for (gint64 i = 0; i < items->n; i++)
    weight[i] = count[items->distinct != NULL ? items->distinct[i] : i];
}

static void
draw_piece (int piece, gpointer data)
{
  const Drawing *d = data;
  gint64 first = (gint64) piece * PIECE, end = MIN (first + PIECE, d->bootstrap->resamples);
  g_autofree double *weight = g_new (double, MAX (d->items->n, 1));
  g_autofree guint32 *count = g_new (guint32, MAX (d->items->n, 1));
  SlShared shared = { 0 };
  for (gint64 r = first; r < end; r++)
    {
      SlRandom random
          = sl_random (d->bootstrap->seed, d->purpose, d->bootstrap->key, 0, (guint32) r);
      sl_bootstrap_draw (&random, d->items, count, weight);
      sl_shared_reset (&shared);
      for (int m = 0; m < d->n_metrics; m++)
        d->value[m * d->bootstrap->resamples + r]
            = d->metrics[m]->value (d->metrics[m], d->items, weight, d->settings, &shared).value;
    }
  sl_shared_clear (&shared);
}

void
sl_bootstrap_items (const SlScoredItems *items, const SlMetric *const *metrics, int n_metrics,
                    const SlMetricSettings *settings, const SlBootstrap *bootstrap, double *value)
{
  Drawing drawing = { items,    metrics,   n_metrics,
                      settings, bootstrap, sl_random_purpose ("score: bootstrap of items"),
                      value };
  sl_parallel (bootstrap->threads, (int) ((bootstrap->resamples + PIECE - 1) / PIECE), draw_piece,
               &drawing);
}

gsize
sl_bootstrap_bytes (const SlScoredItems *items, const SlBootstrap *bootstrap)
{
  gsize bins
      = items->bins != NULL ? (gsize) items->n_classes * ((gsize) items->bins->n_bins + 1) : 0;
  return (gsize) bootstrap->threads
         * ((gsize) items->n * (sizeof (double) + sizeof (guint32)) + bins * sizeof (SlClassBin));
}

void
sl_bootstrap_runs (const double *run, gint64 n, const SlBootstrap *bootstrap, double *value)
{
  guint32 purpose = sl_random_purpose ("score: bootstrap of runs");
  for (gint64 r = 0; r < bootstrap->resamples; r++)
    {
      SlRandom random = sl_random (bootstrap->seed, purpose, bootstrap->key, 0, (guint32) r);
      double sum = 0;
      for (gint64 i = 0; i < n; i++)
        sum += run[sl_random_below (&random, (guint64) n)];
      value[r] = sum / (double) n;
    }
}

static double
difference_of (const double *a, const double *b, gint64 i)
{
  return b != NULL ? a[i] - b[i] : a[i];
}

/* The acceleration of the mean of X, of A less B where B is not NULL: a sixth of its skewness. NaN
 * in it are left out. */
static double
mean_acceleration (const double *a, const double *b, gint64 n)
{
  double mean = 0, count = 0, squares = 0, cubes = 0;
  for (gint64 i = 0; i < n; i++)
    {
      double x = difference_of (a, b, i);
      mean += isfinite (x) ? x : 0;
      count += isfinite (x);
    }
  mean /= count;
  for (gint64 i = 0; i < n; i++)
    {
      double x = difference_of (a, b, i) - mean;
      if (!isfinite (x))
        continue;
      squares += x * x;
      cubes += x * x * x;
    }
  return squares > 0 ? cubes / (6 * squares * sqrt (squares)) : 0;
}

gboolean
sl_metric_is_mean (const SlMetric *metric)
{
  return metric->value == sl_metric_mean || metric->value == sl_metric_mean_by_class
         || metric->value == sl_metric_mean_by_log || metric->value == sl_metric_rounded_mean;
}

SlEstimate
sl_estimate (const SlMetric *metric, const SlScoredItems *a, const SlScoredItems *b,
             SlMetricValue value)
{
  static const SlRange any = { -INFINITY, INFINITY };
  gboolean rows = a->distinct != NULL;
  SlEstimate estimate = { value.value, b != NULL ? any : sl_metric_range (metric),
                          rows ? a->n_distinct : (gint64) value.n, 0 };
  const double *x = a->column[metric->figure], *y = b != NULL ? b->column[metric->figure] : NULL;
  if (sl_metric_is_mean (metric) && x != NULL && !rows)
    estimate.acceleration = mean_acceleration (x, y, a->n);
  return estimate;
}

/* ---- of one run ---- */

gboolean
sl_metric_is_drawn (const SlMetric *metric, const SlScoredItems *items, gboolean all)
{
  return metric->no_interval == NULL && (all || metric->formula == NULL || items->distinct != NULL);
}

SlItemInterval
sl_item_interval (const SlMetric *metric, const SlScoredItems *items,
                  const SlMetricSettings *settings, SlShared *shared, SlMetricValue value,
                  double *resampled, gint64 resamples, double level, gboolean all)
{
  const SlFormula *formula = metric->formula;
  SlItemInterval interval = { NAN, NAN, "", metric->no_interval };
  if (interval.reason != NULL)
    return interval;
  if (sl_metric_is_drawn (metric, items, all))
    {
      const SlEstimate estimate = sl_estimate (metric, items, NULL, value);
      return sl_drawn_interval (&estimate, resampled, resamples, level, "bootstrap over items");
    }
  if (!formula->find (metric, items, settings, shared, level, &interval.lower, &interval.upper))
    return interval;
  interval.kind = formula->name;
  sl_interval_hold (value.value, sl_metric_range (metric), &interval.lower, &interval.upper);
  return interval;
}
