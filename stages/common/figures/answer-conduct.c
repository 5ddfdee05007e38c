/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer-conduct.h"

#include <string.h>

/* votes[n_classes] += ANSWER, times SIGN. */
static void
add_votes (const SlByItem *by, gint64 j, double sign, double *votes)
{
  double count = sign * sl_by_item_count (by, j);
  if (by->answer != NULL)
    {
      votes[by->answer[j]] += count;
      return;
    }
  const double *p = sl_by_item_distribution (by, j);
  for (gint32 k = 0; k < by->n_classes; k++)
    votes[k] += count * p[k];
}

/* What answer J is to an item of gold class GOLD (-1: not known), with OTHERS answers by others,
 * votes[n_classes]. */
static void
add_answer (const SlByItem *by, gint64 j, gint32 gold, double others, const double *votes,
            SlAnswerConduct *own)
{
  double count = sl_by_item_count (by, j);
  own->answers += count;
  own->pairs += count * others;
  own->tested += gold >= 0 ? count : 0;
  if (by->answer != NULL)
    {
      own->same += count * votes[by->answer[j]];
      own->right += gold == by->answer[j] ? count : 0;
      return;
    }
  const double *p = sl_by_item_distribution (by, j);
  for (gint32 k = 0; k < by->n_classes; k++)
    own->same += count * p[k] * votes[k];
  own->right += gold >= 0 ? count * p[gold] : 0;
}

/* votes[n_classes]: room. Each annotator's votes are taken off it while their own answers are
 * looked at. */
static void
look_at_item (const SlByItem *by, gint32 i, gint32 gold, double *votes, SlAnswerConduct *conduct)
{
  double all = 0;
  memset (votes, 0, (gsize) by->n_classes * sizeof *votes);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      add_votes (by, j, 1, votes);
      all += sl_by_item_count (by, j);
    }
  for (gint64 first = by->first[i], end; first < by->first[i + 1]; first = end)
    {
      double others = all;
      for (end = first; end < by->first[i + 1] && by->annotator[end] == by->annotator[first]; end++)
        {
          add_votes (by, end, -1, votes);
          others -= sl_by_item_count (by, end);
        }
      if (end - first == by->first[i + 1] - by->first[i]) /* not what rounding leaves of them */
        {
          memset (votes, 0, (gsize) by->n_classes * sizeof *votes);
          others = 0;
        }
      for (gint64 j = first; j < end; j++)
        add_answer (by, j, gold, others, votes, &conduct[by->annotator[j]]);
      for (gint64 j = first; j < end; j++)
        add_votes (by, j, 1, votes);
    }
}

SlAnswerConduct *
sl_answer_conduct (const SlByItem *by, const gint32 *gold)
{
  g_autofree double *votes = g_new (double, MAX (by->n_classes, 1));
  SlAnswerConduct *conduct = g_new0 (SlAnswerConduct, MAX (by->n_annotators, 1));
  for (gint32 i = 0; i < by->n_items; i++)
    look_at_item (by, i, gold != NULL ? gold[i] : -1, votes, conduct);
  return conduct;
}

void
sl_expected_answers (const SlItems *items, const SlAnswers *answers, double *sums)
{
  gsize n = (gsize) items->n_classes;
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
}
