/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "weighted-vote.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/parallel.h"
#include "stages/common/methods/posterior.h"

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
