/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws from a Beta distribution. */
#pragma once

#include "beta.h"

typedef struct _SlBetaDraws SlBetaDraws;

/* Of BETA, with both parameters above 1e-9, and below 1e7 together. */
SlBetaDraws *sl_beta_draws_new (SlBeta beta);

void sl_beta_draws_free (SlBetaDraws *draws);

/* The quantile of U in [0, 1): a multiple of 2^-20, 0 and 1 among them. */
double sl_beta_draw (const SlBetaDraws *draws, double u);
