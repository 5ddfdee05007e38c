/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether two predictions of the same items differ by more than chance. */
#pragma once

#include "intervals.h"

/* Item i of both is the same. */
typedef struct
{
  const SlScoredItems *a, *b;
  const SlMetric *const *metrics;
  int n_metrics;
  const SlMetricSettings *settings;
} SlPair;

/* value[n_metrics][resamples] <- A's metrics less B's, of items drawn again, the same for both. */
void sl_paired_bootstrap (const SlPair *pair, const SlBootstrap *bootstrap, double *value);

/* The interval of VALUE, the M-th metric of A less that of B, from its RESAMPLED[resamples] or by a
 * formula. */
SlItemInterval sl_paired_interval (const SlPair *pair, int m, SlMetricValue value,
                                   double *resampled, gint64 resamples, double level);

/* A less B; what differs by rounding alone does not differ. */
double sl_difference (double a, double b);

/* p[n_metrics] <- (1 + how often |A - B| is at least what it is when each item's two predictions
 * change sides by a coin) / (1 + resamples) (Fisher's randomisation test for pairs; Smucker et al.,
 * CIKM 2007). NaN: A or B has no such figure. FIGURES: the columns that the metrics look at. */
void sl_permutation_test (const SlPair *pair, guint64 figures, const SlBootstrap *bootstrap,
                          double *p);

/* Bytes that the test takes, on all threads. */
gsize sl_permutation_bytes (const SlPair *pair, guint64 figures, const SlBootstrap *bootstrap);
