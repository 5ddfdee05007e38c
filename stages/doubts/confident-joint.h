/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confident learning: Northcutt, Jiang & Chuang, "Confident learning: estimating uncertainty in
 * dataset labels", JAIR 70, 2021, as cleanlab 2.9 has it for labels t_i of one class each, and its
 * natural form for distributions: what it counts as one item of class k counts as t_ik of one.
 * t[n][k] and p[n][k], labels and predictions, sum to 1 in each row. */
#pragma once

#include <glib.h>

/* How sure the model is, on the mean, of a class where it is the label: threshold[j] = Σ_i t_ij
 * p_ij / Σ_i t_ij, at least 2e-6; above 1 of a class that no label has. */
void sl_confident_thresholds (const double *t, const double *p, gint64 n, gsize k,
                              double *threshold);

/* The class that the model is confident of: the one whose p_j reaches threshold_j, within 1e-6;
 * where several do, the likeliest; -1: none. */
gint32 sl_confident_class (const double *p, const double *threshold, gsize k);

/* count[given][true] = Σ_i t_i,given [i's confident class is true], of equal classes at least 1. */
void sl_confident_joint (const double *t, const gint32 *confident, gint64 n, gsize k,
                         double *count);

/* joint[given][true]: each row of COUNT brought to the labels' sum, SUMS[k], and all to 1. */
void sl_calibrated_joint (const double *count, const double *sums, gsize k, double *joint);

/* Σ_j min (t_j, p_j): 1 where they are alike; p_y of a label of class y alone. */
double sl_self_confidence (const double *t, const double *p, gsize k);

/* Σ_j t_j (1 + p_j - max_{l ≠ j} p_l) / 2. */
double sl_normalised_margin (const double *t, const double *p, gsize k);
