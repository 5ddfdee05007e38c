/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "intervals.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
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

/* So many blocks of four numbers are drawn together. */
#define BLOCKS 64

/* Lemire's method (ACM TOMACS 29, 2019): a product in place of a remainder, and what would make it
 * uneven is drawn again. */
void
sl_bootstrap_draw (SlRandom *random, const SlScoredItems *items, guint32 *count, double *weight)
{
  guint32 n = (guint32) (items->distinct != NULL ? items->n_distinct : items->n);
  guint32 uneven = n > 0 ? (guint32) -n % n : 0, drawn[4 * BLOCKS];
  memset (count, 0, (gsize) n * sizeof *count);
  for (guint32 i = 0; i < n;)
    {
      guint32 used = MIN (4 * BLOCKS, n - i);
      sl_random_blocks (random, (used + 3) / 4, drawn);
      for (guint32 j = 0; j < used; j++)
        {
          guint64 product = (guint64) drawn[j] * n;
          gboolean even = (guint32) product >= uneven;
          count[product >> 32] += (guint32) even;
          i += (guint32) even;
        }
    }
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

static int
compare_nan_last (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return (x > y) - (x < y);
}

/* Φ (z), from T with many degrees of freedom. */
static double
normal_below (double z)
{
  const double df = 1e6;
  double tail = sl_t_above (fabs (z) + (fabs (z * z * z) + fabs (z)) / (4 * df), df);
  return z < 0 ? tail : 1 - tail;
}

static double
normal_quantile (double p)
{
  return p < 0.5 ? -sl_t_quantile (1 - p, 0) : sl_t_quantile (p, 0);
}

/* The share of VALUE[n], which are sorted, that is below ESTIMATE; half of those that are equal,
 * but for rounding. */
static double
share_below (const double *value, gint64 n, double estimate)
{
  double near = 1e-12 * MAX (fabs (estimate), value[n - 1] - value[0]), below = 0;
  for (gint64 r = 0; r < n && value[r] <= estimate + near; r++)
    below += value[r] < estimate - near ? 1 : 0.5;
  return CLAMP (below / (double) n, 0.5 / (double) n, 1 - 0.5 / (double) n);
}

/* Efron's correction takes the quantiles Φ (2 z0 ± half), where Φ (z0) is the share of resamples
 * below the estimate. If z0 is far from 0 these are a few outermost resamples, or both on one side
 * of the estimate. */
static gboolean
is_too_far (double z0, double half)
{
  return fabs (z0) > MIN (1, half);
}

/* Resamples of fewer items reach no further than the few values that there are. */
#define FEWEST 10

/* Of more items t's quantile is the normal one. */
#define MANY 1000000

/* The normal quantile of LEVEL's ends, wider where items are few. */
static double
half_of (double level, gint64 items)
{
  double n = (double) items;
  return sl_t_quantile (0.5 + level / 2, items > MANY ? 0 : n - 1) * sqrt (n / (n - 1));
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

/* The place among sorted resamples that END, -z or z, is corrected to. */
static double
corrected (double z0, double acceleration, double end)
{
  double to = 1 - acceleration * (z0 + end);
  /* An acceleration so large is of a few items far off: as far as there are resamples. */
  if (!(to > 0))
    return end < 0 ? 0 : 1;
  return normal_below (z0 + (z0 + end) / to);
}

gboolean
sl_bootstrap_interval (double *value, gint64 n, const SlEstimate *estimate, double level,
                       double *lower, double *upper)
{
  qsort (value, (gsize) n, sizeof *value, compare_nan_last);
  while (n > 0 && isnan (value[n - 1]))
    n--;
  *lower = *upper = NAN;
  if (n == 0)
    return FALSE;
  double z0 = normal_quantile (share_below (value, n, estimate->value)), bias = 0;
  double half = half_of (level, estimate->n), acceleration = estimate->acceleration;
  if (is_too_far (z0, half))
    {
      z0 = acceleration = 0;
      for (gint64 r = 0; r < n; r++)
        bias += (value[r] - estimate->value) / (double) n;
    }
  *lower = gsl_stats_quantile_from_sorted_data (value, 1, (gsize) n,
                                                corrected (z0, acceleration, -half))
           - bias;
  *upper = gsl_stats_quantile_from_sorted_data (value, 1, (gsize) n,
                                                corrected (z0, acceleration, half))
           - bias;
  sl_interval_hold (estimate->value, estimate->range, lower, upper);
  return TRUE;
}

void
sl_interval_hold (double value, SlRange range, double *lower, double *upper)
{
  *lower = MIN (CLAMP (*lower, range.least, range.most), value);
  *upper = MAX (CLAMP (*upper, range.least, range.most), value);
}

/* Whether METRIC is the mean of a figure, times or over something. */
static gboolean
is_mean (const SlMetric *metric)
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
  if (is_mean (metric) && x != NULL && !rows)
    estimate.acceleration = mean_acceleration (x, y, a->n);
  return estimate;
}

SlItemInterval
sl_drawn_interval (const SlEstimate *estimate, double *resampled, gint64 resamples, double level,
                   const char *kind)
{
  SlItemInterval interval = { NAN, NAN, "", NULL };
  if (estimate->n < FEWEST)
    interval.reason = "no interval: it is of fewer than 10 items";
  else if (resampled == NULL)
    return interval;
  else if (!sl_bootstrap_interval (resampled, resamples, estimate, level, &interval.lower,
                                   &interval.upper))
    interval.reason = "no interval: no resample has this figure";
  else if (interval.lower == interval.upper)
    interval = (SlItemInterval){ NAN, NAN, "", "no interval: all resamples have the same figure" };
  else
    interval.kind = kind;
  return interval;
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
