/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ZenCrowd (Demartini, Difallah & Cudré-Mauroux, "ZenCrowd: leveraging probabilistic reasoning and
 * crowdsourcing techniques for large-scale entity linking", WWW 2012), of classes alone: annotator
 * a is right with probability r_a and errs evenly, all classes are equally likely. EM from r_a =
 * 0.8, or from what --init says, the mean of its diagonal:
 *   E   p_ik ∝ Π_{a said k} r_a × Π_{a said another} (1 - r_a) / (K - 1)
 *   M   r_a = (e + Σ over a's answers x to i of p_ix) / (2 e + a's answers)
 * (As in the comparison of Zheng, Li, Li, Shan & Cheng, "Truth inference in crowdsourcing", PVLDB
 * 10, 2017, which has no e.) one-coin.c differs by its prior of the classes and by where it
 * starts. In E a class's score gains log (r_a (K - 1) / (1 - r_a)) with each answer that names it,
 * all else is common to the classes. e: the smoothing, 0.01. Ends when no r moves by more than the
 * tolerance, 1e-5, or after 100 rounds. Reliability is r. Deterministic. */
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

#include <math.h>

/* reliability[n]: before the first round. */
static void
start (const SlMethodSettings *settings, gsize n_classes, gsize n, double *reliability)
{
  for (gsize a = 0; a < n; a++)
    {
      reliability[a] = settings->start != NULL ? 0 : 0.8;
      for (gsize k = 0; settings->start != NULL && k < n_classes; k++)
        reliability[a] += settings->start[(a * n_classes + k) * n_classes + k] / (double) n_classes;
    }
}

gboolean
sl_fit_zencrowd (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                 SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 2);
  gsize n = (gsize) by.n_annotators;
  g_autofree double *right = g_new0 (double, n * 2);
  g_autofree double *reliability = g_new (double, n);
  g_autofree double *weight = g_new (double, n);
  double e = sl_or_own (settings->smoothing, 0.01), most = INFINITY;
  double tolerance = sl_or_own (settings->tolerance, 1e-5);
  double log_others = sl_scalar_log (MAX (by.n_classes - 1, 1));
  gint64 rounds = sl_rounds (settings, 100);
  start (settings, (gsize) by.n_classes, n, reliability);
  for (gint64 round = 1; round <= rounds && most > tolerance; round++)
    {
      for (gsize a = 0; a < n; a++)
        weight[a]
            = sl_scalar_log (reliability[a]) - sl_scalar_log (1 - reliability[a]) + log_others;
      sl_weighted_vote (items, &by, weight, SL_WEIGHTED_LOGS, settings);
      double agreement = sl_weighted_mass (items, &by, settings, right);
      most = 0;
      for (gsize a = 0; a < n; a++)
        {
          double all = right[2 * a] + 2 * e, was = reliability[a];
          reliability[a] = all > 0 ? MIN ((right[2 * a + 1] + e) / all, 1) : was;
          most = MAX (most, fabs (reliability[a] - was));
        }
      sl_round_over (settings, learned, round, rounds, agreement);
    }
  sl_posterior_learn (items, &by, reliability, learned);
  return TRUE;
}
