/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each annotator's answers compare with those of others, and with gold. */
#pragma once

#include "stages/common/answers/answers-by-item.h"

typedef struct
{
  double answers;
  double pairs, same;   /* others' answers to the same items, and those like one's own */
  double tested, right; /* answers to items with gold, and those that are it */
} SlAnswerConduct;

/* [n_annotators], to be freed with g_free(). BY has an item's answers annotator by annotator.
 * GOLD: [n_items], -1 not known; or NULL. Of answers that are distributions p and q, Σ_k p_k q_k
 * are the same. */
SlAnswerConduct *sl_answer_conduct (const SlByItem *by, const gint32 *gold);

/* Adds up c_a[k][l] = Σ of T_ik over a's answers l, by the labels T of ITEMS, to SUMS:
 * [n_annotators][n_classes][n_classes]. */
void sl_expected_answers (const SlItems *items, const SlAnswers *answers, double *sums);
