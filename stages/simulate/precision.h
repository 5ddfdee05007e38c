/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>

/* X to 32 bits, which is finer than any fit is good for, and the same where C libraries' functions differ in the last of 53
 * from processor to processor. */
static inline double
sl_fitted (double x)
{
  int exponent;
  double mantissa = frexp (x, &exponent);
  return ldexp (rint (ldexp (mantissa, 32)), exponent - 32);
}
