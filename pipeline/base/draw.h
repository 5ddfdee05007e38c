/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws from an item's pool. */
#pragma once

#include "random.h"

/* Chooses M of the Σ have[n] answers of a pool, in which member i stands for have[i] alike ones,
 * without replacement: take[i] is how many of member i's were chosen, all if there are no more
 * than M. The first M choices are the same for every larger M. TREE[n] is room to work in.
 * The sum is below 2^63. */
void sl_draw_without_replacement (SlRandom *random, const gint64 *have, gint64 n, gint64 m,
                                  gint64 *take, gint64 *tree);

/* sums[n] <- the running sums of weight[n], of which sl_draw_by_weight() draws. */
void sl_draw_sums (const double *weight, gint64 n, double *sums);

/* Member i with probability weight[i] / Σ weight; never one of weight 0. */
gint64 sl_draw_by_weight (SlRandom *random, const double *sums, gint64 n);
