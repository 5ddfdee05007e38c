/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "paired.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"
#include "order.h"

#include <math.h>
#include <string.h>

/* So many resamples are one task. */
#define PIECE 16

typedef struct
{
  const SlPair *pair;
  guint64 figures;
  const SlBootstrap *bootstrap;
  guint32 purpose;
  double *value; /* [n_metrics][resamples] */
} Drawing;

double
sl_difference (double a, double b)
{
  return fabs (a - b) <= 1e-13 * MAX (fabs (a), fabs (b)) ? 0 : a - b;
}

/* value[n_metrics] (STRIDE apart) <- the metrics of A less those of B; SHARED[2]. */
static void
differences (const SlPair *pair, const SlScoredItems *a, const SlScoredItems *b,
             const double *weight, SlShared *shared, double *value, gint64 stride)
{
  sl_shared_reset (&shared[0]);
  sl_shared_reset (&shared[1]);
  for (int m = 0; m < pair->n_metrics; m++)
    {
      const SlMetric *metric = pair->metrics[m];
      value[m * stride]
          = sl_difference (metric->value (metric, a, weight, pair->settings, &shared[0]).value,
                           metric->value (metric, b, weight, pair->settings, &shared[1]).value);
    }
}

static void
run_pieces (const Drawing *drawing, void (*piece) (int i, gpointer data))
{
  sl_parallel (drawing->bootstrap->threads,
               (int) ((drawing->bootstrap->resamples + PIECE - 1) / PIECE), piece,
               (gpointer) drawing);
}

/* ---- the bootstrap ---- */

static void
bootstrap_piece (int piece, gpointer data)
{
  const Drawing *d = data;
  const SlPair *pair = d->pair;
  gint64 first = (gint64) piece * PIECE, end = MIN (first + PIECE, d->bootstrap->resamples);
  gint64 n = pair->a->n;
  g_autofree double *weight = g_new (double, MAX (n, 1));
  g_autofree guint32 *count = g_new (guint32, MAX (n, 1));
  SlShared shared[2] = { 0 };
  for (gint64 r = first; r < end; r++)
    {
      SlRandom random
          = sl_random (d->bootstrap->seed, d->purpose, d->bootstrap->key, 0, (guint32) r);
      sl_bootstrap_draw (&random, pair->a, count, weight);
      differences (pair, pair->a, pair->b, weight, shared, d->value + r, d->bootstrap->resamples);
    }
  sl_shared_clear (&shared[0]);
  sl_shared_clear (&shared[1]);
}

void
sl_paired_bootstrap (const SlPair *pair, const SlBootstrap *bootstrap, double *value)
{
  const Drawing drawing = { pair, 0, bootstrap, sl_random_purpose ("compare: bootstrap"), value };
  run_pieces (&drawing, bootstrap_piece);
}

/* Of shares: items that one side alone is right about, and one more of each kind (Bonett & Price,
 * J. Educational and Behavioral Statistics 37, 2012). FALSE: the sides are of different items. */
static gboolean
share_difference (const double *a, const double *b, gint64 n, double z, double *lower,
                  double *upper)
{
  double items = 2, first = 1, second = 1;
  for (gint64 i = 0; i < n; i++)
    {
      if (isnan (a[i]) != isnan (b[i]))
        return FALSE;
      items += !isnan (a[i]);
      first += a[i] > b[i];
      second += b[i] > a[i];
    }
  double mean = (first - second) / items;
  double half = z * sqrt (((first + second) / items - mean * mean) / items);
  *lower = mean - half;
  *upper = mean + half;
  return items > 2;
}

SlItemInterval
sl_paired_interval (const SlPair *pair, int m, SlMetricValue value, double *resampled,
                    gint64 resamples, double level)
{
  const SlMetric *metric = pair->metrics[m];
  SlItemInterval interval = { NAN, NAN, "", metric->no_interval };
  if (metric->formula == &sl_formula_debiased)
    interval.reason = "no interval: that of a difference of calibration errors does not cover it";
  if (interval.reason != NULL)
    return interval;
  if (metric->formula == &sl_formula_wilson
      && share_difference (pair->a->column[metric->figure], pair->b->column[metric->figure],
                           pair->a->n, sl_t_quantile (0.5 + level / 2, 0), &interval.lower,
                           &interval.upper))
    {
      static const SlRange range = { -1, 1 };
      sl_interval_hold (value.value, range, &interval.lower, &interval.upper);
      interval.kind = "Bonett and Price over items";
      return interval;
    }
  const SlEstimate estimate = sl_estimate (metric, pair->a, pair->b, value);
  return sl_drawn_interval (&estimate, resampled, resamples, level, "paired bootstrap over items");
}

/* ---- the permutation test ---- */

/* One side after items have changed sides. */
typedef struct
{
  SlScoredItems items;
  double *column[SL_N_FIGURES];
  double *prob;
  gint32 *order;
} Side;

static void
side_init (Side *side, const Drawing *drawing)
{
  const SlScoredItems *a = drawing->pair->a;
  gsize n = (gsize) MAX (a->n, 1);
  memset (side, 0, sizeof *side);
  for (int f = 0; f < SL_N_FIGURES; f++)
    if (drawing->figures & SL_FIGURE_BIT (f))
      side->column[f] = g_new (double, n);
  side->prob = a->prob != NULL ? g_new (double, n *(gsize) a->n_classes) : NULL;
  side->order = a->order != NULL ? g_new (gint32, n) : NULL;
}

static void
side_clear (Side *side)
{
  for (int f = 0; f < SL_N_FIGURES; f++)
    g_free (side->column[f]);
  g_free (side->prob);
  g_free (side->order);
}

/* SIDE has item i of A, or where other[i] of B. */
static void
fill (Side *side, const SlScoredItems *a, const SlScoredItems *b, const guint8 *other)
{
  gsize n = (gsize) a->n, k = (gsize) a->n_classes;
  side->items = *a;
  for (int f = 0; f < SL_N_FIGURES; f++)
    {
      side->items.column[f] = side->column[f];
      if (side->column[f] != NULL)
        for (gsize i = 0; i < n; i++)
          side->column[f][i] = other[i] ? b->column[f][i] : a->column[f][i];
    }
  if (side->prob != NULL)
    for (gsize i = 0; i < n; i++)
      memcpy (side->prob + i * k, (other[i] ? b : a)->prob + i * k, k * sizeof (double));
  side->items.prob = side->prob;
  if (side->order != NULL)
    sl_order_by (side->column[SL_FIGURE_CONFIDENCE], (gint32) n, side->order);
  side->items.order = side->order;
}

static void
permutation_piece (int piece, gpointer data)
{
  const Drawing *d = data;
  const SlPair *pair = d->pair;
  gint64 first = (gint64) piece * PIECE, end = MIN (first + PIECE, d->bootstrap->resamples);
  gsize n = (gsize) pair->a->n;
  /* Weights of 1, so that metrics look at the items and not at their sums. */
  g_autofree double *one = g_new (double, MAX (n, 1));
  g_autofree guint8 *other = g_new (guint8, MAX (n, 1));
  Side a, b;
  SlShared shared[2] = { 0 };
  side_init (&a, d);
  side_init (&b, d);
  for (gsize i = 0; i < n; i++)
    one[i] = 1;
  for (gint64 r = first; r < end; r++)
    {
      SlRandom random
          = sl_random (d->bootstrap->seed, d->purpose, d->bootstrap->key, 0, (guint32) r);
      guint32 coins = 0;
      for (gsize i = 0; i < n; i++, coins >>= 1)
        {
          coins = i % 32 == 0 ? sl_random_u32 (&random) : coins;
          other[i] = coins & 1;
        }
      fill (&a, pair->a, pair->b, other);
      fill (&b, pair->b, pair->a, other);
      differences (pair, &a.items, &b.items, one, shared, d->value + r, d->bootstrap->resamples);
    }
  sl_shared_clear (&shared[0]);
  sl_shared_clear (&shared[1]);
  side_clear (&a);
  side_clear (&b);
}

void
sl_permutation_test (const SlPair *pair, guint64 figures, const SlBootstrap *bootstrap, double *p)
{
  gint64 resamples = bootstrap->resamples;
  g_autofree double *value = g_new (double, (gsize) pair->n_metrics *(gsize) resamples);
  const Drawing drawing
      = { pair, figures, bootstrap, sl_random_purpose ("compare: permutation"), value };
  run_pieces (&drawing, permutation_piece);
  SlShared shared[2] = { 0 };
  differences (pair, pair->a, pair->b, NULL, shared, p, 1);
  sl_shared_clear (&shared[0]);
  sl_shared_clear (&shared[1]);
  for (int m = 0; m < pair->n_metrics; m++)
    {
      double found = fabs (p[m]), as_far = 0;
      /* What is equal but for rounding is as far. */
      for (gint64 r = 0; r < resamples; r++)
        as_far += fabs (value[m * resamples + r]) >= found * (1 - 1e-9) - 1e-12;
      p[m] = isnan (found) ? found : (1 + as_far) / (double) (1 + resamples);
    }
}

gsize
sl_permutation_bytes (const SlPair *pair, guint64 figures, const SlBootstrap *bootstrap)
{
  const SlScoredItems *a = pair->a;
  gsize row = a->prob != NULL ? (gsize) a->n_classes * sizeof (double) : 0;
  for (int f = 0; f < SL_N_FIGURES; f++)
    row += figures & SL_FIGURE_BIT (f) ? sizeof (double) : 0;
  row += a->order != NULL ? sl_order_bytes () : 0;
  /* Two sides, which of them each item is on, and weights. */
  return (gsize) bootstrap->threads * (gsize) a->n * (2 * row + 1 + sizeof (double))
         + (gsize) pair->n_metrics * (gsize) bootstrap->resamples * sizeof (double);
}
