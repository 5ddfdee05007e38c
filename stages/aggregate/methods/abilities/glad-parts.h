/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A round of glad (glad.c) over answers that are in parts. Given the abilities α, an item's label γ
 * and easiness β are its own: β is where its likelihood times prior is largest, climbed to from 1
 * by Newton's method, and γ goes by it. α then moves to
 *   α_a + (1 - α_a + Σ (γ_i,x_ia - σ (x)) e^β_i) / (1 + Σ w (x) e^2β_i),   x = α_a e^β_i,
 *   w (x) = max (σ (x) (1 - σ (x)), tanh (x / 2) / 4x),
 * which is (1 + Σ γ r - Σ (1 - γ) s) / (1 + Σ w e^2β) with r = (1 - σ + w x) e^β and s = (σ - w x)
 * e^β, neither below 0: sums over answers alone. That is Newton's step where it is no more than
 * twice the step of the bound of Jaakkola & Jordan (Statistics and Computing 10, 2000), whose
 * curvature is tanh (x / 2) / 2x; so the log-posterior does not fall while no β changes its peak,
 * and α rests where EM does. */
#pragma once

#include "stages/common/methods/method.h"

/* Labels of ITEMS, and EASE[n_items] = e^β (or NULL), by the abilities of settings->start. */
void sl_glad_items (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, double *ease);

/* Adds up, of such items, γ r or (1 - γ) s of each annotator's answers, those that are right and
 * those that are not, and w e^2β: both [n_annotators][n_classes][n_classes], true and answered. */
void sl_glad_sums (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                   const double *ease, double *sums, double *information);

/* The next ability of the annotator whose sums these are, [n][n]. */
double sl_glad_ability (const double *sums, const double *information, gsize n);

/* confusion[n][n] of who is RIGHT and WRONG so often, and errs evenly. */
void sl_even_confusion (double right, double wrong, gsize n, double *confusion);

/* confusion[n][n] of such an annotator, of items with β = 1; and the ability that it tells. */
void sl_glad_confusion (double ability, gsize n, double *confusion);
double sl_glad_ability_of (const double *confusion, gsize n);
