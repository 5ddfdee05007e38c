/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients of agreement, each with an interval by its items: those drawn again (the bootstrap,
 * as resampling.h has it) or, where there are too many for that, left out in groups (the jackknife:
 * of G groups of items, with T_g what a coefficient is without group g, its variance is
 * (G - 1) / G Σ_g (T_g - mean)², and the interval Student's of G - 1 degrees of freedom). */
#pragma once

#include "stages/common/answers/answers-by-item.h"
#include "coefficients.h"

typedef struct
{
  SlScale scale;        /* n_raters is found */
  const SlItems *items; /* .label has their votes */
  const SlByItem *by;   /* NULL: nobody knows whose answers they are */
} SlAgreed;

typedef struct
{
  SlBootstrap bootstrap; /* .resamples 0: there are to be no intervals */
  double level;
} SlIntervalPlan;

typedef struct
{
  double value, lower, upper; /* NaN: there is none */
  gint64 n;                   /* items behind it; of accuracy answers */
  const char *interval;       /* what the interval is; empty: there is none */
  const char *reason;         /* why there is no value, or no interval; empty: there is */
} SlCoefficientResult;

/* result[SL_N_COEFFICIENTS] */
void sl_agreement_coefficients (const SlAgreed *agreed, const SlIntervalPlan *plan,
                                SlCoefficientResult *result);

/* About so many bytes that takes. */
gsize sl_agreement_bytes (const SlAgreed *agreed, const SlIntervalPlan *plan);
