/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of agreement, from votes. */
#pragma once

#include <glib.h>

/* Σ v_k (v_k - 1) / (n (n - 1)) of the votes v[n_classes], n in all: the share of the pairs that
 * are the same; NaN where there is no pair. */
double sl_votes_agreement (const double *votes, gint32 n_classes);

/* The share of the commonest. */
double sl_votes_consistency (const double *votes, gint32 n_classes);

/* -Σ p log p of the shares p of VALUES, which need not sum to 1; 0 where all are 0. */
double sl_shares_entropy (const double *values, gint32 n_classes);

/* Krippendorff's alpha for classes: 1 - observed disagreement / expected disagreement, over items
 * with two votes or more (Krippendorff, Content Analysis, 2004, section 11.3). */
typedef struct
{
  gint64 items;              /* with two votes or more */
  double votes;              /* for them */
  double observed, expected; /* agreement; NaN where there is no pair */
  double alpha;              /* NaN where there is no pair, or all votes are for one class */
} SlAlpha;

SlAlpha sl_votes_alpha (const double *votes, gint64 n_items, gint32 n_classes);

/* What one more answer is expected to take off the entropy of LABEL[n_classes], where CROWD[true]
 * [answered] is how the crowd answers: the mutual information of class and answer,
 *   H (p) - Σ_l P (l) H (p | l),   P (l) = Σ_k p_k crowd_kl,   p_k | l ∝ p_k crowd_kl.
 * ROOM: [n_classes]. */
double sl_label_gain (const double *label, const double *crowd, gint32 n_classes, double *room);
