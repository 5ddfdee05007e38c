/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P (X < 2 x) = P (a, x), a = n/2: the incomplete gamma function, by its series
 *   P (a, x) = x^a e^-x / Γ (a + 1) × S,   S = 1 + x / (a + 1) + x² / ((a + 1) (a + 2)) + ...
 * (Abramowitz & Stegun 6.5.29), which is quick below the mean. With u = log x, d log P / du = a /
 * S: Newton's method on log P (u), which is concave. Starts from Wilson & Hilferty's cube (1931),
 * or where that will not do, S = 1 and e^-x = 1. */
#include "chi-square.h"

#include "pipeline/base/vector-math.h"

#include <math.h>

/* z such that a normal variable is below -z with probability p; Abramowitz & Stegun 26.2.23, to
 * 5e-4. */
static double
normal_tail (double p)
{
  double t = sqrt (-2 * sl_scalar_log (p));
  return t
         - (2.515517 + t * (0.802853 + t * 0.010328))
               / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

static double
series (double a, double x)
{
  double sum = 1, term = 1;
  for (double k = 1; term > sum * 1e-17; k++)
    {
      term *= x / (a + k);
      sum += term;
    }
  return sum;
}

double
sl_chi_square_quantile (double p, double n)
{
  double a = n / 2, log_p = sl_scalar_log (p), log_gamma = sl_scalar_lgamma (a + 1);
  double v = 2 / (9 * n), cube = 1 - v - normal_tail (p) * sqrt (v);
  double u = cube > 0.3 ? sl_scalar_log (a) + 3 * sl_scalar_log (cube) : (log_p + log_gamma) / a;
  for (int round = 0; round < 60; round++)
    {
      double x = sl_scalar_exp (u), sum = series (a, x);
      double step = (log_p + log_gamma + x - a * u - sl_scalar_log (sum)) * sum / a;
      u += step;
      if (fabs (step) < 1e-14)
        break;
    }
  return 2 * sl_scalar_exp (u);
}
