/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an axis has its ticks: at multiples of 1, 2 or 5 times a power of ten. */
#pragma once

#include <glib.h>

typedef struct
{
  gint64 first; /* tick i stands at (first + i) × base × 10^exponent */
  int n, base, exponent;
} SlTicks;

/* The finest such ticks in [LO, HI] that are no more than MOST (2 at least). LO and HI are finite;
 * where they do not differ, or in the wrong way, there is one tick at LO. */
SlTicks sl_ticks (double lo, double hi, int most);

double sl_tick (const SlTicks *ticks, int i);
int sl_tick_decimals (const SlTicks *ticks); /* that tell all of them apart, and no more */

/* Moves *LO and *HI outward to the next ticks, so that a range ends with one at either end. */
void sl_ticks_widen (double *lo, double *hi, int most);
