/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Votes that count as much as those who cast them are worth. */
#pragma once

#include "stages/common/answers/answers-by-item.h"
#include "stages/common/methods/method.h"

typedef enum
{
  /* p_k ∝ Σ_{a said k} w_a, from the least of these sums where that is below 0; where all are
   * the same then, each vote counts 1 */
  SL_WEIGHTED_SHARES,
  SL_WEIGHTED_LOGS, /* p_k ∝ exp (Σ_{a said k} w_a) */
} SlWeighted;

/* The items' labels from weight[n_annotators]. An item with a gold class to keep, or without
 * votes, is certain of it, or uniform. */
void sl_weighted_vote (const SlItems *items, const SlByItem *by, const double *weight,
                       SlWeighted way, const SlMethodSettings *settings);

/* Of each annotator's answers to items with a class, how many there are and how many name it:
 * right[n_annotators][2], all and right. klass[n_items]: -1 for none; NULL: the largest of the
 * item's label. Returns the share that is right among all. */
double sl_weighted_right (const SlItems *items, const SlByItem *by, const gint32 *klass,
                          const SlMethodSettings *settings, double *right);

/* The same with each answer right as far as the item's label says so. */
double sl_weighted_mass (const SlItems *items, const SlByItem *by, const SlMethodSettings *settings,
                         double *right);
