/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chances.h"

#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"

#include <glib.h>
#include <math.h>

/* P (|T| > t) = I_x (df / 2, 1 / 2), x = df / (df + t²) (Abramowitz & Stegun 26.7.1). */
static double
beyond (double t, double df)
{
  return sl_beta_below (df / (df + t * t), df / 2, 0.5);
}

/* The quantile z of the normal distribution, from the quantile t of Student's with many degrees of
 * freedom: t = z + (z³ + z) / (4 df) + … (26.7.5), solved for z to the first order. */
static double
normal_of_t (double t, double df)
{
  return t - (t * t * t + t) / (4 * df);
}

double
sl_t_quantile (double p, double df)
{
  double least = 0, most = 1, tail = 2 * (1 - p), own = df > 0 ? df : 1e6;
  while (beyond (most, own) > tail && most < 1e12)
    most *= 2;
  for (int i = 0; i < 200 && most - least > 1e-13 * most; i++)
    {
      double middle = 0.5 * (least + most);
      if (beyond (middle, own) > tail)
        least = middle;
      else
        most = middle;
    }
  return df > 0 ? 0.5 * (least + most) : normal_of_t (0.5 * (least + most), own);
}

double
sl_t_above (double t, double df)
{
  double tail = isinf (t) ? 0 : beyond (t, df) / 2;
  return t < 0 ? 1 - tail : tail;
}

/* The mean of a Poisson distribution that has X or more with probability TAIL. */
static double
poisson_mean (int x, double tail)
{
  double least = 0, most = 2 * x + 1;
  for (int i = 0; i < 100; i++)
    {
      double mean = 0.5 * (least + most), term = sl_exp (-mean), below = 0;
      for (int j = 0; j < x; j++, term *= mean / j)
        below += term;
      *(1 - below < tail ? &least : &most) = mean;
    }
  return least;
}

static double
wilson_lower (double x, double n, double z, double level)
{
  double share = x / n, z2 = z * z / n;
  double half = z * sqrt (share * (1 - share) / n + z2 / (4 * n));
  if (x >= 1 && x <= (n > 50 ? 3 : 2))
    return poisson_mean ((int) x, 1 - level) / n;
  return MAX ((share + z2 / 2 - half) / (1 + z2), 0);
}

void
sl_wilson (double x, double n, double level, double *lower, double *upper)
{
  double z = sl_t_quantile (0.5 + level / 2, 0);
  *lower = wilson_lower (x, n, z, level);
  *upper = 1 - wilson_lower (n - x, n, z, level);
}

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

/* S of P (a, x), which sl_chi_square_quantile() solves. */
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

/* P (X < 2 x) = P (a, x), a = n/2: the incomplete gamma function, by its series
 *   P (a, x) = x^a e^-x / Γ (a + 1) × S,   S = 1 + x / (a + 1) + x² / ((a + 1) (a + 2)) + ...
 * (Abramowitz & Stegun 6.5.29), which is quick below the mean. With u = log x, d log P / du = a /
 * S: Newton's method on log P (u), which is concave. Starts from Wilson & Hilferty's cube (1931),
 * or where that will not do, S = 1 and e^-x = 1. */
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
