/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reweighted-vote.h"

#include "stages/aggregate/methods/no-answers.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

#include <string.h>

void
sl_reweighted_vote (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, SlLearned *learned, gint64 rounds,
                    SlReweigh reweigh, gpointer data)
{
  if (sl_no_answers (items, answers, settings, learned))
    return;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 2);
  gsize n = (gsize) by.n_annotators;
  g_autofree double *right = g_new0 (double, n * 2);
  g_autofree double *before = g_new0 (double, n * 2);
  g_autofree double *weight = g_new0 (double, n);
  if (settings->iterations > 0)
    rounds = settings->iterations;
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
}
