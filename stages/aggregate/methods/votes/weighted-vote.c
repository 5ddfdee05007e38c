/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "weighted-vote.h"

#include "pipeline/base/error.h"
#include "pipeline/base/largest.h"
#include "pipeline/base/parallel.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const double *weight; /* [n_annotators] */
  const gint32 *klass;  /* [n_items] */
  double *right;        /* [n_parts][n_annotators][2] */
  SlWeighted way;
  const SlMethodSettings *settings;
} Vote;

static void
sum_weights (const SlByItem *by, const double *weight, gint32 i, double *p)
{
  memset (p, 0, (gsize) by->n_classes * sizeof *p);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    p[by->answer[j]] += (weight == NULL ? 1 : weight[by->annotator[j]]) * sl_by_item_count (by, j);
}

/* Who is wrong more often than by chance speaks against a class, and so for all others. */
static void
raise_to_zero (double *p, gint32 n)
{
  double least = 0;
  for (gint32 k = 0; k < n; k++)
    least = MIN (least, p[k]);
  for (gint32 k = 0; k < n; k++)
    p[k] -= least;
}

static void
vote_part (int part, gpointer data)
{
  const Vote *vote = data;
  const SlByItem *by = vote->by;
  gint32 n = by->n_classes;
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double *p = &vote->items->label[(gsize) i * (gsize) n];
      gint32 gold = sl_posterior_gold (vote->items, vote->settings, i);
      if (gold >= 0)
        {
          sl_posterior_set (p, n, gold);
          continue;
        }
      sum_weights (by, vote->weight, i, p);
      if (vote->way == SL_WEIGHTED_SHARES)
        raise_to_zero (p, n);
      if (vote->way == SL_WEIGHTED_SHARES && sl_posterior_from_scores (p, n))
        continue;
      if (vote->way == SL_WEIGHTED_SHARES)
        {
          sum_weights (by, NULL, i, p);
          if (sl_posterior_from_scores (p, n))
            continue;
        }
      sl_posterior_from_logs (p, n);
    }
}

void
sl_weighted_vote (const SlItems *items, const SlByItem *by, const double *weight, SlWeighted way,
                  const SlMethodSettings *settings)
{
  Vote vote = { .items = items, .by = by, .weight = weight, .way = way, .settings = settings };
  sl_parallel (settings->threads, by->n_parts, vote_part, &vote);
}

static void
count_part (int part, gpointer data)
{
  const Vote *vote = data;
  const SlByItem *by = vote->by;
  double *right = &vote->right[(gsize) part * (gsize) by->n_annotators * 2];
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      gint32 k = vote->klass != NULL
                     ? vote->klass[i]
                     : sl_largest (&vote->items->label[(gsize) i * (gsize) by->n_classes],
                                   by->n_classes);
      if (k < 0)
        continue;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double count = sl_by_item_count (by, j);
          double *mine = &right[(gsize) by->annotator[j] * 2];
          mine[0] += count;
          mine[1] += by->answer[j] == k ? count : 0;
        }
    }
}

static void
add_part (int part, gpointer data)
{
  const Vote *vote = data;
  const SlByItem *by = vote->by;
  double *right = &vote->right[(gsize) part * (gsize) by->n_annotators * 2];
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        double count = sl_by_item_count (by, j);
        double *mine = &right[(gsize) by->annotator[j] * 2];
        mine[0] += count;
        mine[1] += count
                   * vote->items->label[(gsize) i * (gsize) by->n_classes + (gsize) by->answer[j]];
      }
}

/* Runs TASK on all parts; their sums to RIGHT. */
static double
sum_right (Vote *vote, void (*task) (int part, gpointer data), const SlMethodSettings *settings,
           double *right)
{
  const SlByItem *by = vote->by;
  gsize size = (gsize) by->n_annotators * 2;
  g_autofree double *sums = sl_by_item_sums (by, size);
  vote->right = sums;
  sl_parallel (settings->threads, by->n_parts, task, vote);
  sl_by_item_fold (by, sums, size);
  memcpy (right, sums, size * sizeof *right);
  double all = 0, agree = 0;
  for (gint32 a = 0; a < by->n_annotators; a++)
    {
      all += right[2 * a];
      agree += right[2 * a + 1];
    }
  return all > 0 ? agree / all : 0;
}

double
sl_weighted_right (const SlItems *items, const SlByItem *by, const gint32 *klass,
                   const SlMethodSettings *settings, double *right)
{
  Vote vote = { .items = items, .by = by, .klass = klass };
  return sum_right (&vote, count_part, settings, right);
}

double
sl_weighted_mass (const SlItems *items, const SlByItem *by, const SlMethodSettings *settings,
                  double *right)
{
  Vote vote = { .items = items, .by = by };
  return sum_right (&vote, add_part, settings, right);
}

/* The vote of annotators who have been tested: each answer counts its annotator's share of right
 * answers to items whose gold class is known.
 *   s_a = (right_a + e m) / (tested_a + e),   m = Σ_a right_a / Σ_a tested_a
 *   p_ik = Σ_{a said k} s_a / Σ_a s_a
 * (As crowd-kit 1.4's GoldMajorityVote, which has no e and refuses annotators without a gold
 * item.) Smoothing e is 0 by default; an annotator who was never tested counts as the mean of all
 * answers, m. Items with gold are voted on like the others unless their gold class is kept.
 * Deterministic. */
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

enum
{
  ROUNDS = 100,
  ROUNDS_TO_HALVE = 20,
};

/* Skills learned by agreement with the vote that they weigh:
 *   p_ik = Σ_{a said k} s_a / Σ_a s_a,   v_i = argmax_k p_ik, the first of several
 *   s_a += η (share of a's answers that are v_i - s_a)
 * from s_a = 1/K + 1e-5, with η = 1, halved in rounds 20, 40, 60 ... (Toloka; as crowd-kit 1.4's
 * ZeroBasedSkill). 100 rounds by default, fewer as soon as a round moves no skill by more than
 * the tolerance (0 by default: then every further round would be the same). An item whose
 * annotators all have skill 0 keeps its vote share. Deterministic. */
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
