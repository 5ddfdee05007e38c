/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What methods do alike with the classes' probabilities of an item. */
#pragma once

#include "stages/common/answers/answers-by-item.h"
#include "method.h"

/* Turns the logarithms p[n] into probabilities, p_k = exp (p_k - m) / Σ_j exp (p_j - m) with the
 * largest m taken off, so that nothing overflows and the sum is at least 1. Returns log Σ_j exp
 * (p_j). All minus infinity: equal shares. */
double sl_posterior_from_logs (double *p, gint32 n);

/* Divides the scores p[n], none below 0, by their sum. FALSE, with p as it was, if that is 0. */
gboolean sl_posterior_from_scores (double *p, gint32 n);

void sl_posterior_set (double *p, gint32 n, gint32 k); /* class K for certain */

/* Item i's gold class if it is known and SETTINGS want it kept, else -1. */
static inline gint32
sl_posterior_gold (const SlItems *items, const SlMethodSettings *settings, gint32 i)
{
  return settings->fix_gold && items->gold != NULL ? items->gold[i] : -1;
}

/* Each item's sums of votes become their shares; a kept gold class is certain. */
void sl_posterior_shares (const SlItems *items, const SlMethodSettings *settings);

/* What LEARNED asks for, as the labels tell it. Confusion: of annotator a's answers to items of
 * class k, the share that was l, every item counting for class k as much as its label says; a row
 * without evidence is uniform. Reliability: skill[n_annotators], or if that is NULL, the mean
 * probability of the classes that a named (0 for one without answers). Prior: the mean label. */
void sl_posterior_learn (const SlItems *items, const SlByItem *by, const double *skill,
                         const SlLearned *learned);

/* What a method calls after ROUND, of at most MOST. */
static inline void
sl_round_over (const SlMethodSettings *settings, const SlLearned *learned, gint64 round,
               gint64 most, double objective)
{
  (void) sl_pulse (&settings->pulse,
                   (SlHowFar){ .unit = "round", .n = round, .of = most, .at_most = TRUE });
  if (learned->round != NULL)
    learned->round (learned->data, round, objective);
}

/* ... and why ROUND, of at most MOST, was the last, for whoever hears of each round. */
void sl_rounds_ended (const SlLearned *learned, gint64 round, gint64 most);

/* What start START, from 1, came to after ROUNDS; KEPT: it is the best so far. */
void sl_start_ended (const SlLearned *learned, gint64 start, gint64 rounds, double objective,
                     gboolean kept);

/* Where there are no answers at all: labels from what gold is kept, uniform if none, and the like
 * for what LEARNED asks for. Returns whether that is so. */
gboolean sl_no_answers (const SlItems *items, const SlAnswers *answers,
                        const SlMethodSettings *settings, const SlLearned *learned);
