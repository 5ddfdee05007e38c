/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer-conduct.h"

#include <string.h>

/* How much answers J and L to one item are the same. */
static double
likeness (const SlByItem *by, gint64 j, gint64 l)
{
  if (by->answer != NULL)
    return by->answer[j] == by->answer[l];
  double sum = 0;
  for (gint32 k = 0; k < by->n_classes; k++)
    sum += sl_by_item_distribution (by, j)[k] * sl_by_item_distribution (by, l)[k];
  return sum;
}

/* Takes off the other answers that J's annotator gave to item I: only others' answers count. */
static void
leave_out_own (const SlByItem *by, gint32 i, gint64 j, SlAnswerConduct *own)
{
  for (gint64 l = by->first[i]; l < by->first[i + 1]; l++)
    if (l != j && by->annotator[l] == by->annotator[j])
      {
        double pairs = sl_by_item_count (by, j) * sl_by_item_count (by, l);
        own->pairs -= pairs;
        own->same -= pairs * likeness (by, j, l);
      }
}

/* votes[n_classes]: room; rows[n_annotators]: all 0. */
static void
look_at_item (const SlByItem *by, gint32 i, gint32 gold, double *votes, gint32 *rows,
              SlAnswerConduct *conduct)
{
  double all = 0;
  memset (votes, 0, (gsize) by->n_classes * sizeof *votes);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      double count = sl_by_item_count (by, j);
      all += count;
      rows[by->annotator[j]]++;
      if (by->answer != NULL)
        votes[by->answer[j]] += count;
      for (gint32 k = 0; by->answer == NULL && k < by->n_classes; k++)
        votes[k] += count * sl_by_item_distribution (by, j)[k];
    }
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      double count = sl_by_item_count (by, j);
      SlAnswerConduct *own = &conduct[by->annotator[j]];
      own->answers += count;
      own->pairs += count * (all - count);
      own->tested += gold >= 0 ? count : 0;
      if (rows[by->annotator[j]] > 1)
        leave_out_own (by, i, j, own);
      if (by->answer != NULL)
        {
          own->same += count * (votes[by->answer[j]] - count);
          own->right += gold == by->answer[j] ? count : 0;
          continue;
        }
      const double *p = sl_by_item_distribution (by, j);
      for (gint32 k = 0; k < by->n_classes; k++)
        own->same += count * p[k] * (votes[k] - count * p[k]);
      own->right += gold >= 0 ? count * p[gold] : 0;
    }
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    rows[by->annotator[j]] = 0;
}

SlAnswerConduct *
sl_answer_conduct (const SlByItem *by, const gint32 *gold)
{
  g_autofree double *votes = g_new (double, MAX (by->n_classes, 1));
  g_autofree gint32 *rows = g_new0 (gint32, MAX (by->n_annotators, 1));
  SlAnswerConduct *conduct = g_new0 (SlAnswerConduct, MAX (by->n_annotators, 1));
  for (gint32 i = 0; i < by->n_items; i++)
    look_at_item (by, i, gold != NULL ? gold[i] : -1, votes, rows, conduct);
  return conduct;
}

double *
sl_expected_answers (const SlItems *items, const SlAnswers *answers)
{
  gsize n = (gsize) items->n_classes;
  double *sums = g_new0 (double, MAX ((gsize) answers->n_annotators * n * n, 1));
  for (gint64 j = 0; j < answers->n_answers; j++)
    {
      double count = answers->count != NULL ? answers->count[j] : 1;
      const double *label = items->label + (gsize) answers->item[j] * n;
      double *own = sums + (gsize) answers->annotator[j] * n * n;
      for (gsize k = 0; k < n; k++)
        {
          if (answers->answer != NULL)
            own[k * n + (gsize) answers->answer[j]] += count * label[k];
          for (gsize l = 0; answers->answer == NULL && l < n; l++)
            own[k * n + l] += count * label[k] * answers->distribution[(gsize) j * n + l];
        }
    }
  return sums;
}
