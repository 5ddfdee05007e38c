/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beta distributions of shares: fitted, and held against the data. */
#pragma once

#include <glib.h>

typedef struct _SlBetaDraws SlBetaDraws;

typedef struct
{
  double alpha, beta;
} SlBeta;

/* The largest alpha + beta: for values that are all alike it would be infinite. */
#define SL_BETA_MOST 1e6

/* By the mean and the (population) variance. */
SlBeta sl_beta_by_moments (double mean, double variance);

/* The maximum likelihood fit to x[n], n > 0. Each value is first brought into [clip, 1 - clip],
 * clip > 0, as the likelihood of a 0 or a 1 is 0 or infinite. */
SlBeta sl_beta_by_likelihood (const double *x, gint64 n, double clip);

/* The point below which the share P of all values lies. */
double sl_beta_quantile (SlBeta beta, double p);

/* Kolmogorov-Smirnov distances: the most by which the share of values up to any point differs from
 * the distribution's, or from that of other values. SORTED is ascending. */
double sl_beta_distance (SlBeta beta, const double *sorted, gint64 n);
double sl_sample_distance (const double *sorted, gint64 n, const double *other, gint64 n_other);

/* Draws of BETA, with both parameters above 1e-9, and below 1e7 together. */
SlBetaDraws *sl_beta_draws_new (SlBeta beta);

void sl_beta_draws_free (SlBetaDraws *draws);

/* The quantile of U in [0, 1): a multiple of 2^-20, 0 and 1 among them. */
double sl_beta_draw (const SlBetaDraws *draws, double u);
