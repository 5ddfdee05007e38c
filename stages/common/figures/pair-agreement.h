/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How alike two annotators answer the items that both have answered, and how each annotator's
 * answers stand beside all others' and beside gold. */
#pragma once

#include "stages/common/answers/answers-by-item.h"

/* K/(K-1) × share of pairs of answers to the same item that are the same - 1/(K-1): 1 if all are,
 * about 0 if as many as by chance. Of annotator a, with those whom a shares an item with, in
 * column[first[a]] .. column[first[a + 1] - 1]. */
typedef struct
{
  gint32 n;      /* annotators */
  gint64 *first; /* [n + 1] */
  gint32 *column;
  double *value;
} SlAgreement;

/* The most such pairs, each counted from both sides, that are taken on: any two of 8,192. */
#define SL_AGREEMENT_MOST (1 << 26)

/* FALSE where there are more. */
gboolean sl_agreement_init (SlAgreement *agreement, const SlByItem *by);
void sl_agreement_clear (SlAgreement *agreement);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAgreement, sl_agreement_clear)

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
