/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair-agreement.h"

#include "stages/common/answers/answers-by-item.h"

#include <string.h>

/* ---- each annotator's answers beside those of others, and beside gold ---- */

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
count_item (const SlByItem *by, gint32 i, gint32 gold, double *votes, SlAnswerConduct *conduct)
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
    count_item (by, i, gold != NULL ? gold[i] : -1, votes, conduct);
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

/* ---- each two annotators ---- */

void
sl_agreement_clear (SlAgreement *c)
{
  g_clear_pointer (&c->first, g_free);
  g_clear_pointer (&c->column, g_free);
  g_clear_pointer (&c->value, g_free);
}

/* Adds the pairs of one answer to common[n_annotators][2], all and alike; notes whom it met in
 * met[*n]. */
static void
add_pairs (const SlByItem *by, gint64 j, gint32 i, double *common, gint32 *met, gint32 *n)
{
  for (gint64 other = by->first[i]; other < by->first[i + 1]; other++)
    {
      gint32 b = by->annotator[other];
      double count = sl_by_item_count (by, j) * sl_by_item_count (by, other);
      if (b == by->annotator[j] || !(count > 0))
        continue;
      if (common[2 * b] == 0)
        met[(*n)++] = b;
      common[2 * b] += count;
      common[2 * b + 1] += by->answer[j] == by->answer[other] ? count : 0;
    }
}

/* How many share an item with each annotator, added up in first[n + 1]; FALSE as soon as they are
 * more than may be. SEEN[n]: for whom each was met last. */
static gboolean
count_pairs (const SlByItem *by, const SlByAnnotator *own, gint32 *seen, gint64 *first)
{
  memset (seen, 0xff, (gsize) by->n_annotators * sizeof *seen);
  for (gint32 a = 0; a < by->n_annotators; a++)
    {
      gint64 n = first[a];
      for (gint64 o = own->first[a]; o < own->first[a + 1]; o++)
        {
          gint64 j = own->order[o];
          gint32 i = own->item[j];
          for (gint64 other = by->first[i]; other < by->first[i + 1]; other++)
            {
              gint32 b = by->annotator[other];
              double count = sl_by_item_count (by, j) * sl_by_item_count (by, other);
              n += b != a && seen[b] != a && count > 0;
              seen[b] = count > 0 ? a : seen[b];
            }
        }
      if (n > SL_AGREEMENT_MOST)
        return FALSE;
      first[a + 1] = n;
    }
  return TRUE;
}

gboolean
sl_agreement_init (SlAgreement *c, const SlByItem *by)
{
  double n = by->n_classes;
  gsize n_annotators = (gsize) by->n_annotators;
  g_auto (SlByAnnotator) own;
  sl_by_annotator_init (&own, by);
  *c = (SlAgreement){ .n = by->n_annotators, .first = g_new0 (gint64, n_annotators + 1) };
  g_autofree gint32 *met = g_new (gint32, n_annotators + 1);
  if (!count_pairs (by, &own, met, c->first))
    {
      sl_agreement_clear (c);
      return FALSE;
    }
  g_autofree double *common = g_new0 (double, n_annotators * 2);
  c->column = g_new (gint32, (gsize) c->first[c->n]);
  c->value = g_new (double, (gsize) c->first[c->n]);
  for (gint32 a = 0; a < c->n; a++)
    {
      gint32 n_met = 0;
      for (gint64 o = own.first[a]; o < own.first[a + 1]; o++)
        add_pairs (by, own.order[o], own.item[own.order[o]], common, met, &n_met);
      for (gint32 m = 0; m < n_met; m++)
        {
          double *pair = &common[2 * met[m]];
          c->column[c->first[a] + m] = met[m];
          c->value[c->first[a] + m] = n > 1 ? pair[1] / pair[0] * n / (n - 1) - 1 / (n - 1) : 0;
          pair[0] = pair[1] = 0;
        }
    }
  return TRUE;
}
