/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many digits of a fitted number are kept: those that the data decide, so that a table does not
 * depend on the path that a fit took. */
#pragma once

#include <math.h>

/* Rounds X to 32 bits: later digits depend on the course of the fit, not on the data. */
static inline double
sl_fitted (double x)
{
  int exponent;
  double mantissa = frexp (x, &exponent);
  return ldexp (rint (ldexp (mantissa, 32)), exponent - 32);
}
