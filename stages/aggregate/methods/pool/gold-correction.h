/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels as gold classes correct them: the label p_i of an item becomes
 *   p'_ik ∝ exp (γ log p_ik + b_k + Σ_j n_j w_{a_j} [x_j = k])
 * with b_k for classes that labels name too often or too seldom, and w_a for annotators who are
 * worth more or less than the labels take them for; answer j, of n_j votes, is x_j by a_j. It is
 * multinomial logistic regression with ridges μ and λ: of the items whose class c_i is known,
 *   Σ log p'_i,c_i - (log γ)² / (2 × 0.6²) - μ Σ_k b_k² / 2 - λ Σ_a w_a² / 2
 * is as large as can be. Five pairs of ridges are tried, from none of b and w to all of them;
 * cross-validation over five parts of these items tells how well each predicts their classes, L_t,
 * and log γ, b and w are the means of what the five have, by weights u_t ∝ exp L_t (as stacking by
 * pseudo-Bayesian weights does: Yao, Vehtari, Simpson & Gelman, Bayesian Analysis 13, 2018). */
#pragma once

#include "stages/common/answers/answers-by-item.h"

enum
{
  SL_GOLD_TRIES = 5
};

/* μ and λ. Infinite: all b, or all w, are 0; where b are, w are too. */
typedef struct
{
  double shift, worth;
} SlRidges;

typedef struct
{
  double *x;                    /* [1 + n_classes + n_annotators]: log γ, b, w */
  double weight[SL_GOLD_TRIES]; /* u */
} SlGoldCorrection;

void sl_gold_correction_clear (SlGoldCorrection *correction);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlGoldCorrection, sl_gold_correction_clear)

/* ITEMS' labels have not seen the gold classes. SEED draws the parts, by the items' keys. Without
 * gold classes nothing is corrected. */
void sl_gold_correction_learn (SlGoldCorrection *correction, const SlItems *items,
                               const SlByItem *by, guint64 seed);

/* Corrects the labels of all ITEMS. */
void sl_gold_correction_apply (const SlGoldCorrection *correction, const SlItems *items,
                               const SlByItem *by);

/* x[1 + n_classes + n_annotators]: log γ, b and w by one pair of ridges. */
void sl_gold_regression (const SlItems *items, const SlByItem *by, SlRidges ridges, double *x);
