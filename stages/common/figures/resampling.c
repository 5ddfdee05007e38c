/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resampling.h"

#include "chances.h"
#include "pipeline/base/texts.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many blocks of four numbers are drawn together. */
#define BLOCKS 64

/* Lemire's method (ACM TOMACS 29, 2019): a product in place of a remainder, and what would make it
 * uneven is drawn again. */
void
sl_draw_counts (SlRandom *random, guint32 n, guint32 *count)
{
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
}

static int
compare_nan_last (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return SL_COMPARE (x, y);
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
