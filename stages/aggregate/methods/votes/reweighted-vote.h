/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Votes and weights by turns: annotators are weighed by how often they agree with the vote, and
 * vote again. */
#pragma once

#include "stages/common/methods/method.h"

/* weight[n_annotators] from right[n_annotators][2]: each one's answers, and those that name the
 * class with most weight. Weights may be below 0: sums then count from the least of an item's. */
typedef void (*SlReweigh) (const double *right, gint32 n_annotators, gint32 n_classes,
                           gpointer data, double *weight);

/* Starts from the share of the votes; each round weighs and votes,
 *   p_ik = Σ_{a said k} w_a / Σ_a w_a,   v_i = argmax_k p_ik, the first of several
 * Ends after ROUNDS, or as soon as all agree with the vote as often as before: every further round
 * would be the same. An item whose answers add up to no weight keeps its vote share. Reliability
 * is w. */
void sl_reweighted_vote (const SlItems *items, const SlAnswers *answers,
                         const SlMethodSettings *settings, SlLearned *learned, gint64 rounds,
                         SlReweigh reweigh, gpointer data);
