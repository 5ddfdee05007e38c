/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ActiveLab (Goh & Mueller, "ActiveLab: Active learning with re-labeling by multiple annotators",
 * ICLR 2023 workshop on trustworthy ML; as cleanlab 2.9's get_active_learning_scores). With
 * CROWDLAB's label p_i, consensus ŷ_i, weights w_a of annotators and w_M of the model, and w̄ the
 * mean of w_a,
 *   s_i = ((w_M + Σ_{a answered i} w_a) p_i,ŷ_i + w̄ / K) / (w_M + Σ_{a answered i} w_a + w̄)
 * and of an item without answers, whose prediction is q,
 *   s_i = (w_M max_k q_k + w̄ / K) / (w_M + w̄):
 * the fewer and worse the answers, the nearer to 1/K. Ask where it is least. Predictions are
 * brought to a temperature beforehand: the best of 0.1, 0.2, 0.5, 0.8, 1, 2, 3, 5, 8, and then of
 * four steps to each of its neighbours, by the mean cross-entropy to the shares of the answers,
 * where, as in cleanlab 2.9, an item's shares stand in the places of the first classes, however
 * many it has answers of: scores are to be the same, although that makes most temperatures too
 * high. */
#include "activelab.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/vector-math.h"

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

enum
{
  PART = 4096 /* items */
};

static const double least = 1e-30;

typedef struct
{
  const double *sums;
  double *predictions; /* where they are scaled; or their logarithms */
  double *part;        /* [n_parts] */
  gint32 n_items, n_classes;
  double temperature;
} Work;

/* Of p = 0 so little that no temperature brings it back. */
static void
log_part (int part, gpointer data)
{
  Work *work = data;
  gsize n = (gsize) work->n_classes, end = (gsize) MIN ((part + 1) * PART, work->n_items) * n;
  for (gsize v = (gsize) part * PART * n; v < end; v++)
    work->predictions[v] = work->predictions[v] > 0 ? sl_scalar_log (work->predictions[v]) : -1e5;
}

/* The cross-entropies of a part's items. */
SL_VECTORS static void
entropy_part (int part, gpointer data)
{
  Work *work = data;
  gsize n = (gsize) work->n_classes;
  gint32 end = MIN ((part + 1) * PART, work->n_items);
  double log_least = sl_scalar_log (least), all = 0;
  for (gint32 i = part * PART; i < end; i++)
    {
      const double *logs = work->predictions + (gsize) i * n, *votes = work->sums + (gsize) i * n;
      double sum = 0, n_votes = 0, entropy = 0;
      for (gsize k = 0; k < n; k++)
        {
          sum += sl_scalar_exp (logs[k] / work->temperature);
          n_votes += votes[k];
        }
      double log_sum = sl_scalar_log (sum);
      for (gsize k = 0, place = 0; k < n; k++)
        if (votes[k] > 0)
          {
            double log_p = logs[place++] / work->temperature - log_sum;
            entropy -= votes[k] / n_votes * MAX (log_p, log_least);
          }
      all += entropy;
    }
  work->part[part] = all;
}

static double
cross_entropy (Work *work, double temperature, int threads)
{
  int n_parts = work->n_items / PART + (work->n_items % PART > 0);
  double sum = 0;
  work->temperature = temperature;
  sl_parallel (threads, n_parts, entropy_part, work);
  for (int part = 0; part < n_parts; part++)
    sum += work->part[part];
  return sum;
}

double
sl_activelab_temperature (const double *predictions, const double *sums, gint32 n_items,
                          gint32 n_classes, int threads)
{
  static const double coarse[] = { 0.1, 0.2, 0.5, 0.8, 1, 2, 3, 5, 8 };
  g_autofree double *part = g_new0 (double, n_items / PART + 1);
  g_autofree double *logs
      = g_memdup2 (predictions, MAX ((gsize) n_items * (gsize) n_classes, 1) * sizeof *logs);
  Work work = {
    .sums = sums, .predictions = logs, .part = part, .n_items = n_items, .n_classes = n_classes
  };
  sl_parallel (threads, n_items / PART + (n_items % PART > 0), log_part, &work);
  gsize best = 0, last = G_N_ELEMENTS (coarse) - 1;
  double lowest = INFINITY, temperature = 1;
  for (gsize c = 0; c <= last; c++)
    {
      double entropy = cross_entropy (&work, coarse[c], threads);
      best = entropy < lowest ? c : best;
      lowest = MIN (lowest, entropy);
    }
  lowest = INFINITY;
  /* From the neighbour below to the one above, whose own temperature is among them. */
  for (int step = best > 0 ? -4 : 0; step <= (best < last ? 4 : -1); step++)
    {
      double from = coarse[step < 0 ? best - 1 : best], to = coarse[step < 0 ? best : best + 1];
      double fine = from + (to - from) / 4 * (step < 0 ? step + 4 : step);
      double entropy = cross_entropy (&work, fine, threads);
      temperature = entropy < lowest ? fine : temperature;
      lowest = MIN (lowest, entropy);
    }
  return temperature;
}

SL_VECTORS static void
scale_part (int part, gpointer data)
{
  Work *work = data;
  gsize n = (gsize) work->n_classes;
  gint32 end = MIN ((part + 1) * PART, work->n_items);
  for (gint32 i = part * PART; i < end; i++)
    {
      double *p = work->predictions + (gsize) i * n, clipped = 0, sum = 0;
      for (gsize k = 0; k < n; k++)
        clipped += MAX (p[k], least);
      for (gsize k = 0; k < n; k++)
        {
          p[k] = sl_scalar_exp (sl_scalar_log (MAX (p[k], least) / clipped) / work->temperature);
          sum += p[k];
        }
      for (gsize k = 0; k < n; k++)
        p[k] /= sum;
    }
}

void
sl_activelab_scale (double *predictions, gint32 n, gint32 n_classes, double temperature,
                    int threads)
{
  Work work = {
    .predictions = predictions, .n_items = n, .n_classes = n_classes, .temperature = temperature
  };
  sl_parallel (threads, n / PART + (n % PART > 0), scale_part, &work);
}

gboolean
sl_activelab_single (const double *sums, const double *weight, gint32 n_items, gint32 n_classes,
                     gint32 *consensus)
{
  for (gint32 i = 0; i < n_items; i++)
    {
      if (weight[i] > 1)
        return FALSE;
      const double *votes = sums + (gsize) i * (gsize) n_classes;
      consensus[i] = 0;
      while (consensus[i] < n_classes - 1 && votes[consensus[i]] <= 0)
        consensus[i]++;
    }
  return TRUE;
}

/* Of nobody it is 1, as of the model that stands alone. */
static double
mean_weight (const SlActiveLab *lab, gint32 n_annotators)
{
  double sum = 0;
  for (gint32 a = 0; a < n_annotators; a++)
    sum += lab->weight[a];
  return n_annotators > 0 ? sum / n_annotators : 1;
}

void
sl_activelab_score (const SlActiveLab *lab, const SlAnswers *answers, gint32 n_items,
                    gint32 n_classes, double *score)
{
  double mean = mean_weight (lab, answers->n_annotators);
  for (gint32 i = 0; i < n_items; i++)
    score[i] = lab->weight[answers->n_annotators];
  for (gint64 j = 0; j < answers->n_answers; j++)
    score[answers->item[j]]
        += lab->weight[answers->annotator[j]] * (answers->count != NULL ? answers->count[j] : 1);
  for (gint32 i = 0; i < n_items; i++)
    {
      double quality = lab->label[(gsize) i * (gsize) n_classes + (gsize) lab->consensus[i]];
      score[i] = (score[i] * quality + mean / n_classes) / (score[i] + mean);
    }
}

double
sl_activelab_unanswered (const SlActiveLab *lab, gint32 n_annotators, const double *p,
                         gint32 n_classes)
{
  double mean = mean_weight (lab, n_annotators), model = lab->weight[n_annotators], most = 0;
  for (gint32 k = 0; k < n_classes; k++)
    most = MAX (most, p[k]);
  return (model * most + mean / n_classes) / (model + mean);
}
