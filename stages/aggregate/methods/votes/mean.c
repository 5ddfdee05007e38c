/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean: P = (1/M) Σ_m p^m over an item's M annotators (Collins, Bhatt & Weller, HCOMP 2022,
 * section 3).
 * Counts: p_k = d_k / Σ_j d_j (Peterson et al., ICCV 2019; Uma et al., HCOMP 2020, equation 3).
 * They differ in what they divide by: the mean keeps a label's rounding error, the share of votes
 * sums to 1. */
#include "stages/aggregate/methods/fits.h"

void
sl_label_mean (const SlItems *items, const SlMethodSettings *settings)
{
  (void) settings;
  double *p = items->label; /* p[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, p += items->n_classes)
    for (gint32 k = 0; k < items->n_classes; k++)
      p[k] /= items->weight[i];
}

void
sl_label_counts (const SlItems *items, const SlMethodSettings *settings)
{
  (void) settings;
  double *d = items->label; /* d[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      double sum = 0;
      for (gint32 k = 0; k < items->n_classes; k++)
        sum += d[k];
      for (gint32 k = 0; k < items->n_classes; k++)
        d[k] /= sum;
    }
}
