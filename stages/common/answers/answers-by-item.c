/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers-by-item.h"

static gboolean
in_order (const SlAnswers *answers)
{
  for (gint64 j = 1; j < answers->n_answers; j++)
    if (answers->item[j] < answers->item[j - 1])
      return FALSE;
  return TRUE;
}

/* Counting sort by item, which leaves each item's rows in their order. */
static void
sort (SlByItem *by, const SlAnswers *answers)
{
  gsize n = (gsize) by->n_answers;
  gint32 *annotator = g_new (gint32, n),
         *answer = answers->answer == NULL ? NULL : g_new (gint32, n);
  double *count = answers->count == NULL ? NULL : g_new (double, n);
  gint64 *row = answers->distribution == NULL ? NULL : g_new (gint64, n);
  g_autofree gint64 *next = g_memdup2 (by->first, ((gsize) by->n_items + 1) * sizeof *by->first);
  for (gint64 j = 0; j < by->n_answers; j++)
    {
      gint64 to = next[answers->item[j]]++;
      annotator[to] = answers->annotator[j];
      if (answer != NULL)
        answer[to] = answers->answer[j];
      if (count != NULL)
        count[to] = answers->count[j];
      if (row != NULL)
        row[to] = j;
    }
  by->memory[0] = annotator;
  by->memory[1] = answer;
  by->memory[2] = count;
  by->memory[3] = row;
  by->annotator = annotator;
  by->answer = answer;
  by->count = count;
  by->row = row;
}

/* Parts of about as many answers each, as far as whole items allow. */
static void
cut (SlByItem *by, gsize width)
{
  enum
  {
    LEAST = 4096 /* answers: fewer are done before another thread has woken */
  };
  gint64 each = MAX ((gint64) LEAST, by->n_annotators * (gint64) width);
  by->n_parts = (int) CLAMP (by->n_answers / each, 1, SL_MAX_PARTS);
  gint32 item = 0;
  for (int p = 0; p < by->n_parts; p++)
    {
      by->part[p] = item;
      gint64 end = by->n_answers * (p + 1) / by->n_parts;
      while (item < by->n_items && by->first[item + 1] <= end)
        item++;
    }
  by->part[by->n_parts] = by->n_items;
}

void
sl_by_item_init (SlByItem *by, const SlItems *items, const SlAnswers *answers, gsize width)
{
  *by = (SlByItem){
    .n_items = items->n_items,
    .n_annotators = answers->n_annotators,
    .n_classes = items->n_classes,
    .n_answers = answers->n_answers,
    .first = g_new0 (gint64, (gsize) items->n_items + 1),
    .annotator = answers->annotator,
    .answer = answers->answer,
    .count = answers->count,
    .distribution = answers->distribution,
  };
  for (gint64 j = 0; j < by->n_answers; j++)
    by->first[answers->item[j] + 1]++;
  for (gint32 i = 0; i < by->n_items; i++)
    by->first[i + 1] += by->first[i];
  if (!in_order (answers))
    sort (by, answers);
  cut (by, width);
}

void
sl_by_item_clear (SlByItem *by)
{
  g_clear_pointer (&by->first, g_free);
  for (gsize m = 0; m < G_N_ELEMENTS (by->memory); m++)
    g_clear_pointer (&by->memory[m], g_free);
}

double *
sl_by_item_sums (const SlByItem *by, gsize size)
{
  return g_new0 (double, (gsize) by->n_parts *size);
}

void
sl_by_item_fold (const SlByItem *by, double *sums, gsize size)
{
  for (int p = 1; p < by->n_parts; p++)
    for (gsize s = 0; s < size; s++)
      sums[s] += sums[(gsize) p * size + s];
}

void
sl_by_annotator_clear (SlByAnnotator *own)
{
  g_free (own->first);
  g_free (own->order);
  g_free (own->item);
}

void
sl_by_annotator_init (SlByAnnotator *own, const SlByItem *by)
{
  own->first = g_new0 (gint64, (gsize) by->n_annotators + 2);
  own->order = g_new (gint64, (gsize) by->n_answers);
  own->item = g_new (gint32, (gsize) by->n_answers);
  for (gint64 j = 0; j < by->n_answers; j++)
    own->first[by->annotator[j] + 2]++;
  for (gint32 a = 0; a < by->n_annotators; a++)
    own->first[a + 2] += own->first[a + 1];
  for (gint32 i = 0; i < by->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        own->order[own->first[by->annotator[j] + 1]++] = j;
        own->item[j] = i;
      }
}
