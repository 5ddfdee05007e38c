/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PM (Aydin, Yilmaz, Li, Li, Gao & Demirbas, "Crowdsourcing for multiple-choice question
 * answering", AAAI 2014), of classes the same as CRH (Li, Li, Gao, Zhao, Fan & Han, "Resolving
 * conflicts in heterogeneous data by truth discovery", SIGMOD 2014): with d_a the number of a's
 * answers that are not the winners v_i,
 *   w_a = - log (d_a / max_b d_b + 1e-7) + 1e-7
 *   p_ik = Σ_{a said k} w_a / Σ_a w_a,   v_i = argmax_k p_ik, the first of several
 * from the vote. A d_a of 0 counts as 1e-8. (As in the comparison of Zheng, Li, Li, Shan & Cheng,
 * "Truth inference in crowdsourcing", PVLDB 10, 2017, but for ties, which they draw.) d_a is a
 * number, not a share: who answers more often errs more often, and weighs less. Ends when nothing
 * changes any more, or after 100 rounds. Where nobody is ever against the vote, all weigh 1.
 * Deterministic. */
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "reweighted-vote.h"

static void
by_errors (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
           double *weight)
{
  (void) n_classes;
  (void) data;
  double most = 0;
  for (gint32 a = 0; a < n_annotators; a++)
    most = MAX (most, right[2 * a] - right[2 * a + 1]);
  for (gint32 a = 0; a < n_annotators; a++)
    {
      double errors = MAX (right[2 * a] - right[2 * a + 1], 1e-8);
      weight[a] = most > 0 ? 1e-7 - sl_scalar_log (errors / most + 1e-7) : 1;
      weight[a] = right[2 * a] > 0 ? MAX (weight[a], 0) : 0;
    }
}

gboolean
sl_fit_pm (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
           SlLearned *learned, GError **error)
{
  (void) error;
  sl_reweighted_vote (items, answers, settings, learned, 100, by_errors, NULL);
  return TRUE;
}
