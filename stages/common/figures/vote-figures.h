/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of votes: how far they agree, what they leave open, how often they are right. */
#pragma once

#include <glib.h>

/* Σ v_k (v_k - 1) / (n (n - 1)) of the votes v[n_classes], n in all: the share of the pairs that
 * are the same; NaN where there is no pair. */
double sl_votes_agreement (const double *votes, gint32 n_classes);

/* The share of the commonest. */
double sl_votes_consistency (const double *votes, gint32 n_classes);

/* -Σ p log p of the shares p of VALUES, which need not sum to 1; 0 where all are 0. */
double sl_shares_entropy (const double *values, gint32 n_classes);

/* What one more answer is expected to take off the entropy of LABEL[n_classes], where CROWD[true]
 * [answered] is how the crowd answers: the mutual information of class and answer,
 *   H (p) - Σ_l P (l) H (p | l),   P (l) = Σ_k p_k crowd_kl,   p_k | l ∝ p_k crowd_kl.
 * ROOM: [n_classes]. */
double sl_label_gain (const double *label, const double *crowd, gint32 n_classes, double *room);

/* GAIN[n_items]: what one more answer is expected to take off the squared distance of an item's
 * mean label from what endless answers would give: with M answers of variance v, v / M - v / (M +
 * 1). Of item i SUM[i][n_classes] are the sums of its labels, SQUARE[i] that of all their squares,
 * and ANSWERS[i] their number. Its variance,
 *   v_i = (v + Σ_m |y_im - ȳ_i|²) / M_i,
 * is that of its labels and, as if it were of one answer more, that of all,
 *   v = Σ_i Σ_m |y_im - ȳ_i|² / Σ_i (M_i - 1).
 * NaN where there is no answer. FALSE where no item has two answers. */
gboolean sl_spread_gain (const double *sum, const double *square, const double *answers,
                         gint64 n_items, gint32 n_classes, double *gain);

/* ---- reliability ---- */

#define SL_RELIABILITY_MOST 20

/* How often what is said with some confidence is right, in N equal parts of [0, 1]. */
typedef struct
{
  int n;
  gint64 count[SL_RELIABILITY_MOST], right[SL_RELIABILITY_MOST];
  double confidence[SL_RELIABILITY_MOST]; /* sums */
} SlReliability;

void sl_reliability_add (SlReliability *reliability, double confidence, gboolean right);
gint64 sl_reliability_all (const SlReliability *reliability);
double sl_reliability_accuracy (const SlReliability *reliability);
double sl_reliability_confidence (const SlReliability *reliability);

/* Expected calibration error: Σ_b n_b/n |accuracy_b − confidence_b|. NaN of nothing, as are the two
 * above. */
double sl_reliability_error (const SlReliability *reliability);

/* The 95 % interval of a share of RIGHT among N > 0 by Wilson (1927). */
void sl_share_interval (gint64 right, gint64 n, double *lower, double *upper);
