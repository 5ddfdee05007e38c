/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worker Agreement with Aggregate: the vote, each annotator's skill by it, and the vote again
 * with every answer counting its annotator's skill.
 *   v_i = the class with most votes, the first of several (or the gold class, if it is kept)
 *   s_a = share of a's answers that are v_i
 *   p_ik = Σ_{a said k} s_a / Σ_a s_a
 * (Appen; as crowd-kit 1.4's Wawa.) An item whose annotators all have skill 0 keeps its vote
 * share; an annotator without answers has skill 0. Deterministic, one round; no settings but
 * fix_gold. */
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/no-answers.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

gboolean
sl_fit_wawa (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  (void) error;
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 2);
  g_autofree double *right = g_new0 (double, (gsize) by.n_annotators * 2);
  g_autofree double *skill = g_new0 (double, (gsize) by.n_annotators);
  sl_posterior_shares (items, settings);
  double agreement = sl_weighted_right (items, &by, NULL, settings, right);
  for (gint32 a = 0; a < by.n_annotators; a++)
    skill[a] = right[2 * a] > 0 ? right[2 * a + 1] / right[2 * a] : 0;
  sl_weighted_vote (items, &by, skill, SL_WEIGHTED_SHARES, settings);
  sl_round_over (settings, learned, 1, 1, agreement);
  sl_posterior_learn (items, &by, skill, learned);
  return TRUE;
}
