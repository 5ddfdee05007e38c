/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure of each class, and how often right: sums in bins of equal width, class by class. They
 * are added up as items pass. */
#pragma once

#include <glib.h>

#include <math.h>

typedef struct
{
  double n, prob, target, squares; /* items; sums of p_k, t_k and t_k² */
} SlClassBin;

typedef struct
{
  gint32 n_classes, n_bins;
  gboolean right;   /* bins are (lo, hi]; else [lo, hi), and 1 is in the last */
  gboolean own_one; /* 1 has a bin of its own: then there are n_bins + 1 */
  SlClassBin *bin;  /* [n_classes][n_bins + 1] */
} SlClassBins;

void sl_class_bins_init (SlClassBins *bins, gint32 n_classes, gint32 n_bins, gboolean right,
                         gboolean own_one);
void sl_class_bins_clear (SlClassBins *bins);

/* The bin of P, 0 <= p <= 1, of N alike: floor (p n), or where edges are RIGHT ceil (p n) - 1. */
static inline gint32
sl_bin_of (double p, gint32 n, gboolean right, gboolean own_one)
{
  if (own_one && p >= 1)
    return n;
  double bin = right ? ceil (p * n) - 1 : floor (p * n);
  return (gint32) CLAMP (bin, 0, n - 1);
}

/* Adds an item with prediction p[n_classes] and target t[n_classes], WEIGHT times. One whose target
 * is all zeros has none, and is left out. */
void sl_class_bins_add (SlClassBins *bins, const double *p, const double *t, double weight);

/* Of N items, WEIGHT NULL: once each. */
void sl_class_bins_add_all (SlClassBins *bins, const double *p, const double *t,
                            const double *weight, gint64 n);

/* BINS and MORE, of the same shape, are all in BINS then. */
void sl_class_bins_join (SlClassBins *bins, const SlClassBins *more);

/* The mean over classes of Σ_b n_b / N |mean p_k - mean t_k|. */
double sl_class_bins_ece (const SlClassBins *bins);

/* Murphy's parts of the Brier score (J. Appl. Meteorology 12, 1973), summed over classes, so
 * that
 *   Brier = reliability - resolution + uncertainty
 * where all p_k of a bin are the same: Σ_b n_b / N (mean p_k - mean t_k)², Σ_b n_b / N (mean t_k of
 * the bin - of all)², and the variance of t_k. */
double sl_class_bins_reliability (const SlClassBins *bins);
double sl_class_bins_resolution (const SlClassBins *bins);
double sl_class_bins_uncertainty (const SlClassBins *bins);
