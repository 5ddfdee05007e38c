/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Held-out answers: kept back from a method, to see how well its labels, made of the other answers,
 * predict them. */
#pragma once

#include "stages/common/answers/answers-by-item.h"

typedef struct
{
  SlAnswers seen, kept; /* the two parts of the answers; each in the order of its rows */
  double *votes;        /* [n_items][n_classes]: sums of the answers seen */
  double *n_seen;       /* [n_items] */
} SlHeldOut;

/* Keeps back 15 in 100 answers, drawn by seed and fold. Every item keeps at least one. */
void sl_held_out_init (SlHeldOut *held_out, const SlItems *items, const SlAnswers *answers,
                       guint64 seed, guint32 fold);
void sl_held_out_clear (SlHeldOut *held_out);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlHeldOut, sl_held_out_clear)

/* Annotators as label[n_items][n_classes] and the answers to the items tell them: the share of
 * a's answers to items of class k that are right, with the crowd's added 4 times, and what the
 * crowd says of class k. */
typedef struct
{
  gint32 n_classes;
  double *right; /* [n_annotators][n_classes] */
  double *crowd; /* [n_classes][n_classes]: true, answered; rows sum to 1 */
} SlCrowd;

void sl_crowd_init (SlCrowd *crowd, const double *label, const SlAnswers *answers,
                    gint32 n_classes);
void sl_crowd_clear (SlCrowd *crowd);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCrowd, sl_crowd_clear)

/* The probability that annotator A answers L to an item with the label p[n_classes]. */
double sl_crowd_predict (const SlCrowd *crowd, gint32 a, gint32 l, const double *p);
