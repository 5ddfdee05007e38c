/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax of the counts: p_k = exp (d_k / T) / Σ_j exp (d_j / T) (Uma et al., HCOMP 2020,
 * equation 4, where T = 1). Rounded to N digits after the point, as the code released with that
 * article rounds to 8, halves to the even one; if a label then misses 1 by more than a label may,
 * it is divided by its sum, and one of which nothing would be left is not rounded. */
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>

#define LABEL_TOLERANCE 1e-6 /* schemas/labels.h */

static void
round_label (double *p, gint32 n_classes, gint64 digits)
{
  double unit = 1, sum = 0;
  for (gint64 i = 0; i < digits; i++)
    unit *= 10;
  for (gint32 k = 0; k < n_classes; k++)
    sum += rint (p[k] * unit) / unit;
  for (gint32 k = 0; k < n_classes && sum > 0; k++)
    p[k] = rint (p[k] * unit) / unit / (fabs (sum - 1) > LABEL_TOLERANCE ? sum : 1);
}

SL_VECTORS void
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
        d[k] = (d[k] - most) / settings->temperature;
      sl_exp_row (d, (gsize) items->n_classes);
      for (gint32 k = 0; k < items->n_classes; k++)
        sum += d[k];
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] /= sum;
      if (settings->digits > 0)
        round_label (d, items->n_classes, settings->digits);
    }
}
