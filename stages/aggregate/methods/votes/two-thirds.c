/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two thirds: all mass on argmax_k d_k where it has two thirds of the votes, which are two or
 * more; else no label, and the item is left out (as peerannot's TwoThird, which says -1). */
#include "stages/aggregate/methods/fits.h"

#include <math.h>

void
sl_label_two_thirds (const SlItems *items, const SlMethodSettings *settings)
{
  (void) settings;
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double sum = 0;
      gint32 top = 0;
      for (gint32 k = 0; k < items->n_classes; k++)
        {
          sum += d[k];
          top = d[k] > d[top] ? k : top;
        }
      /* Sums of fractions that are equal on paper differ by rounding errors. */
      gboolean agreed = items->weight[i] >= 2 && 3 * d[top] >= 2 * sum * (1 - 1e-12);
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] = agreed ? k == top : NAN;
    }
}
