/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Votes and weights by turns: annotators are weighed by how often they agree with the vote, and
 * vote again. */
#include "stages/common/figures/chances.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

#include <math.h>
#include <string.h>

/* weight[n_annotators] from right[n_annotators][2]: each one's answers, and those that name the
 * class with most weight. Weights may be below 0: sums then count from the least of an item's. */
typedef void (*Reweigh) (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
                         double *weight);

/* Starts from the share of the votes; each round weighs and votes,
 *   p_ik = Σ_{a said k} w_a / Σ_a w_a,   v_i = argmax_k p_ik, the first of several
 * Ends after ROUNDS, or as soon as all agree with the vote as often as before: every further round
 * would be the same. An item whose answers add up to no weight keeps its vote share. Reliability
 * is w. */
static gboolean
vote_by_turns (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
               SlLearned *learned, gint64 rounds, Reweigh reweigh, gpointer data)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 2);
  gsize n = (gsize) by.n_annotators;
  g_autofree double *right = g_new0 (double, n * 2);
  g_autofree double *before = g_new0 (double, n * 2);
  g_autofree double *weight = g_new0 (double, n);
  rounds = sl_rounds (settings, rounds);
  sl_posterior_shares (items, settings);
  for (gint64 round = 1; round <= rounds; round++)
    {
      double agreement = sl_weighted_right (items, &by, NULL, settings, right);
      if (memcmp (right, before, 2 * n * sizeof *right) == 0)
        break;
      memcpy (before, right, 2 * n * sizeof *right);
      reweigh (right, by.n_annotators, by.n_classes, data, weight);
      sl_weighted_vote (items, &by, weight, SL_WEIGHTED_SHARES, settings);
      sl_round_over (settings, learned, round, rounds, agreement);
    }
  sl_posterior_learn (items, &by, weight, learned);
  return TRUE;
}

/* A method of this kind: its rounds at most, and how it weighs. */
#define FIT(method, rounds, reweigh)                                                               \
  gboolean sl_fit_##method (const SlItems *items, const SlAnswers *answers,                        \
                            const SlMethodSettings *settings, SlLearned *learned, GError **error)  \
  {                                                                                                \
    (void) error;                                                                                  \
    return vote_by_turns (items, answers, settings, learned, rounds, reweigh, NULL);               \
  }

static void
by_accuracy (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
             double *weight)
{
  for (gint32 a = 0; a < n_annotators; a++)
    weight[a] = right[2 * a] > 0 ? right[2 * a + 1] / right[2 * a] : 0;
}

/* Worker Agreement with Aggregate: the vote, each annotator's skill by it, and the vote again
 * with every answer counting its annotator's skill.
 *   v_i = the class with most votes, the first of several (or the gold class, if it is kept)
 *   s_a = share of a's answers that are v_i
 *   p_ik = Σ_{a said k} s_a / Σ_a s_a
 * (Appen; as crowd-kit 1.4's Wawa.) An item whose annotators all have skill 0 keeps its vote
 * share; an annotator without answers has skill 0. One round.
 * Deterministic. */
FIT (wawa, 1, by_accuracy)

/* Iterative weighted majority voting (Li & Yu, "Error rate bounds and iterative weighted majority
 * voting for crowdsourcing", arXiv 1411.4086, 2014). With s_a the share of a's answers that are
 * the winners v_i of the round before, the vote at first, annotators vote with weight
 *   iwmv    w_a = s_a, as peerannot's IWMV has it; 10 rounds at most
 *   li-yu   w_a = K s_a - 1, as the paper has it: who is right as often as by chance does not
 *           count, who is less often right counts against what they say; 100 rounds at most
 * The paper's weight is, to the first order around chance, the log-odds of a right answer. Both
 * end early when nothing changes any more. Deterministic. */
static void
by_excess (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
           double *weight)
{
  by_accuracy (right, n_annotators, n_classes, data, weight);
  for (gint32 a = 0; a < n_annotators && n_classes > 1; a++)
    weight[a] = n_classes * weight[a] - 1;
}

FIT (iwmv, 10, by_accuracy)
FIT (li_yu, 100, by_excess)

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
static void
by_errors (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
           double *weight)
{
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

FIT (pm, 100, by_errors)

/* Confidence-aware truth discovery (Li, Li, Gao, Su, Zhao, Demirbas, Fan & Han, "A confidence-aware
 * approach for truth discovery on long-tail data", PVLDB 8, 2014): annotators weigh as little as
 * the upper end of a confidence interval of their error variance says, so that who has given few
 * answers is not trusted for luck. With n_a answers, d_a of which are not the winners v_i,
 *   w_a ∝ χ²(0.025, n_a) / (d_a + e)
 *   p_ik = Σ_{a said k} w_a / Σ_a w_a,   v_i = argmax_k p_ik, the first of several
 * from the vote; χ²(p, n) is what a chi-square variable of n degrees of freedom stays below with
 * probability p. e, the smoothing, is 1e-9, as in the comparison of Zheng, Li, Li, Shan & Cheng,
 * "Truth inference in crowdsourcing", PVLDB 10, 2017, which draws ties: with it, who has never
 * been against the vote outweighs everybody else. Ends when nothing changes any more, or after 100
 * rounds. Reliability is w, its sum 1. Deterministic. */
#define TAIL 0.025

typedef struct
{
  double smoothing;
  double *quantile; /* [n_annotators]; NULL before the first round */
} Catd;

static void
set_quantiles (Catd *catd, const double *right, gint32 n_annotators)
{
  catd->quantile = g_new0 (double, n_annotators);
  for (gint32 a = 0; a < n_annotators; a++)
    if (right[2 * a] > 0)
      catd->quantile[a] = sl_chi_square_quantile (TAIL, right[2 * a]);
}

static void
by_confidence (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
               double *weight)
{
  Catd *catd = data;
  double sum = 0;
  if (catd->quantile == NULL)
    set_quantiles (catd, right, n_annotators);
  for (gint32 a = 0; a < n_annotators; a++)
    {
      weight[a] = catd->quantile[a] / (right[2 * a] - right[2 * a + 1] + catd->smoothing);
      sum += weight[a];
    }
  for (gint32 a = 0; a < n_annotators; a++)
    weight[a] /= sum;
}

gboolean
sl_fit_catd (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  Catd catd = { .smoothing = MAX (sl_or_own (settings->smoothing, 1e-9), 1e-100) };
  vote_by_turns (items, answers, settings, learned, 100, by_confidence, &catd);
  g_free (catd.quantile);
  return TRUE;
}
