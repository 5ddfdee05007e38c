/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "real-math.h"

#include "vector-math.h"

#include <math.h>

double
sl_exp (double x)
{
  if (x >= -708 && x <= 700)
    return sl_scalar_exp (x);
  if (isnan (x))
    return x;
  if (x > 710)
    return INFINITY;
  if (x < -746)
    return 0;
  SlVector shifted, y = sl_vector_exp_reduced (sl_vector (x), &shifted);
  return ldexp (y[0], (int) (shifted[0] - 0x1.8p52));
}

double
sl_log (double x)
{
  if (x >= DBL_MIN && x <= DBL_MAX)
    return sl_scalar_log (x);
  if (x == 0)
    return -INFINITY;
  if (x < 0)
    return NAN;
  return x < 1 ? sl_vector_log_scaled (sl_vector (x * 0x1p54), 54)[0] : x;
}

double
sl_log1p (double x)
{
  if (x > -1 && x <= 1e307 && x != 0)
    return sl_vector_log1p (sl_vector (x))[0];
  return x == 0 ? x : sl_log (1 + x);
}

/* Above 8 by its asymptotic series (Abramowitz & Stegun 6.4.12); below, by trigamma (x) = 1 / x² +
 * trigamma (x + 1). */
double
sl_trigamma (double x)
{
  double sum = 0;
  for (; x < 8; x++)
    sum += 1 / (x * x);
  double w = 1 / x, z = w * w;
  double series = z * (43867.0 / 798);
  series = z * (3617.0 / 510 - series);
  series = z * (7.0 / 6 - series);
  series = z * (691.0 / 2730 - series);
  series = z * (5.0 / 66 - series);
  series = z * (1.0 / 30 - series);
  series = z * (1.0 / 42 - series);
  series = z * (1.0 / 30 - series);
  series = z * (1.0 / 6 - series);
  return sum + (w + z / 2 + w * series);
}

/* What Stirling's formula for log Gamma (x), x >= 8, lacks (Abramowitz & Stegun 6.1.41). */
static double
stirling_rest (double x)
{
  double w = 1 / x, z = w * w;
  double series = z * (1.0 / 156 - z * (3617.0 / 122400));
  series = z * (691.0 / 360360 - series);
  series = z * (1.0 / 1188 - series);
  series = z * (1.0 / 1680 - series);
  series = z * (1.0 / 1260 - series);
  series = z * (1.0 / 360 - series);
  return w * (1.0 / 12 - series);
}

/* Of large numbers log Gamma nearly cancels, so there Stirling's formulae are subtracted term by
 * term: (x - 1/2) log x becomes logarithms of quotients. */
double
sl_log_beta (double a, double b)
{
  double low = a < b ? a : b, high = a < b ? b : a, sum = a + b;
  if (high < 8)
    return sl_scalar_lgamma (a) + sl_scalar_lgamma (b) - sl_scalar_lgamma (sum);
  double rest = stirling_rest (high) - stirling_rest (sum);
  double common = (high - 0.5) * sl_log1p (-low / sum);
  if (low < 8)
    return sl_scalar_lgamma (low) + rest + common + low - low * sl_log (sum);
  return 0.91893853320467274178 + rest + stirling_rest (low) + common - low * sl_log1p (high / low)
         - 0.5 * sl_log (low);
}

/* The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), from the
 * front, by Lentz's method; it converges within some sqrt (a + b) terms for x < (a + 1) / (a + b +
 * 2). */
static double
beta_fraction (double x, double a, double b)
{
  enum
  {
    TERMS = 100000
  };
  const double least = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs (d) < least ? least : d);
  double h = d;
  for (int m = 1; m < TERMS; m++)
    {
      double change = 1;
      for (int odd = 0; odd < 2; odd++)
        {
          double at = a + 2 * m;
          double term = odd ? -(a + m) * (a + b + m) * x / (at * (at + 1))
                            : m * (b - m) * x / ((at - 1) * at);
          d = 1 + term * d;
          c = 1 + term / c;
          d = 1 / (fabs (d) < least ? least : d);
          c = fabs (c) < least ? least : c;
          h *= d * c;
          change = d * c;
        }
      if (fabs (change - 1) < 1e-15)
        break;
    }
  return h;
}

/* x^a (1 - x)^b / B (a, b). Of large numbers by Stirling's formulae, with x compared to the mean
 * a / (a + b), so that nothing large cancels. */
static double
beta_front (double x, double a, double b)
{
  if (a < 8 || b < 8)
    return sl_exp (a * sl_log (x) + b * sl_log1p (-x) - sl_log_beta (a, b));
  double sum = a + b, beyond = x * sum - a;
  double rest = stirling_rest (sum) - stirling_rest (a) - stirling_rest (b);
  return sqrt (a / sum * b * 0.15915494309189533577)
         * sl_exp (a * sl_log1p (beyond / a) + b * sl_log1p (-beyond / b) + rest);
}

double
sl_beta_below (double x, double a, double b)
{
  if (!(x > 0))
    return 0;
  if (x >= 1)
    return 1;
  double front = beta_front (x, a, b);
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction (x, a, b) / a;
  return 1 - front * beta_fraction (1 - x, b, a) / b;
}
