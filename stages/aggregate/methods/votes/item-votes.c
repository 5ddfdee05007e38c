/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels of an item's own votes. */
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>
#include <string.h>

/* Mean: P = (1/M) Σ_m p^m over an item's M annotators (Collins, Bhatt & Weller, HCOMP 2022,
 * section 3).
 * Counts: p_k = d_k / Σ_j d_j (Peterson et al., ICCV 2019; Uma et al., HCOMP 2020, equation 3).
 * They differ in what they divide by: the mean keeps a label's rounding error, the share of votes
 * sums to 1. */

void
sl_label_mean (const SlItems *items, const SlMethodSettings *settings)
{
  double *p = items->label; /* p[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, p += items->n_classes)
    for (gint32 k = 0; k < items->n_classes; k++)
      p[k] /= items->weight[i];
}

void
sl_label_counts (const SlItems *items, const SlMethodSettings *settings)
{
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double sum = 0;
      for (gint32 k = 0; k < items->n_classes; k++)
        sum += d[k];
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] /= sum;
    }
}

/* Softmax of the counts: p_k = exp (d_k / T) / Σ_j exp (d_j / T) (Uma et al., HCOMP 2020,
 * equation 4, where T = 1). Rounded to N digits after the point, as the code released with that
 * article rounds to 8, halves to the even one; if a label then misses 1 by more than a label may,
 * it is divided by its sum, and one of which nothing would be left is not rounded. */

#define LABEL_TOLERANCE 1e-6 /* schemas/labels.h */

static void
round_label (double *p, gint32 n_classes, gint64 digits)
{
  double unit = 1, sum = 0;
  for (gint64 i = 0; i < digits; i++)
    unit *= 10;
  for (gint32 k = 0; k < n_classes; k++)
    sum += rint (p[k] * unit) / unit;
  for (gint32 k = 0; k < n_classes && sum > 0; k++)
    p[k] = rint (p[k] * unit) / unit / (fabs (sum - 1) > LABEL_TOLERANCE ? sum : 1);
}

SL_VECTORS void
sl_label_softmax (const SlItems *items, const SlMethodSettings *settings)
{
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double most = d[0], sum = 0;
      for (gint32 k = 1; k < items->n_classes; k++)
        most = d[k] > most ? d[k] : most;
      /* With the maximum taken off, no exponential overflows and the largest is 1, so the sum is
       * never 0. */
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] = (d[k] - most) / settings->temperature;
      sl_exp_row (d, (gsize) items->n_classes);
      for (gint32 k = 0; k < items->n_classes; k++)
        sum += d[k];
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] /= sum;
      if (settings->digits > 0)
        round_label (d, items->n_classes, settings->digits);
    }
}

/* Majority: all mass on argmax_k d_k; what becomes of a tie is the caller's choice. */

/* Sums of fractions that are equal on paper differ by rounding errors; whole votes differ by 1. */
#define SAME (1 - 1e-12)

/* The N-th of the classes with at least LEAST of d[n_classes]. */
static gint32
tied_class (const double *d, gint32 n_classes, double least, gint32 n)
{
  gint32 k = 0;
  while (k < n_classes - 1 && (d[k] < least || n-- > 0))
    k++;
  return k;
}

static void
label_one (double *d, gint32 n_classes, SlTies ties, SlRandom random)
{
  double most = d[0];
  gint32 n_tied = 0;
  for (gint32 k = 1; k < n_classes; k++)
    most = d[k] > most ? d[k] : most;
  for (gint32 k = 0; k < n_classes; k++)
    n_tied += d[k] >= most * SAME;
  gboolean share = ties == SL_TIES_UNIFORM;
  guint64 n
      = ties == SL_TIES_RANDOM && n_tied > 1 ? sl_random_below (&random, (guint64) n_tied) : 0;
  gint32 winner = tied_class (d, n_classes, most * SAME, (gint32) n);
  for (gint32 k = 0; k < n_classes; k++)
    if (share)
      d[k] = d[k] >= most * SAME ? 1.0 / n_tied : 0;
    else
      d[k] = k == winner;
}

void
sl_label_majority (const SlItems *items, const SlMethodSettings *settings)
{
  double *d = items->label; /* d[n_items][n_classes] */
  guint32 purpose = sl_random_purpose ("aggregate: ties");
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      guint64 key = items->key != NULL ? items->key[i] : 0;
      label_one (d, items->n_classes, settings->ties,
                 sl_random (settings->seed, purpose, key, 0, 0));
    }
}

/* Two thirds: all mass on argmax_k d_k where it has two thirds of the votes, which are two or
 * more; else no label, and the item is left out (as peerannot's TwoThird, which says -1). */

void
sl_label_two_thirds (const SlItems *items, const SlMethodSettings *settings)
{
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double sum = 0;
      gint32 top = 0;
      for (gint32 k = 0; k < items->n_classes; k++)
        {
          sum += d[k];
          top = d[k] > d[top] ? k : top;
        }
      /* Sums of fractions that are equal on paper differ by rounding errors. */
      gboolean agreed = items->weight[i] >= 2 && 3 * d[top] >= 2 * sum * (1 - 1e-12);
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] = agreed ? k == top : NAN;
    }
}

/* Median: all mass on the first class up to which there is more than half of the votes; where just
 * half are below a class, half of it each on the two that are in the middle. */

void
sl_label_median (const SlItems *items, const SlMethodSettings *settings)
{
  (void) settings;
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double sum = 0, below = 0;
      gint32 low = 0, high;
      for (gint32 k = 0; k < items->n_classes; k++)
        sum += d[k];
      while (low < items->n_classes - 1 && (below += d[low]) < sum / 2 * SAME)
        low++;
      high = low;
      if (below <= sum / 2 / SAME)
        while (high < items->n_classes - 1 && (high == low || !(d[high] > 0)))
          high++;
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] = (k == low) / 2.0 + (k == high) / 2.0;
    }
}

/* Category: every item of gold class c gets C_c = Σ_{i: gold_i = c} p_i, made to sum to 1, where
 * p_i is item i's share of votes: each item counts the same, however many annotators it had
 * (Peterson et al., ICCV 2019, section 6.2). */

void
sl_label_category (const SlItems *items, const SlMethodSettings *settings)
{
  gsize n_classes = (gsize) items->n_classes;
  /* category[gold][n_classes] */
  g_autofree double *category = g_new0 (double, n_classes *n_classes);
  sl_label_counts (items, settings);
  for (gint32 i = 0; i < items->n_items; i++)
    {
      const double *p = items->label + (gsize) i * n_classes;
      double *sum = category + (gsize) items->gold[i] * n_classes;
      for (gsize k = 0; k < n_classes; k++)
        sum[k] += p[k];
    }
  SlItems categories = { items->n_classes, items->n_classes, category, NULL, NULL, NULL };
  /* A class without items becomes 0/0, and is not used. */
  sl_label_counts (&categories, settings);
  for (gint32 i = 0; i < items->n_items; i++)
    memcpy (items->label + (gsize) i * n_classes, category + (gsize) items->gold[i] * n_classes,
            n_classes * sizeof (double));
}
