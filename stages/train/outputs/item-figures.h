/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How training went on each item, epoch by epoch.
 *
 * Confidence and variability: mean and standard deviation over epochs of the probability of the
 * item's class (Swayamdipta et al., EMNLP 2020). Margin: mean of the class's logit less the largest
 * other one (Pleiss et al., NeurIPS 2020). WAUM: mean over answers y of p[y] - p[second], weighted
 * by Σ_k π_r[k][k] p[k], what the annotator is worth for such an item, where that is known (Lefort,
 * Charlier, Joly, Salmon 2022). */
#pragma once

#include "stages/train/batches/targets.h"

typedef struct
{
  gsize n, k;
  gint32 *class;                               /* [n]: the item's; -1: it has none */
  gint64 *seen;                                /* [n]: times */
  double *confidence, *square, *margin, *waum; /* [n]: sums */
  const SlPools *answers;                      /* votes by item; or NULL */
  const gint32 *annotator;                     /* by row of the answers; or NULL */
  const double *worth;                         /* [annotators][k]: π_r[k][k]; NULL: all alike */
} SlItemFigures;

void sl_item_figures_init (SlItemFigures *figures, gsize n, gsize k);
void sl_item_figures_clear (SlItemFigures *figures);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlItemFigures, sl_item_figures_clear)

/* Item I was seen with the logits z[k]; room[k]. */
void sl_item_figures_add (SlItemFigures *figures, gsize i, const float *z, double *room);
