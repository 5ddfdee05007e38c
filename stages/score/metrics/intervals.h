/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a figure may be off: by its runs, or by its items drawn again. */
#pragma once

#include "metrics.h"
#include "pipeline/base/random.h"

typedef enum
{
  SL_INTERVAL_NONE,
  SL_INTERVAL_T,         /* over runs: mean ± t s / sqrt n, s with n - 1 */
  SL_INTERVAL_NORMAL,    /* over runs: the same with the normal quantile in place of t's */
  SL_INTERVAL_BOOTSTRAP, /* quantiles of resamples: of the items of one run, else of the runs */
} SlInterval;

typedef struct
{
  double mean, sd; /* sd NaN: of one alone */
  double lower, upper;
} SlSpread;

/* Where Student's t of DF degrees of freedom, or with DF 0 the normal distribution, has P below
 * it, 0.5 <= p < 1; to 1e-9 of it. */
double sl_t_quantile (double p, double df);

/* Of VALUE[n], by SL_INTERVAL_T or SL_INTERVAL_NORMAL; n > 0. */
SlSpread sl_spread (const double *value, gint64 n, SlInterval interval, double level);

typedef struct
{
  guint64 seed;
  guint64 key; /* of what is drawn from: groups draw each their own */
  gint64 resamples;
  int threads;
} SlBootstrap;

/* weight[n] and count[n] <- how often each of n items is drawn in n draws, from a fresh stream. */
void sl_bootstrap_draw (SlRandom *random, guint32 n, guint32 *count, double *weight);

/* value[n_metrics][resamples] <- the metrics of resamples of ITEMS, all of whose columns must be
 * there; NaN where a resample has no such figure. Resample r is drawn from a stream of its own, so
 * that the values do not depend on threads. */
void sl_bootstrap_items (const SlScoredItems *items, const SlMetric *const *metrics, int n_metrics,
                         const SlMetricSettings *settings, const SlBootstrap *bootstrap,
                         double *value);

/* Bytes that this takes, on all threads. */
gsize sl_bootstrap_bytes (const SlScoredItems *items, const SlBootstrap *bootstrap);

/* value[resamples] <- means of resamples of RUN[n]. */
void sl_bootstrap_runs (const double *run, gint64 n, const SlBootstrap *bootstrap, double *value);

/* The bias-corrected interval (Efron, JASA 82, 1987) of ESTIMATE, a figure in RANGE, from its
 * resamples VALUE[n], which are sorted; NaN among them are left out. Where as many are below the
 * estimate as above, it is the quantiles (1 ± LEVEL) / 2. Where nearly all are on one side, it is
 * those quantiles less the bias, the mean of the resamples less the estimate (Efron & Tibshirani,
 * An Introduction to the Bootstrap, 1993, chapter 10). FALSE: all are NaN. */
gboolean sl_bootstrap_interval (double *value, gint64 n, double estimate, double level,
                                SlRange range, double *lower, double *upper);
