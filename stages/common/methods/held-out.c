/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "held-out.h"

#include "posterior.h"

static const double share_kept = 0.15, crowd_answers = 4;

/* Marks what is kept back: kept[n_answers], by place in BY. */
static void
draw (const SlItems *items, const SlByItem *by, guint64 seed, guint32 fold, gboolean *kept)
{
  guint32 purpose = sl_random_purpose ("aggregate: held-out answers");
  for (gint32 i = 0; i < by->n_items; i++)
    {
      guint64 key = items->key == NULL ? (guint64) i : items->key[i];
      SlRandom random = sl_random (seed, purpose, key, 0, fold);
      gint64 first = by->first[i], end = by->first[i + 1], n = 0;
      for (gint64 j = first; j < end; j++)
        {
          kept[j] = sl_random_unit (&random) < share_kept;
          n += kept[j];
        }
      if (n == end - first && n > 0)
        kept[first] = FALSE;
    }
}

static void
append_answer (SlAnswers *part, const SlByItem *by, gint64 j, gint32 i)
{
  gint64 to = part->n_answers++;
  ((gint32 *) part->item)[to] = i;
  ((gint32 *) part->annotator)[to] = by->annotator[j];
  ((gint32 *) part->answer)[to] = by->answer[j];
  if (by->count != NULL)
    ((double *) part->count)[to] = by->count[j];
}

void
sl_held_out_init (SlHeldOut *held_out, const SlItems *items, const SlAnswers *answers, guint64 seed,
                  guint32 fold)
{
  gsize n = (gsize) answers->n_answers, n_classes = (gsize) items->n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree gboolean *kept = g_new (gboolean, n);
  draw (items, &by, seed, fold, kept);
  gsize n_kept = 0;
  for (gsize j = 0; j < n; j++)
    n_kept += (gsize) kept[j];
  *held_out = (SlHeldOut){
    .votes = g_new0 (double, (gsize) items->n_items *n_classes),
    .n_seen = g_new0 (double, (gsize) items->n_items),
  };
  SlAnswers *parts[] = { &held_out->seen, &held_out->kept };
  for (int p = 0; p < 2; p++)
    {
      gsize room = p == 0 ? n - n_kept : n_kept;
      *parts[p] = (SlAnswers){
        .n_annotators = answers->n_annotators,
        .item = g_new (gint32, room),
        .annotator = g_new (gint32, room),
        .answer = g_new (gint32, room),
        .count = by.count == NULL ? NULL : g_new (double, room),
        .prediction = answers->prediction,
      };
    }
  for (gint32 i = 0; i < by.n_items; i++)
    for (gint64 j = by.first[i]; j < by.first[i + 1]; j++)
      {
        append_answer (kept[j] ? &held_out->kept : &held_out->seen, &by, j, i);
        if (kept[j])
          continue;
        held_out->votes[(gsize) i * n_classes + (gsize) by.answer[j]] += sl_by_item_count (&by, j);
        held_out->n_seen[i] += sl_by_item_count (&by, j);
      }
}

void
sl_held_out_clear (SlHeldOut *held_out)
{
  SlAnswers *parts[] = { &held_out->seen, &held_out->kept };
  for (int p = 0; p < 2; p++)
    {
      g_free ((gpointer) parts[p]->item);
      g_free ((gpointer) parts[p]->annotator);
      g_free ((gpointer) parts[p]->answer);
      g_free ((gpointer) parts[p]->count);
    }
  g_free (held_out->votes);
  g_free (held_out->n_seen);
}

/* The crowd's row for class K from its sums; a row of one answer in all, spread evenly, is added,
 * so that no answer is impossible. */
static void
finish_row (double *row, gint32 n)
{
  for (gint32 l = 0; l < n; l++)
    row[l] += 1.0 / n;
  sl_posterior_from_scores (row, n);
}

void
sl_crowd_init (SlCrowd *crowd, const double *label, const SlAnswers *answers, gint32 n_classes)
{
  gsize n = (gsize) n_classes, n_annotators = (gsize) answers->n_annotators;
  *crowd = (SlCrowd){
    .n_classes = n_classes,
    .right = g_new0 (double, n_annotators *n),
    .crowd = g_new0 (double, n *n),
  };
  g_autofree double *all = g_new0 (double, n_annotators *n);
  for (gint64 j = 0; j < answers->n_answers; j++)
    {
      const double *p = &label[(gsize) answers->item[j] * n];
      gsize of = (gsize) answers->annotator[j] * n, l = (gsize) answers->answer[j];
      double count = answers->count == NULL ? 1 : answers->count[j];
      crowd->right[of + l] += count * p[l];
      for (gsize k = 0; k < n; k++)
        {
          all[of + k] += count * p[k];
          crowd->crowd[k * n + l] += count * p[k];
        }
    }
  for (gsize k = 0; k < n; k++)
    finish_row (&crowd->crowd[k * n], n_classes);
  for (gsize a = 0; a < n_annotators; a++)
    for (gsize k = 0; k < n; k++)
      crowd->right[a * n + k] = (crowd->right[a * n + k] + crowd_answers * crowd->crowd[k * n + k])
                                / (all[a * n + k] + crowd_answers);
}

void
sl_crowd_clear (SlCrowd *crowd)
{
  g_free (crowd->right);
  g_free (crowd->crowd);
}

double
sl_crowd_predict (const SlCrowd *crowd, gint32 a, gint32 l, const double *p)
{
  gsize n = (gsize) crowd->n_classes;
  const double *right = &crowd->right[(gsize) a * n];
  double sum = p[l] * right[l];
  for (gsize k = 0; k < n; k++)
    if (k != (gsize) l && p[k] > 0)
      sum += p[k] * (1 - right[k]) * crowd->crowd[k * n + (gsize) l]
             / (1 - crowd->crowd[k * n + k]);
  return sum;
}
