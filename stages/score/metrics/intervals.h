/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a figure may be off: by its runs, or by its items drawn again. */
#pragma once

#include "metrics.h"
#include "pipeline/base/random.h"
#include "stages/common/figures/chances.h"

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
} SlRunSpread;

/* Of VALUE[n], by SL_INTERVAL_T or SL_INTERVAL_NORMAL; n > 0. */
SlRunSpread sl_spread (const double *value, gint64 n, SlInterval interval, double level);

typedef struct
{
  guint64 seed;
  guint64 key; /* of what is drawn from: groups draw each their own */
  gint64 resamples;
  int threads;
} SlBootstrap;

/* weight[n] <- how often each of ITEMS is drawn in as many draws, from a fresh stream; of several
 * rows of an item, all of them together. COUNT[n]: room. */
void sl_bootstrap_draw (SlRandom *random, const SlScoredItems *items, guint32 *count,
                        double *weight);

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

/* A figure that is made of items, or of runs. */
typedef struct
{
  double value;
  SlRange range;
  gint64 n;            /* items behind it */
  double acceleration; /* by how much its standard error changes with it; 0: not known */
} SlEstimate;

/* The interval of ESTIMATE that is corrected for bias, and accelerated (BCa: Efron, JASA 82, 1987),
 * from its resamples VALUE[n], which are sorted; NaN among them are left out. It is the quantiles
 * Φ (z0 + (z0 ± z) / (1 - a (z0 ± z))), where Φ (z0) is the share of resamples below the estimate;
 * z is the normal quantile, times what few items want: t / z sqrt (n / (n - 1)) (Hesterberg, The
 * American Statistician 69, 2015). Where nearly all resamples are on one side, it is the quantiles
 * Φ (± z) less the bias, the mean of the resamples less the estimate (Efron & Tibshirani, An
 * Introduction to the Bootstrap, 1993, chapter 10). FALSE: all are NaN. */
gboolean sl_bootstrap_interval (double *value, gint64 n, const SlEstimate *estimate, double level,
                                double *lower, double *upper);

typedef struct
{
  double lower, upper; /* NaN: there is none */
  const char *kind;    /* "bootstrap over items"; empty: there is none */
  const char *reason;  /* why there is none */
} SlItemInterval;

/* Whether METRIC's interval is drawn: it has no formula, or ITEMS have several rows each, which
 * formulas do not know of, or ALL are to be drawn. */
gboolean sl_metric_is_drawn (const SlMetric *metric, const SlScoredItems *items, gboolean all);

/* Of VALUE, what METRIC comes to on ITEMS: by its formula, or from RESAMPLED[resamples], which are
 * NULL where there are none. SHARED is of the items as they are. */
SlItemInterval sl_item_interval (const SlMetric *metric, const SlScoredItems *items,
                                 const SlMetricSettings *settings, SlShared *shared,
                                 SlMetricValue value, double *resampled, gint64 resamples,
                                 double level, gboolean all);

/* ---- shared with paired.c ---- */

/* VALUE, what METRIC comes to on A, less what it comes to on B unless that is NULL. */
SlEstimate sl_estimate (const SlMetric *metric, const SlScoredItems *a, const SlScoredItems *b,
                        SlMetricValue value);

/* From RESAMPLED[resamples], called KIND. */
SlItemInterval sl_drawn_interval (const SlEstimate *estimate, double *resampled, gint64 resamples,
                                  double level, const char *kind);

/* Takes an interval into RANGE, and makes it hold VALUE. */
void sl_interval_hold (double value, SlRange range, double *lower, double *upper);
