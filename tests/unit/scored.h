/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of metrics: items as metrics look at them. */
#pragma once

#include "stages/score/metrics/metrics.h"
#include "stages/score/metrics/order.h"

#include <math.h>
#include <string.h>

#define ALL_FIGURES (SL_FIGURE_BIT (SL_N_FIGURES) - 1)

static const SlMetricSettings usual = { .bin_size = 100, .bins = 15 };

/* All figures of some items, and what metrics make of them. */
typedef struct
{
  SlScoredItems items;
  double *column[SL_N_FIGURES];
  gint32 *order, *class_order;
  SlClassBins bins;
} Scored;

static inline void
score (Scored *scored, const SlItemBlock *block, guint64 wanted)
{
  memset (scored, 0, sizeof *scored);
  SlScoredItems *items = &scored->items;
  items->n = block->n;
  items->n_classes = block->n_classes;
  for (int f = 0; f < SL_N_FIGURES; f++)
    scored->column[f] = g_new0 (double, block->n);
  sl_item_figures (block, wanted, scored->column);
  for (int f = 0; f < SL_N_FIGURES; f++)
    {
      items->column[f] = scored->column[f];
      for (gint64 i = 0; i < block->n; i++)
        if (!isnan (scored->column[f][i]))
          {
            items->sum[f] += scored->column[f][i];
            items->count[f]++;
          }
    }
  scored->order = g_new (gint32, block->n);
  sl_order_by (scored->column[SL_FIGURE_CONFIDENCE], (gint32) block->n, scored->order);
  items->order = scored->order;
  scored->class_order = g_new (gint32, block->n * block->n_classes);
  g_autofree double *p = g_new (double, block->n);
  for (gint32 k = 0; block->prob != NULL && k < block->n_classes; k++)
    {
      for (gint64 i = 0; i < block->n; i++)
        p[i] = block->prob[i * block->n_classes + k];
      sl_order_by (p, (gint32) block->n, scored->class_order + k * block->n);
    }
  items->class_order = scored->class_order;
  sl_class_bins_init (&scored->bins, block->n_classes, 15, FALSE, FALSE);
  if (block->target != NULL)
    sl_class_bins_add_all (&scored->bins, block->prob, block->target, NULL, block->n);
  items->bins = &scored->bins;
  items->prob = block->prob;
  items->target = block->target;
}

static inline void
scored_clear (Scored *scored)
{
  for (int f = 0; f < SL_N_FIGURES; f++)
    g_free (scored->column[f]);
  g_free (scored->order);
  g_free (scored->class_order);
  sl_class_bins_clear (&scored->bins);
}
