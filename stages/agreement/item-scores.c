/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-scores.h"

#include "activelab.h"

#include <math.h>
#include <string.h>

double *
sl_item_scores (SlGathering *crowd, SlPriors *priors, double temperature, GError **error)
{
  gint32 n_items = crowd->tally.n_items, n = crowd->tally.n_classes, threads = crowd->run->threads;
  g_autofree double *predictions = sl_priors_read_predictions (priors, crowd->items, TRUE, error);
  if (predictions == NULL)
    return NULL;
  gint32 n_all = sl_intern_size (crowd->items);
  sl_gathering_arrange_values (crowd, predictions, (gsize) n * sizeof *predictions);
  gsize size = MAX ((gsize) n_items * (gsize) n, 1);
  if (!sl_run_claim (crowd->run, 3 * size * sizeof (double), "predictions for every item", error))
    return NULL;
  SlAnswers answers = sl_collected_answers (&crowd->answers);
  g_autofree double *label = g_memdup2 (predictions, size * sizeof *label);
  g_autofree double *weight = g_new (double, (gsize) answers.n_annotators + 1);
  g_autofree gint32 *consensus = g_new (gint32, MAX (n_items, 1));
  g_autofree double *score = g_new (double, MAX (n_all, 1)),
                    *by_place = g_new (double, MAX (n_items, 1));
  const SlActiveLab lab = { .label = label, .weight = weight, .consensus = consensus };
  if (sl_activelab_single (crowd->tally.sum, crowd->tally.weight, n_items, n, consensus))
    for (gint32 a = 0; a <= answers.n_annotators; a++)
      weight[a] = 1;
  else
    {
      if (isnan (temperature))
        temperature = sl_activelab_temperature (predictions, crowd->tally.sum, n_items, n, threads);
      sl_run_note (crowd->run, "predictions are taken to temperature %.6g", temperature);
      sl_activelab_scale (predictions, n_all, n, temperature, threads);
      answers.prediction = predictions;
      memcpy (label, crowd->tally.sum, size * sizeof *label);
      const SlItems items
          = { .n_items = n_items, .n_classes = n, .label = label, .weight = crowd->tally.weight };
      const SlMethodSettings settings = { .threads = threads };
      SlLearned learned = { .vote_weight = weight, .consensus = consensus };
      if (!sl_method_find ("crowdlab")->fit (&items, &answers, &settings, &learned, error))
        return NULL;
    }
  sl_activelab_score (&lab, &answers, n_items, n, by_place);
  for (gint32 i = 0; i < n_items; i++)
    score[i] = by_place[sl_gathering_place (crowd, i)];
  for (gint32 i = n_items; i < n_all; i++)
    score[i] = sl_activelab_unanswered (&lab, answers.n_annotators,
                                        predictions + (gsize) i * (gsize) n, n);
  return g_steal_pointer (&score);
}
