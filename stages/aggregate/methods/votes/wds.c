/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weighted Dawid & Skene (as peerannot's WDS): the vote, each answer weighing how often its
 * annotator recognises the class that it names.
 *   T      = labels by Dawid & Skene's EM (confusion/dawid-skene.c)
 *   w_ak   = (e + Σ over i that a called k of T_ik) / (K e + Σ over i that a answered of T_ik)
 *   p_ik   = Σ_{a said k} w_ak / Σ over a's answers x to i of w_ax
 * Softer than T, which multiplies where this adds. e: the smoothing, 0.01; iterations and
 * tolerance are those of the EM. An item whose answers have no weight keeps its vote share.
 * peerannot has e = 0, 50 rounds, and takes w from the round before the last labels. */
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

static void
vote (const SlItems *items, const SlByItem *by, const double *mass, double smoothing,
      const SlMethodSettings *settings)
{
  gsize n = (gsize) by->n_classes;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      double *p = &items->label[(gsize) i * n];
      gint32 gold = sl_posterior_gold (items, settings, i);
      for (int weighted = 1; weighted >= 0; weighted--)
        {
          memset (p, 0, n * sizeof *p);
          for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
            {
              gsize k = (gsize) by->answer[j];
              const double *own = &mass[((gsize) by->annotator[j] * n + k) * 2];
              double all = own[0] + (double) n * smoothing;
              double weight = weighted ? (all > 0 ? (own[1] + smoothing) / all : 0) : 1;
              p[k] += weight * sl_by_item_count (by, j);
            }
          if (sl_posterior_from_scores (p, by->n_classes))
            break;
        }
      if (gold >= 0)
        sl_posterior_set (p, by->n_classes, gold);
      else if (by->first[i] == by->first[i + 1])
        sl_posterior_from_logs (p, by->n_classes);
    }
}

gboolean
sl_fit_wds (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  SlLearned rounds = { .round = learned->round, .note = learned->note, .data = learned->data };
  if (!sl_fit_dawid_skene (items, answers, settings, &rounds, error))
    return FALSE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree double *mass = g_new0 (double, (gsize) by.n_annotators *(gsize) by.n_classes * 2);
  /* mass[n_annotators][n_classes][2]: of items that a answered, T_ik in all, and where a said k. */
  gsize n = (gsize) by.n_classes;
  for (gint32 i = 0; i < by.n_items; i++)
    for (gint64 j = by.first[i]; j < by.first[i + 1]; j++)
      {
        const double *p = &items->label[(gsize) i * n];
        double *mine = &mass[(gsize) by.annotator[j] * n * 2], count = sl_by_item_count (&by, j);
        for (gsize k = 0; k < n; k++)
          mine[2 * k] += p[k] * count;
        mine[2 * (gsize) by.answer[j] + 1] += p[by.answer[j]] * count;
      }
  vote (items, &by, mass, sl_or_own (settings->smoothing, 0.01), settings);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}
