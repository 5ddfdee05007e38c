/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far answers to one item go wrong together, as far as the answers alone tell it. Under a model
 * in which annotators answer independently, given the item's class, what is left of answer j by a
 * to item i,
 *   r_jx = [x_j = x] - Σ_k T_ik θ_a[k][x],
 * has nothing to do with what is left of another answer to the item. The correlation that is there
 *   s = Σ_i Σ_j≠j' r_j · r_j' / Σ_i Σ_j≠j' σ_j σ_j',   σ_j² = Σ_x p_jx (1 - p_jx)
 * is compared with that of answers which the model itself makes (a parametric bootstrap: Efron &
 * Tibshirani, An Introduction to the Bootstrap, 1993, chapter 6): for each item a class drawn from
 * T_i, for each answer a class drawn from θ_a; the model is fitted to them anew. That takes off
 * what fitting T to the answers does to s. Where the model is right, the excess of the one over the
 * other is 0, but for chance.
 *
 * Errors that all annotators share are taken for the item's class, so less than a half of the
 * correlation given the gold class is seen. On 21 public sets with gold the two go together, and so
 * does the ρ of calibrate.h that fits the gold best:
 *   ρ = 4.7 excess^0.75
 * (excess 0.02: ρ 0.25; 0.05: 0.5; 0.11: 0.9). An item with two answers or more counts once;
 * SL_USUAL_EXCESS is added for 50 items. */
#pragma once

#include "calibrate.h"

#define SL_USUAL_EXCESS 0.03

/* EXCESS: of FIT, which learns a confusion matrix for each annotator. LABEL[n_items][n_classes],
 * unless NULL: the labels that it gives, not seeing gold. */
gboolean sl_common_errors (SlMethodFit fit, const SlItems *items, const SlAnswers *answers,
                           const SlMethodSettings *settings, double *label, double *excess,
                           GError **error);

/* ρ for that excess. */
double sl_common_errors_correlation (double excess);
