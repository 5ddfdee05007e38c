/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a figure may be off: by its runs, or by its items drawn again. */
#pragma once

#include "metrics.h"
#include "stages/common/figures/chances.h"
#include "stages/common/figures/resampling.h"

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
