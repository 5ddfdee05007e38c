/* SPDX-License-Identifier: GPL-3.0-or-later */
/* IBCC, the independent Bayesian combination of classifiers (Kim & Ghahramani, AISTATS 2012),
 * variational as in Simpson, Roberts, Psorakis & Smith (2013): Dawid & Skene's model with Dirichlet
 * priors on all it is made of.
 *
 *     prior ~ Dirichlet (1, ..., 1)
 *     theta_a[k] ~ Dirichlet (b[k]),   b[k][x] = 4 where x = k, else 1
 *
 *     q (prior) = Dirichlet (1 + sum over items of T_i)
 *     q (theta_a[k]) = Dirichlet (b[k] + c_a[k]),
 *         c_a[k][x] = sum over items that a called x of T_i[k]
 *     T_i[k] ~ exp (E log prior[k] + sum over the answers (a, x) to i of E log theta_a[k][x]),
 *         E log p[j] of Dirichlet (d) = digamma (d[j]) - digamma (sum of d)
 *
 * An annotator who gives an item the same answer again has not been asked another time: it counts
 * once, as in the code that Li, Rubinstein & Cohn (see ebcc.c) compare with. Other answers of
 * theirs count each.
 *
 * Starts from the share of the votes. Ends when no label changes by more than the tolerance, 1e-3,
 * or after 500 rounds. The smoothing is the b off the diagonal, on which b is 3 more. The objective
 * is the evidence lower bound, which no round lowers. */
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/repeated-answers.h"

#include <math.h>

gboolean
sl_fit_ibcc (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  g_auto (SlEm) em = { 0 };
  g_auto (SlDistinct) distinct;
  sl_distinct_init (&distinct, items, answers);
  if (!sl_em_init (&em, items, &distinct.answers, settings, learned, 1, TRUE, error))
    return FALSE;
  sl_em_set_prior (&em, 1, sl_or_own (settings->smoothing, 1), 3);
  em.want_change = TRUE;
  em.want_objective = learned->round != NULL;
  return sl_em_fit (&em, 500, 1e-3, error);
}
