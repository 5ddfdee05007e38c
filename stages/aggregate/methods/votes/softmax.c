/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax of the counts: p_k = exp (d_k / T) / Σ_j exp (d_j / T) (Uma et al., HCOMP 2020,
 * equation 4, where T = 1). */
#include "stages/aggregate/methods/fits.h"

#include <math.h>

void
sl_label_softmax (const SlItems *items, const SlMethodSettings *settings)
{
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double most = d[0], sum = 0;
      for (gint32 k = 1; k < items->n_classes; k++)
        most = d[k] > most ? d[k] : most;
      /* With the maximum taken off, no exponential overflows and the largest is 1, so the sum is
       * never 0. */
      for (gint32 k = 0; k < items->n_classes; k++)
        {
          d[k] = exp ((d[k] - most) / settings->temperature);
          sum += d[k];
        }
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] /= sum;
    }
}
