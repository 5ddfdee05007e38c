/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Category: every item of gold class c gets C_c = Σ_{i: gold_i = c} p_i, made to sum to 1, where
 * p_i is item i's share of votes: each item counts the same, however many annotators it had
 * (Peterson et al., ICCV 2019, section 6.2). */
#include "stages/aggregate/methods/fits.h"

#include <string.h>

void
sl_label_category (const SlItems *items, const SlMethodSettings *settings)
{
  gsize n_classes = (gsize) items->n_classes;
  /* category[gold][n_classes] */
  g_autofree double *category = g_new0 (double, n_classes *n_classes);
  sl_label_counts (items, settings);
  for (gint32 i = 0; i < items->n_items; i++)
    {
      const double *p = items->label + (gsize) i * n_classes;
      double *sum = category + (gsize) items->gold[i] * n_classes;
      for (gsize k = 0; k < n_classes; k++)
        sum[k] += p[k];
    }
  SlItems categories = { items->n_classes, items->n_classes, category, NULL, NULL, NULL };
  /* A class without items becomes 0/0, and is not used. */
  sl_label_counts (&categories, settings);
  for (gint32 i = 0; i < items->n_items; i++)
    memcpy (items->label + (gsize) i * n_classes, category + (gsize) items->gold[i] * n_classes,
            n_classes * sizeof (double));
}
