/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of figures, from what they come to on items that are drawn again. */
#pragma once

#include "pipeline/base/random.h"

/* What a figure may be. */
typedef struct
{
  double least, most;
} SlRange;

typedef struct
{
  guint64 seed;
  guint64 key; /* of what is drawn from: groups draw each their own */
  gint64 resamples;
  int threads;
} SlBootstrap;

/* count[n] <- how often each of N is drawn in N draws, from a fresh stream. */
void sl_draw_counts (SlRandom *random, guint32 n, guint32 *count);

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

/* From RESAMPLED[resamples], called KIND. */
SlItemInterval sl_drawn_interval (const SlEstimate *estimate, double *resampled, gint64 resamples,
                                  double level, const char *kind);

/* Takes an interval into RANGE, and makes it hold VALUE. */
void sl_interval_hold (double value, SlRange range, double *lower, double *upper);
