/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "quantiles.h"

#include <math.h>

double
sl_quantile (const double *values, gsize n, double share)
{
  if (n == 0)
    return NAN;
  double at = share * (double) (n - 1);
  gsize below = (gsize) at;
  double part = at - (double) below;
  return below + 1 < n ? values[below] * (1 - part) + values[below + 1] * part : values[n - 1];
}
