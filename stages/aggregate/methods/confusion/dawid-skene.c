/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dawid & Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm",
 * Applied Statistics 28 (1979).
 *
 * Item i has class k with probability prior[k]; annotator a, shown an item of class k, says x with
 * probability theta_a[k][x], independently of all others. EM from T_i[k] = the share of i's votes
 * for k:
 *
 *     M   prior[k] = mean over items of T_i[k]
 *         theta_a[k][x] = (e + c_a[k][x]) / (K e + sum over y of c_a[k][y]),
 *         c_a[k][x] = sum over items that a called x of T_i[k]
 *     E   T_i[k] ~ prior[k] × product over the answers (a, x) to i of theta_a[k][x]
 *
 * e: the smoothing, 0.01; 0 is plain maximum likelihood. A row without evidence is uniform. Ends
 * when the log-likelihood (with e, plus e × sum of log theta) rises by less than the tolerance,
 * 1e-6, or after 100 rounds. Powers of 2 keep products from underflow (em-pass.c). A probability of
 * 0 counts as 2e-308: an impossible class loses to a possible one, and no label is 0 / 0. */
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>

gboolean
sl_fit_dawid_skene (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  g_auto (SlEm) em = { 0 };
  if (!sl_em_init (&em, items, answers, settings, learned, 1, FALSE, error))
    return FALSE;
  em.smoothing = isnan (settings->smoothing) ? 0.01 : settings->smoothing;
  if (!sl_em_start (&em, 0, error))
    return FALSE;
  sl_em_run (&em, settings->iterations > 0 ? settings->iterations : 100,
             isnan (settings->tolerance) ? 1e-6 : settings->tolerance);
  sl_em_learn_prior (&em);
  return TRUE;
}
