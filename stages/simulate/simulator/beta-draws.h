/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many draws from one Beta distribution, each made of one uniform number: by its quantiles, in
 * pieces (Hörmann & Leydold, "Continuous random variate generation by fast numerical inversion",
 * ACM TOMACS 13, 2003). The share that lies below what is drawn for U differs from U by less than
 * 1e-8, beside the rounding to 2^-20. */
#pragma once

#include "beta.h"

typedef struct _SlBetaDraws SlBetaDraws;

/* Of BETA, with both parameters above 1e-9, and below 1e7 together. */
SlBetaDraws *sl_beta_draws_new (SlBeta beta);
void sl_beta_draws_free (SlBetaDraws *draws);

/* The quantile of U in [0, 1): a multiple of 2^-20, 0 and 1 among them. */
double sl_beta_draw (const SlBetaDraws *draws, double u);
