/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ticks.h"

#include <math.h>

/* A power of ten is exact up to 10^22; beyond that its last bits do not matter to a picture. */
static double
shift (double value, int exponent)
{
  for (; exponent > 0; exponent--)
    value *= 10;
  double divisor = 1;
  for (; exponent < 0; exponent++)
    divisor *= 10;
  return value / divisor;
}

/* The ticks of one step in [LO, HI]. A tick that rounding has put just outside is inside. */
static SlTicks
of_step (double lo, double hi, int base, int exponent)
{
  double step = shift (base, exponent);
  double first = ceil (lo / step - 1e-9), last = floor (hi / step + 1e-9);
  SlTicks ticks = { .base = base, .exponent = exponent };
  if (!(fabs (first) < 1e15) || !(fabs (last) < 1e15))
    return ticks;
  ticks.first = (gint64) first;
  ticks.n = (int) CLAMP (last - first + 1, 0, 1e6);
  return ticks;
}

SlTicks
sl_ticks (double lo, double hi, int most)
{
  static const int bases[] = { 1, 2, 5 };
  if (!(hi > lo))
    return (SlTicks){ .n = 1, .base = 1 };
  int exponent = 0;
  while (exponent < 300 && shift (1, exponent) < hi - lo)
    exponent++;
  while (exponent > -300 && shift (1, exponent) > hi - lo)
    exponent--;
  SlTicks best = of_step (lo, hi, 1, exponent + 1);
  for (int e = exponent; e > exponent - 4; e--)
    for (int b = G_N_ELEMENTS (bases) - 1; b >= 0; b--)
      {
        SlTicks ticks = of_step (lo, hi, bases[b], e);
        if (ticks.n > most)
          return best;
        if (ticks.n > best.n)
          best = ticks;
      }
  return best;
}

double
sl_tick (const SlTicks *ticks, int i)
{
  return shift ((double) ((ticks->first + i) * ticks->base), ticks->exponent);
}

int
sl_tick_decimals (const SlTicks *ticks)
{
  return MAX (-ticks->exponent, 0);
}

void
sl_ticks_widen (double *lo, double *hi, int most)
{
  if (!(*hi > *lo))
    {
      double room = *lo != 0 ? fabs (*lo) / 10 : 1;
      *lo -= room;
      *hi += room;
    }
  /* A wider range may have coarser ticks, which need a range that is wider still. */
  for (int round = 0; round < 4; round++)
    {
      SlTicks ticks = sl_ticks (*lo, *hi, most);
      double step = shift (ticks.base, ticks.exponent);
      if (ticks.n < 2)
        return;
      *lo = floor (*lo / step + 1e-9) * step;
      *hi = ceil (*hi / step - 1e-9) * step;
    }
}
