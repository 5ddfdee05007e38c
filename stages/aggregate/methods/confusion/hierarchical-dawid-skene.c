/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dawid & Skene's model for annotators of few answers: what nobody knows of an annotator is
 * borrowed from the crowd.
 *
 *     theta_a[k] ~ Dirichlet (s m[k]),
 *         m[k][x] ~ 1 + sum over annotators of c_a[k][x]: what the crowd says of class k
 *     T_i[k] ~ exp (E log prior[k] + sum over the answers (a, x) to i of E log theta_a[k][x]),
 *         E log theta_a[k][x] = digamma (s m[k][x] + c_a[k][x])
 *                               - digamma (s + sum over y of c_a[k][y])
 *
 * c_a[k][x] = sum over items that a called x of T_i[k], as in dawid-skene.c; m follows the
 * labels from round to round, so that the objective, the evidence lower bound under the m at
 * hand, may fall. s, the smoothing, is 2. Starts from the share of the votes; ends when no label
 * changes by more than the tolerance, 1e-3, or after 100 rounds.
 *
 * sl_fit_hierarchical_means(), which is in the pool of auto.c, has log E in place of E log theta.
 * Where the crowd says x of class k once in a hundred times, s m[k][x] is 0.02, and digamma (0.02)
 * is -50: one stray answer rules a class out for good. With many classes most of m is like that. By
 * means it counts as it should. */
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>

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
  em.smoothing = isnan (settings->smoothing) ? 2 : settings->smoothing;
  em.means = means;
  em.revise_base = revise;
  em.crowd = sl_aligned_new ((gsize) items->n_classes, (gsize) em.stride, sizeof *em.crowd,
                             "the crowd's confusion", error);
  if (em.crowd == NULL)
    return FALSE;
  sl_em_set_prior (&em, 1, 1, 0);
  em.want_change = TRUE;
  em.want_objective = learned->round != NULL && !means;
  if (!sl_em_start (&em, 0, error))
    return FALSE;
  sl_em_run (&em, settings->iterations > 0 ? settings->iterations : 100,
             isnan (settings->tolerance) ? 1e-3 : settings->tolerance);
  sl_em_learn_prior (&em);
  return TRUE;
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
