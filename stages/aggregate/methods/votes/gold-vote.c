/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vote of annotators who have been tested: each answer counts its annotator's share of right
 * answers to items whose gold class is known.
 *   s_a = (right_a + e m) / (tested_a + e),   m = Σ_a right_a / Σ_a tested_a
 *   p_ik = Σ_{a said k} s_a / Σ_a s_a
 * (As crowd-kit 1.4's GoldMajorityVote, which has no e and refuses annotators without a gold
 * item.) Smoothing e is 0 by default; an annotator who was never tested counts as the mean of all
 * answers, m. Items with gold are voted on like the others unless their gold class is kept.
 * Deterministic. */
#include "pipeline/base/error.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

gboolean
sl_fit_gold_vote (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                  SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 2);
  g_autofree double *right = g_new0 (double, (gsize) by.n_annotators * 2);
  g_autofree double *skill = g_new0 (double, (gsize) by.n_annotators);
  double mean = 0, tested = 0, smoothing = sl_or_own (settings->smoothing, 0);
  if (items->gold != NULL)
    mean = sl_weighted_right (items, &by, items->gold, settings, right);
  for (gint32 a = 0; a < by.n_annotators; a++)
    tested += right[2 * a];
  if (!(tested > 0))
    return sl_error_bad_input (
        error, "no annotator answered an item whose gold class is known: gold-vote needs some, "
               "other methods do without");
  for (gint32 a = 0; a < by.n_annotators; a++)
    skill[a] = right[2 * a] + smoothing > 0
                   ? (right[2 * a + 1] + smoothing * mean) / (right[2 * a] + smoothing)
                   : mean;
  sl_weighted_vote (items, &by, skill, SL_WEIGHTED_SHARES, settings);
  sl_posterior_learn (items, &by, skill, learned);
  return TRUE;
}
