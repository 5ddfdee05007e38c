/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EBCC, which models that annotators err alike (Li, Rubinstein & Cohn, "Exploiting worker
 * correlation for label aggregation in crowdsourcing", ICML 2019): a class k has G = 10 subtypes,
 * and annotator a says x of an item of subtype g of class k with probability theta_a[k, g][x].
 *
 *     prior ~ Dirichlet (v),   v[k] = sum over items of the share of votes for k
 *     subtype[k] ~ Dirichlet (0.1 / G, ..., 0.1 / G)
 *     theta_a[k, g] ~ Dirichlet (b[k]),   b[k][x] = 4 where x = k, else 1
 *
 *     T_i[k, g] ~ exp (E log prior[k] + E log subtype[k][g]
 *                      + sum over the answers (a, x) to i of E log theta_a[k, g][x])
 *
 * and Dirichlet posteriors from the sums of T as in IBCC below, which says what counts once. Starts
 * from the share of the votes, cut among the subtypes at random; of several such starts the one
 * with the highest evidence lower bound is kept, as its authors do: of 5, or where that takes well
 * below a second, of as many as keep starts × answers × classes below a million, 40 at most (on
 * small sets starts differ by up to 0.02 in accuracy). A start ends when no label changes by more
 * than the tolerance, 1e-3, or after 500 rounds.
 *
 * Subtypes that no item needs keep a weight of about exp (-G / 0.1): it and its powers stay clear
 * of the least double. They soon are most of them; em-subtypes.c spares the work. */
#include "em/em.h"
#include "pipeline/base/json.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/repeated-answers.h"

#include <math.h>

#define SUBTYPES 10

enum
{
  LEAST_STARTS = 5,
  MOST_STARTS = 40,
  WORK = 1000000 /* of all starts: answers × classes */
};

/* How many starts there are: by the size of the table alone, never by the clock. */
static gint64
n_starts (gint64 n_answers, gint32 n_classes, const SlMethodSettings *settings)
{
  double each = (double) MAX (n_answers, 1) * n_classes;
  return settings->restarts > 0
             ? settings->restarts
             : (gint64) CLAMP (WORK / each, (double) LEAST_STARTS, (double) MOST_STARTS);
}

static void
copy (double *to, const double *from, gsize n)
{
  if (n > 0)
    memcpy (to, from, n * sizeof *to);
}

/* What the best start so far says of annotators. */
static void
keep_learned (const SlEm *em, SlLearned *learned)
{
  gsize n_annotators = (gsize) em->packed.n_annotators, n = (gsize) em->items->n_classes;
  if (learned->confusion != NULL)
    copy (learned->confusion, em->learned->confusion, n_annotators * n * n);
  if (learned->reliability != NULL)
    copy (learned->reliability, em->learned->reliability, n_annotators);
  sl_em_learn_prior (em);
}

static gboolean
fit_starts (SlEm *em, SlMethodSettings *settings, double *best, double *votes, gint64 restarts,
            SlLearned *learned, GError **error)
{
  gsize n = (gsize) em->items->n_items * (gsize) em->items->n_classes;
  double highest = -INFINITY;
  copy (votes, em->items->label, n);
  for (gint64 r = 0; r < restarts; r++)
    {
      copy (em->items->label, votes, n);
      if (restarts > 1)
        settings->pulse.start = r + 1;
      if (!sl_em_start (em, (guint32) r, error))
        return FALSE;
      gint64 rounds
          = sl_em_run (em, sl_rounds (settings, 500), sl_or_own (settings->tolerance, 1e-3));
      gboolean kept = r == 0 || em->objective > highest;
      if (restarts > 1)
        sl_start_ended (learned, r + 1, rounds, em->objective, kept);
      if (kept)
        {
          highest = em->objective;
          copy (best, em->items->label, n);
          keep_learned (em, learned);
        }
    }
  copy (em->items->label, best, n);
  return TRUE;
}

/* The classes' prior counts items by the share of their votes. A class without votes gets a tiny
 * prior, not 0. */
static void
count_votes (SlEm *em)
{
  gint32 n_classes = em->items->n_classes;
  for (gint32 i = 0; i < em->items->n_items; i++)
    {
      const double *votes = em->items->label + (gsize) i * (gsize) n_classes;
      double sum = 0;
      for (gint32 k = 0; k < n_classes; k++)
        sum += votes[k];
      for (gint32 k = 0; k < n_classes; k++)
        em->class_alpha[k] += sum > 0 ? votes[k] / sum : 1.0 / n_classes;
    }
  for (gint32 k = 0; k < n_classes; k++)
    em->class_alpha[k] = MAX (em->class_alpha[k], 0.01);
}

gboolean
sl_fit_ebcc (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  g_auto (SlEm) em = { 0 };
  g_auto (SlDistinct) distinct;
  gsize n_annotators = (gsize) answers->n_annotators, n_classes = (gsize) items->n_classes;
  g_autofree double *confusion
      = learned->confusion == NULL ? NULL : g_new (double, n_annotators *n_classes *n_classes);
  g_autofree double *reliability
      = learned->reliability == NULL ? NULL : g_new (double, n_annotators);
  SlLearned of_start = *learned;
  of_start.confusion = confusion;
  of_start.reliability = reliability;
  gsize n = (gsize) items->n_items * n_classes;
  sl_distinct_init (&distinct, items, answers);
  gint64 restarts = n_starts (distinct.answers.n_answers, items->n_classes, settings);
  SlMethodSettings own = *settings;
  if (restarts > 1)
    {
      own.pulse.starts = restarts;
      of_start.round = NULL;
    }
  if (!sl_em_init (&em, items, &distinct.answers, &own, &of_start, SUBTYPES, TRUE, error))
    return FALSE;
  sl_em_set_prior (&em, 0, sl_or_own (settings->smoothing, 1), 3);
  count_votes (&em);
  em.subtype_alpha = 0.1 / SUBTYPES;
  em.want_change = TRUE;
  /* To choose a start by, or to be shown. */
  em.want_objective = restarts > 1 || learned->round != NULL;
  g_autofree double *best = sl_aligned_new (n, 1, sizeof *best, "the labels", error);
  if (best == NULL)
    return FALSE;
  g_autofree double *votes = sl_aligned_new (n, 1, sizeof *votes, "the votes", error);
  if (votes == NULL || !fit_starts (&em, &own, best, votes, restarts, learned, error))
    return FALSE;
  if (learned->found != NULL)
    sl_json_integer_member (learned->found, "starts", restarts);
  return TRUE;
}

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
 * once, as in the code that Li, Rubinstein & Cohn compare with. Other answers of
 * theirs count each.
 *
 * Starts from the share of the votes. Ends when no label changes by more than the tolerance, 1e-3,
 * or after 500 rounds. The smoothing is the b off the diagonal, on which b is 3 more. The objective
 * is the evidence lower bound, which no round lowers. */
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
