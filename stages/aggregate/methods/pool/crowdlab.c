/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CROWDLAB (Goh, Tkachenko & Mueller, "CROWDLAB: Supervised learning to infer consensus labels
 * and quality scores for data with multiple annotators", NeurIPS 2022 workshop on human in the
 * loop learning; as cleanlab 2's get_label_quality_multiannotator): the mean of what a model
 * predicts and of what each answer says, weighted by how far each beats always naming the
 * commonest class.
 *   ŷ_i    = the consensus; at first the vote
 *   P      = mean, over the items with two answers or more, of the share of answers that are ŷ_i
 *   answer l says P of class l and (1 - P) / (K - 1) of the others
 *   A_MLC  = share of those items whose ŷ_i is not the commonest ŷ, at least 1e-6
 *   A_a    = share of the other annotators' answers to a's items that are not a's
 *   w_a    = max (1 - A_a / A_MLC, 1e-6)
 *   w_M    = max (1 - A_M / A_MLC, 1e-6) × √(mean number of answers), A_M: share where the
 *   model's ≠ ŷ_i
 *   p_i    = (w_M model_i + Σ_a w_a says) / (w_M + Σ_a w_a)
 * and once more with ŷ_i = argmax p_i (several: the vote). Votes tie-break by the model, then the
 * rarer class, then the accuracy of those who named it, then the first class (cleanlab: at
 * random).
 *
 * Reliability is w lqs_a + (1 - w) acc_a, with lqs_a the mean p of a's answers, acc_a the share
 * of them that are ŷ_i where others answered too, and w = w_M / (w_M + mean number of answers ×
 * mean w_a). An annotator whom nobody else's answers can be held against gets the mean A of the
 * others; where there is no item with two answers, all items stand for those, and the model for
 * the others. A kept gold class is ŷ_i, and the label. Deterministic; two passes over the answers
 * for each of the two rounds. */
#include "pipeline/base/error.h"
#include "pipeline/base/largest.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "stages/aggregate/methods/votes/weighted-vote.h"

#include <math.h>
#include <string.h>

static const double least = 1e-6;

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  const double *model;  /* [n_items][n_classes] */
  double *votes;        /* [n_classes]: of one item */
  double *answered;     /* [n_items] */
  double *agreement;    /* [n_annotators]: 1 - A_a */
  double *weight;       /* [n_annotators]: w_a */
  gint32 *vote;         /* [n_items] */
  gint32 *consensus;    /* [n_items]: ŷ */
  double least_answers; /* of an item that counts: 2, or where none has as many, 1 */
  double mean_answers, model_weight, likelihood; /* likelihood: P */
} Crowdlab;

static double
count_votes (Crowdlab *lab, gint32 i)
{
  const SlByItem *by = lab->by;
  double all = 0;
  memset (lab->votes, 0, (gsize) by->n_classes * sizeof *lab->votes);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      lab->votes[by->answer[j]] += sl_by_item_count (by, j);
      all += sl_by_item_count (by, j);
    }
  return all;
}

/* Leaves, of the classes still in, those with the largest SCORE; how many. */
static gint32
keep_best (gboolean *in, const double *score, gint32 n)
{
  double best = -INFINITY;
  gint32 kept = 0;
  for (gint32 k = 0; k < n; k++)
    best = in[k] && score[k] > best ? score[k] : best;
  for (gint32 k = 0; k < n; k++)
    kept += in[k] = in[k] && score[k] == best;
  return kept;
}

static gint32
first_in (const gboolean *in)
{
  gint32 k = 0;
  while (!in[k])
    k++;
  return k;
}

/* The mean accuracy of those who gave item I each of its answers. */
static void
accuracy_of_voters (Crowdlab *lab, gint32 i, const double *right, double mean, double *score)
{
  const SlByItem *by = lab->by;
  count_votes (lab, i);
  memset (score, 0, (gsize) by->n_classes * sizeof *score);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      const double *mine = &right[2 * (gsize) by->annotator[j]];
      score[by->answer[j]] += (mine[0] > 0 ? mine[1] / mine[0] : mean) * sl_by_item_count (by, j);
    }
  for (gint32 k = 0; k < by->n_classes; k++)
    score[k] = lab->votes[k] > 0 ? score[k] / lab->votes[k] : 0;
}

/* The mean of the accuracies of the annotators who have one. */
static double
mean_accuracy (const double *right, gint32 n_annotators)
{
  double sum = 0, n = 0;
  for (gint32 a = 0; a < n_annotators; a++)
    if (right[2 * a] > 0)
      {
        sum += right[2 * a + 1] / right[2 * a];
        n++;
      }
  return n > 0 ? sum / n : 0;
}

/* vote[]; -1 where classes tie, which is then settled item by item. */
static void
set_votes (Crowdlab *lab)
{
  const SlByItem *by = lab->by;
  gsize n = (gsize) by->n_classes;
  g_autofree double *rarity = g_new0 (double, n);
  g_autofree double *score = g_new (double, n);
  g_autofree double *right = g_new0 (double, (gsize) by->n_annotators * 2);
  g_autofree gboolean *in = g_new (gboolean, n);
  for (gint64 j = 0; j < by->n_answers; j++)
    rarity[by->answer[j]] -= sl_by_item_count (by, j);
  for (int settle = 0; settle < 2; settle++)
    {
      double mean = 0;
      if (settle)
        {
          sl_weighted_right (lab->items, by, lab->vote, lab->settings, right);
          mean = mean_accuracy (right, by->n_annotators);
        }
      for (gint32 i = 0; i < by->n_items; i++)
        {
          if (settle && lab->vote[i] >= 0)
            continue;
          lab->answered[i] = count_votes (lab, i);
          for (gsize k = 0; k < n; k++)
            in[k] = TRUE;
          gint32 tied = keep_best (in, lab->votes, by->n_classes);
          if (settle && keep_best (in, &lab->model[(gsize) i * n], by->n_classes) > 1
              && keep_best (in, rarity, by->n_classes) > 1)
            {
              accuracy_of_voters (lab, i, right, mean, score);
              keep_best (in, score, by->n_classes);
            }
          lab->vote[i] = settle || tied == 1 ? first_in (in) : -1;
        }
    }
}

/* 1 - A_a: of the other answers to each of a's items, the share that is a's answer too. */
static void
set_agreement (Crowdlab *lab)
{
  const SlByItem *by = lab->by;
  gsize n_annotators = (gsize) by->n_annotators;
  g_autofree double *others = g_new0 (double, n_annotators);
  double sum = 0, n = 0;
  memset (lab->agreement, 0, n_annotators * sizeof *lab->agreement);
  for (gint32 i = 0; i < by->n_items; i++)
    {
      double all = count_votes (lab, i);
      gint32 model = sl_largest (&lab->model[(gsize) i * (gsize) by->n_classes], by->n_classes);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          gsize a = (gsize) by->annotator[j];
          double count = sl_by_item_count (by, j);
          gboolean alone = lab->least_answers < 2;
          others[a] += alone ? 1 : count * (all - 1);
          lab->agreement[a]
              += alone ? by->answer[j] == model : count * (lab->votes[by->answer[j]] - 1);
        }
    }
  for (gsize a = 0; a < n_annotators; a++)
    if (others[a] > 0)
      {
        lab->agreement[a] /= others[a];
        sum += lab->agreement[a];
        n++;
      }
  for (gsize a = 0; a < n_annotators; a++)
    lab->agreement[a] = others[a] > 0 ? lab->agreement[a] : n > 0 ? sum / n : 0;
}

/* P, w_M and w_a by the consensus. */
static void
set_weights (Crowdlab *lab)
{
  const SlByItem *by = lab->by;
  gsize n = (gsize) by->n_classes;
  g_autofree double *named = g_new0 (double, n);
  double items = 0, agree = 0, wrong = 0;
  for (gint32 i = 0; i < by->n_items; i++)
    if (lab->answered[i] >= lab->least_answers)
      {
        gint32 y = lab->consensus[i];
        count_votes (lab, i);
        items++;
        named[y]++;
        agree += lab->votes[y] / lab->answered[i];
        wrong += sl_largest (&lab->model[(gsize) i * n], (gint32) n) != y;
      }
  if (items == 0)
    return;
  double base = MAX (1 - named[sl_largest (named, (gint32) n)] / items, least);
  lab->likelihood = agree / items;
  lab->model_weight = MAX (1 - wrong / items / base, least) * sqrt (lab->mean_answers);
  for (gint32 a = 0; a < by->n_annotators; a++)
    lab->weight[a] = MAX (1 - (1 - lab->agreement[a]) / base, least);
}

static void
set_labels (Crowdlab *lab)
{
  const SlByItem *by = lab->by;
  gint32 n = by->n_classes;
  double other = n > 1 ? (1 - lab->likelihood) / (n - 1) : 0;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      double *p = &lab->items->label[(gsize) i * (gsize) n];
      const double *model = &lab->model[(gsize) i * (gsize) n];
      gint32 gold = sl_posterior_gold (lab->items, lab->settings, i);
      for (gint32 k = 0; k < n; k++)
        p[k] = lab->model_weight * model[k];
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double weight = lab->weight[by->annotator[j]] * sl_by_item_count (by, j);
          for (gint32 k = 0; k < n; k++)
            p[k] += weight * (k == by->answer[j] ? lab->likelihood : other);
        }
      if (gold >= 0)
        sl_posterior_set (p, n, gold);
      else if (!sl_posterior_from_scores (p, n))
        for (gint32 k = 0; k < n; k++)
          p[k] = 1.0 / n;
    }
}

/* ŷ_i: of the largest p_i the one, or of several, the vote. */
static void
set_consensus (Crowdlab *lab)
{
  gint32 n = lab->by->n_classes;
  for (gint32 i = 0; i < lab->by->n_items; i++)
    {
      const double *p = &lab->items->label[(gsize) i * (gsize) n];
      gint32 top = sl_largest (p, n), tied = 0;
      for (gint32 k = 0; k < n; k++)
        tied += p[k] == p[top];
      lab->consensus[i] = tied > 1 ? lab->vote[i] : top;
    }
}

/* w_a becomes each annotator's quality. */
static void
set_quality (Crowdlab *lab)
{
  const SlByItem *by = lab->by;
  gsize n_annotators = (gsize) by->n_annotators;
  /* answers, Σ p, answers held against ŷ, right */
  g_autofree double *sums = g_new0 (double, n_annotators * 4);
  double weights = 0;
  for (gint32 i = 0; i < by->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        double *mine = &sums[4 * (gsize) by->annotator[j]], count = sl_by_item_count (by, j);
        mine[0] += count;
        mine[1]
            += count * lab->items->label[(gsize) i * (gsize) by->n_classes + (gsize) by->answer[j]];
        mine[2] += lab->answered[i] >= lab->least_answers ? count : 0;
        mine[3] += lab->answered[i] >= lab->least_answers && by->answer[j] == lab->consensus[i]
                       ? count
                       : 0;
      }
  for (gsize a = 0; a < n_annotators; a++)
    weights += lab->weight[a];
  weights *= lab->mean_answers / (double) n_annotators;
  for (gsize a = 0; a < n_annotators; a++)
    {
      const double *mine = &sums[4 * a];
      double w = mine[2] > 0 ? lab->model_weight / (lab->model_weight + weights) : 1;
      lab->weight[a] = mine[0] > 0 ? w * mine[1] / mine[0] : 0;
      lab->weight[a] += mine[2] > 0 ? (1 - w) * mine[3] / mine[2] : 0;
    }
}

static void
run_rounds (Crowdlab *lab)
{
  const SlByItem *by = lab->by;
  lab->least_answers = 1;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      lab->answered[i] = count_votes (lab, i);
      lab->mean_answers += lab->answered[i] / by->n_items;
      lab->least_answers = MAX (lab->least_answers, MIN (lab->answered[i], 2));
    }
  set_votes (lab);
  set_agreement (lab);
  memcpy (lab->consensus, lab->vote, (gsize) by->n_items * sizeof *lab->vote);
  for (int round = 0; round < 2; round++)
    {
      for (gint32 i = 0; i < by->n_items; i++)
        {
          gint32 gold = sl_posterior_gold (lab->items, lab->settings, i);
          lab->consensus[i] = gold >= 0 ? gold : lab->consensus[i];
        }
      set_weights (lab);
      set_labels (lab);
      if (round == 0)
        set_consensus (lab);
    }
}

gboolean
sl_fit_crowdlab (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                 SlLearned *learned, GError **error)
{
  if (answers->prediction == NULL)
    return sl_error_usage (
        error, "crowdlab weighs annotators together with a model: give its --predictions");
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  gsize n_items = (gsize) items->n_items, n_annotators = (gsize) answers->n_annotators;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree double *votes = g_new0 (double, (gsize) items->n_classes);
  g_autofree double *answered = g_new0 (double, n_items);
  g_autofree double *agreement = g_new0 (double, n_annotators);
  g_autofree double *weight = g_new0 (double, n_annotators);
  g_autofree gint32 *vote = g_new0 (gint32, n_items);
  g_autofree gint32 *consensus = g_new0 (gint32, n_items);
  Crowdlab lab = {
    .items = items,
    .by = &by,
    .settings = settings,
    .model = answers->prediction,
    .votes = votes,
    .answered = answered,
    .agreement = agreement,
    .weight = weight,
    .vote = vote,
    .consensus = consensus,
  };
  run_rounds (&lab);
  if (learned->vote_weight != NULL)
    {
      memcpy (learned->vote_weight, weight, n_annotators * sizeof *weight);
      learned->vote_weight[n_annotators] = lab.model_weight;
    }
  if (learned->consensus != NULL)
    memcpy (learned->consensus, consensus, n_items * sizeof *consensus);
  set_quality (&lab);
  sl_posterior_learn (items, &by, weight, learned);
  return TRUE;
}
