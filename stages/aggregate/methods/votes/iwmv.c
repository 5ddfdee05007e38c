/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterative weighted majority voting (Li & Yu, "Error rate bounds and iterative weighted majority
 * voting for crowdsourcing", arXiv 1411.4086, 2014). With s_a the share of a's answers that are
 * the winners v_i of the round before, the vote at first, annotators vote with weight
 *   iwmv    w_a = s_a, as peerannot's IWMV has it; 10 rounds at most
 *   li-yu   w_a = K s_a - 1, as the paper has it: who is right as often as by chance does not
 *           count, who is less often right counts against what they say; 100 rounds at most
 * The paper's weight is, to the first order around chance, the log-odds of a right answer. Both
 * end early when nothing changes any more. Deterministic. */
#include "stages/aggregate/methods/fits.h"
#include "reweighted-vote.h"

static void
by_accuracy (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
             double *weight)
{
  (void) n_classes;
  (void) data;
  for (gint32 a = 0; a < n_annotators; a++)
    weight[a] = right[2 * a] > 0 ? right[2 * a + 1] / right[2 * a] : 0;
}

static void
by_excess (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
           double *weight)
{
  by_accuracy (right, n_annotators, n_classes, data, weight);
  for (gint32 a = 0; a < n_annotators && n_classes > 1; a++)
    weight[a] = n_classes * weight[a] - 1;
}

gboolean
sl_fit_iwmv (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  (void) error;
  sl_reweighted_vote (items, answers, settings, learned, 10, by_accuracy, NULL);
  return TRUE;
}

gboolean
sl_fit_li_yu (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
              SlLearned *learned, GError **error)
{
  (void) error;
  sl_reweighted_vote (items, answers, settings, learned, 100, by_excess, NULL);
  return TRUE;
}
