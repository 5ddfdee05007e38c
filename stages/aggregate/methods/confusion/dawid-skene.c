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

/* soft-dawid-skene is the same function: an answer q of annotator a, a distribution, counts as q[x]
 * of a vote for each class x.
 *
 *     M   theta_a[k][x] = (e + c_a[k][x]) / (K e + sum over y of c_a[k][y]),
 *         c_a[k][x] = sum over answers q of a, to items i, of T_i[k] q[x]
 *     E   T_i[k] ~ prior[k] × product over the answers (a, q) to i, and x, of theta_a[k][x]^q[x]
 *
 * It starts from the mean of the item's answers. Classes to which an answer gives nothing cost
 * nothing. */
gboolean
sl_fit_dawid_skene (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  g_auto (SlEm) em = { 0 };
  if (!sl_em_init (&em, items, answers, settings, learned, 1, FALSE, error))
    return FALSE;
  em.smoothing = sl_or_own (settings->smoothing, 0.01);
  return sl_em_fit (&em, 100, 1e-6, error);
}

/* Learning from crowds (Raykar, Yu, Zhao, Valadez, Florin, Bogoni & Moy, "Learning from crowds",
 * JMLR 11, 2010) without its classifier: Dawid & Skene's model with Dirichlet priors on the rows of
 * the annotators' confusion matrices, of which the likeliest are taken, not the mean.
 *
 *     theta_a[k] ~ Dirichlet (1 + e, ..., 1 + e)
 *     M   prior[k] = mean over items of T_i[k]
 *         theta_a[k][x] = (e + c_a[k][x]) / (K e + sum over y of c_a[k][y])
 *     E   T_i[k] ~ prior[k] × product over the answers (a, x) to i of theta_a[k][x]
 *
 * c as above; e alone differs: here the smoothing is 1, an answer of each
 * class to each class, so that annotators of few answers are not believed to be perfect, nor
 * hopeless. The paper leaves the prior to the user; --confusion-prior adds what is known of each
 * annotator. Starts from the share of the votes; ends when the log-posterior rises by less than the
 * tolerance, 1e-6, or after 100 rounds. */
gboolean
sl_fit_lfc (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  SlMethodSettings own = *settings;
  own.smoothing = sl_or_own (settings->smoothing, 1);
  return sl_fit_dawid_skene (items, answers, &own, learned, error);
}

/* Dawid & Skene's model for annotators of few answers: what nobody knows of an annotator is
 * borrowed from the crowd.
 *
 *     theta_a[k] ~ Dirichlet (s m[k]),
 *         m[k][x] ~ 1 + sum over annotators of c_a[k][x]: what the crowd says of class k
 *     T_i[k] ~ exp (E log prior[k] + sum over the answers (a, x) to i of E log theta_a[k][x]),
 *         E log theta_a[k][x] = digamma (s m[k][x] + c_a[k][x])
 *                               - digamma (s + sum over y of c_a[k][y])
 *
 * c_a[k][x] = sum over items that a called x of T_i[k], as above; m follows the
 * labels from round to round, so that the objective, the evidence lower bound under the m at
 * hand, may fall. s, the smoothing, is 2. Starts from the share of the votes; ends when no label
 * changes by more than the tolerance, 1e-3, or after 100 rounds.
 *
 * sl_fit_hierarchical_means(), which is in the pool of auto.c, has log E in place of E log theta.
 * Where the crowd says x of class k once in a hundred times, s m[k][x] is 0.02, and digamma (0.02)
 * is -50: one stray answer rules a class out for good. With many classes most of m is like that. By
 * means it counts as it should. */

static void
revise (SlEm *em, gint32 first, gint32 states)
{
  gsize n_classes = (gsize) em->items->n_classes, stride = (gsize) em->stride;
  for (gsize z = (gsize) first; z < (gsize) (first + states); z++)
    {
      double sum = 0;
      for (gsize x = 0; x < n_classes; x++)
        sum += 1 + em->crowd[x * stride + z];
      for (gsize x = 0; x < n_classes; x++)
        em->base[x * stride + z] = em->smoothing * (1 + em->crowd[x * stride + z]) / sum;
      em->base_sum[z] = em->smoothing;
    }
}

static gboolean
fit (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
     SlLearned *learned, gboolean means, GError **error)
{
  g_auto (SlEm) em = { 0 };
  if (!sl_em_init (&em, items, answers, settings, learned, 1, TRUE, error))
    return FALSE;
  em.smoothing = sl_or_own (settings->smoothing, 2);
  em.means = means;
  em.revise_base = revise;
  em.crowd = sl_aligned_new ((gsize) items->n_classes, (gsize) em.stride, sizeof *em.crowd,
                             "the crowd's confusion", error);
  if (em.crowd == NULL)
    return FALSE;
  sl_em_set_prior (&em, 1, 1, 0);
  em.want_change = TRUE;
  em.want_objective = learned->round != NULL && !means;
  return sl_em_fit (&em, 100, 1e-3, error);
}

gboolean
sl_fit_hierarchical_dawid_skene (const SlItems *items, const SlAnswers *answers,
                                 const SlMethodSettings *settings, SlLearned *learned,
                                 GError **error)
{
  return fit (items, answers, settings, learned, FALSE, error);
}

gboolean
sl_fit_hierarchical_means (const SlItems *items, const SlAnswers *answers,
                           const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  return fit (items, answers, settings, learned, TRUE, error);
}
