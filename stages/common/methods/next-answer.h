/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the next person would answer, by a method that tells the truth: of item i, with votes n_i
 * and the label T_i,
 *
 *     P_i ~ v_1 n_i + v_2 T_i phi + v_3 T_i,
 *     phi[k][x] ~ 0.05 + sum over votes for x of T_i[k]: how the crowd confuses
 *
 * Some items confuse nobody, others as many as usual, and others have a confusion of their own,
 * which the votes seen tell. v is what best predicts votes kept back from the method (held-out.h),
 * twice 15 in 100, by 50 steps of Hunter's algorithm (Annals of Statistics 32, 2004), with 20 votes
 * of v = (0.15, 0.35, 0.5) added. */
#pragma once

#include "calibrate.h"

enum
{
  SL_NEXT_PARTS = 3
};

typedef struct
{
  double seen, confused, truth; /* v; the sum is 1 */
  double predicted; /* mean log-probability of the votes kept back; NaN: there are none */
} SlNextAnswer;

/* Finds v for the labels that FIT gives, with CALIBRATION applied to them (NULL: as they are).
 * ANSWERS are votes. ITEMS' own labels stay as they are. */
gboolean sl_next_answer_find (SlMethodFit fit, const SlCalibration *calibration,
                              const SlItems *items, const SlAnswers *answers,
                              const SlMethodSettings *settings, SlNextAnswer *next, GError **error);

/* ITEMS' labels, of the truth, become the next answer's. VOTES[n_items][n_classes]: their sums. */
void sl_next_answer_apply (const SlNextAnswer *next, const SlItems *items, const SlAnswers *answers,
                           const double *votes);
