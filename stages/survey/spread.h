/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What another answer is worth, by how far the labels of an item's answers lie apart. */
#pragma once

#include <glib.h>

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
