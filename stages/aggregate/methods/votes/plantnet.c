/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pl@ntNet's vote (Lefort, Affouard, Charlier, Lombardo, Chouet, Goëau, Salmon, Bonnet & Joly,
 * "Cooperative learning of Pl@ntNet's artificial intelligence algorithm", Methods in Ecology and
 * Evolution, 2025): who has named many different classes as the vote did knows more of them. With
 * n_a = a tenth of the number of such classes, rounded,
 *   w_a = √n_a - n_a^0.2 + log 2.1
 *   p_ik = Σ_{a said k} w_a / Σ_a w_a,   v_i = argmax_k p_ik, the first of several
 * from the vote. As peerannot's PlantNet without the items' authors, of whom there is no column:
 * for them each class of an observation of their own counts whole, not a tenth. Tenths are added up
 * one by one, as there, and halves go by what doubles make of the sum: 5 classes give 0, 15 give 2,
 * 25 give 3, 65 give 6. One round unless --iterations says more: peerannot looks at the first vote
 * in every round, so that its weights are those of one; the paper goes on. With five classes or
 * fewer all weigh the same, log 2.1.
 * Every item gets its label; peerannot calls valid those whose winner has more than 0.7 of the
 * weight, and more than 2 of it. Deterministic. */
#include "pipeline/base/largest.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "weighted-vote.h"

#include <math.h>
#include <string.h>

/* found[n_annotators]: n_a before rounding. SEEN: a bit for each annotator and class. */
static void
count_classes (const SlItems *items, const SlByItem *by, guint8 *seen, double *found)
{
  gsize n = (gsize) by->n_classes;
  memset (seen, 0, (gsize) by->n_annotators * n / 8 + 1);
  memset (found, 0, (gsize) by->n_annotators * sizeof *found);
  for (gint32 i = 0; i < by->n_items; i++)
    {
      gint32 winner = sl_largest (&items->label[(gsize) i * n], by->n_classes);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          gsize bit = (gsize) by->annotator[j] * n + (gsize) winner;
          if (by->answer[j] != winner || seen[bit / 8] & 1 << bit % 8)
            continue;
          seen[bit / 8] |= (guint8) (1 << bit % 8);
          found[by->annotator[j]] += 0.1;
        }
    }
}

gboolean
sl_fit_plantnet (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                 SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  gsize n = (gsize) by.n_annotators;
  g_autofree guint8 *seen = g_malloc (n * (gsize) by.n_classes / 8 + 1);
  g_autofree double *found = g_new (double, n);
  g_autofree double *weight = g_new0 (double, n);
  gint64 rounds = MAX (settings->iterations, 1);
  gboolean moved = TRUE;
  sl_posterior_shares (items, settings);
  for (gint64 round = 1; round <= rounds && moved; round++)
    {
      moved = FALSE;
      count_classes (items, &by, seen, found);
      for (gsize a = 0; a < n; a++)
        {
          double classes = rint (found[a]), was = weight[a];
          weight[a] = sl_scalar_log (2.1);
          if (classes > 0)
            weight[a] += sqrt (classes) - sl_scalar_exp (0.2 * sl_scalar_log (classes));
          moved |= weight[a] != was;
        }
      sl_weighted_vote (items, &by, weight, SL_WEIGHTED_SHARES, settings);
      sl_round_over (settings, learned, round, rounds, 0);
    }
  sl_posterior_learn (items, &by, weight, learned);
  return TRUE;
}
