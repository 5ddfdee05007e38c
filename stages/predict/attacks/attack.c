/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "attack.h"

void
sl_attack_step (float *x, const float *origin, const float *grad, gsize n, double step,
                double bound)
{
  for (gsize i = 0; i < n; i++)
    {
      double sign = (grad[i] > 0) - (grad[i] < 0), from = origin[i];
      double to = CLAMP (x[i] + step * sign, from - bound, from + bound);
      x[i] = (float) CLAMP (to, 0, 1);
    }
}

void
sl_attack_start (float *x, const float *origin, gsize n, double bound, SlRandom *random)
{
  for (gsize i = 0; i < n; i++)
    {
      double to = origin[i] + bound * (2 * sl_random_unit (random) - 1);
      x[i] = (float) CLAMP (to, 0, 1);
    }
}
