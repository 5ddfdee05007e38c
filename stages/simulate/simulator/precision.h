/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

/* X to 32 bits: what follows is of the way that the fit went, not of the data. */
static inline double
sl_fitted (double x)
{
  int exponent;
  double mantissa = frexp (x, &exponent);
  return ldexp (rint (ldexp (mantissa, 32)), exponent - 32);
}
