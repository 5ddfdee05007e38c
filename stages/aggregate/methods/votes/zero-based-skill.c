/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Skills learned by agreement with the vote that they weigh:
 *   p_ik = Σ_{a said k} s_a / Σ_a s_a,   v_i = argmax_k p_ik, the first of several
 *   s_a += η (share of a's answers that are v_i - s_a)
 * from s_a = 1/K + 1e-5, with η = 1, halved in rounds 20, 40, 60 ... (Toloka; as crowd-kit 1.4's
 * ZeroBasedSkill). 100 rounds by default, fewer as soon as a round moves no skill by more than
 * the tolerance (0 by default: then every further round would be the same). An item whose
 * annotators all have skill 0 keeps its vote share. Deterministic. */
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

#include <math.h>

enum
{
  ROUNDS = 100,
  ROUNDS_TO_HALVE = 20,
};

gboolean
sl_fit_zero_based_skill (const SlItems *items, const SlAnswers *answers,
                         const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 2);
  g_autofree double *right = g_new0 (double, (gsize) by.n_annotators * 2);
  g_autofree double *skill = g_new0 (double, (gsize) by.n_annotators);
  for (gint32 a = 0; a < by.n_annotators; a++)
    skill[a] = 1.0 / items->n_classes + 1e-5;
  gint64 rounds = sl_rounds (settings, ROUNDS);
  double tolerance = sl_or_own (settings->tolerance, 0), rate = 1, most = INFINITY;
  for (gint64 round = 1; round <= rounds && most > tolerance; round++)
    {
      rate *= round % ROUNDS_TO_HALVE == 0 ? 0.5 : 1;
      sl_weighted_vote (items, &by, skill, SL_WEIGHTED_SHARES, settings);
      double agreement = sl_weighted_right (items, &by, NULL, settings, right);
      most = 0;
      for (gint32 a = 0; a < by.n_annotators; a++)
        {
          double step = right[2 * a] > 0 ? rate * (right[2 * a + 1] / right[2 * a] - skill[a]) : 0;
          skill[a] += step;
          most = MAX (most, fabs (step));
        }
      sl_round_over (settings, learned, round, rounds, agreement);
    }
  sl_weighted_vote (items, &by, skill, SL_WEIGHTED_SHARES, settings);
  sl_posterior_learn (items, &by, skill, learned);
  return TRUE;
}
