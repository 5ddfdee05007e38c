/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise in each number by itself. */
#include "corruption.h"

#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"

#include <math.h>

/* x + N(0, c). */
void
sl_corrupt_gaussian_noise (SlPicture *picture)
{
  static const double c[] = { 0.04, 0.06, 0.08, 0.09, 0.10 };
  gsize n = sl_picture_size (picture);
  for (gsize i = 0; i < n; i++)
    picture->x[i] += c[picture->severity - 1] * sl_random_normal (&picture->random);
}

/* x + x N(0, c). */
void
sl_corrupt_speckle_noise (SlPicture *picture)
{
  static const double c[] = { 0.06, 0.1, 0.12, 0.16, 0.2 };
  gsize n = sl_picture_size (picture);
  for (gsize i = 0; i < n; i++)
    picture->x[i] += picture->x[i] * c[picture->severity - 1] * sl_random_normal (&picture->random);
}

/* For small means: how many numbers from U (0, 1] have a product above exp (-MEAN). */
static double
poisson_small (SlRandom *random, double mean)
{
  double least = sl_exp (-mean), product = 1 - sl_random_unit (random), k = 0;
  for (; product > least; k++)
    product *= 1 - sl_random_unit (random);
  return k;
}

/* Hörmann, "The transformed rejection method for generating Poisson random variables", 1993: PTRS.
 */
static double
poisson_large (SlRandom *random, double mean)
{
  double b = 0.931 + 2.53 * sqrt (mean), a = -0.059 + 0.02483 * b;
  double alpha = 1.1239 + 1.1328 / (b - 3.4), most = 0.9277 - 3.6224 / (b - 2);
  for (;;)
    {
      double u = sl_random_unit (random) - 0.5, v = 1 - sl_random_unit (random);
      double s = 0.5 - fabs (u), k = floor ((2 * a / s + b) * u + mean + 0.43);
      if (s >= 0.07 && v <= most)
        return k;
      if (k < 0 || s <= 0 || (s < 0.013 && v > s))
        continue;
      if (sl_log (v * alpha / (a / (s * s) + b))
          <= k * sl_log (mean) - mean - sl_scalar_lgamma (k + 1))
        return k;
    }
}

/* Poisson (x c) / c. */
void
sl_corrupt_shot_noise (SlPicture *picture)
{
  static const double c[] = { 500, 250, 100, 75, 50 };
  gsize n = sl_picture_size (picture);
  double scale = c[picture->severity - 1];
  for (gsize i = 0; i < n; i++)
    {
      double mean = picture->x[i] * scale;
      picture->x[i] = (mean >= 10 ? poisson_large : poisson_small) (&picture->random, mean) / scale;
    }
}

/* A share c of all numbers becomes 0 or 1, with equal chances. */
void
sl_corrupt_impulse_noise (SlPicture *picture)
{
  static const double c[] = { 0.01, 0.02, 0.03, 0.05, 0.07 };
  gsize n = sl_picture_size (picture);
  double share = c[picture->severity - 1];
  for (gsize i = 0; i < n; i++)
    {
      double u = sl_random_unit (&picture->random);
      if (u < share)
        picture->x[i] = u < share / 2 ? 1 : 0;
    }
}
