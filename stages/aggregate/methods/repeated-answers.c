/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "repeated-answers.h"

#include <string.h>

/* Adds the answers of one item before and at J to SEEN; FALSE if J's was there. */
static gboolean
add_answers (GHashTable *seen, const SlByItem *by, gint64 first, gint64 j)
{
  gboolean new = FALSE;
  for (gint64 each = g_hash_table_size (seen) == 0 ? first : j; each <= j; each++)
    {
      gsize key = (gsize) by->annotator[each] * (gsize) by->n_classes + (gsize) by->answer[each];
      new = g_hash_table_add (seen, GSIZE_TO_POINTER (key));
    }
  return new;
}

void
sl_repeats_set (const SlByItem *by, guint8 *kind)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree gint32 *last = g_new0 (gint32, (gsize) by->n_annotators); /* item + 1 */
  for (gint32 i = 0; i < by->n_items; i++)
    {
      gint64 first = by->first[i];
      g_hash_table_remove_all (seen);
      for (gint64 j = first; j < by->first[i + 1]; j++)
        {
          gboolean before = last[by->annotator[j]] == i + 1;
          last[by->annotator[j]] = i + 1;
          if (before || g_hash_table_size (seen) > 0)
            kind[j] = add_answers (seen, by, first, j) ? SL_REPEAT_OTHER : SL_REPEAT_SAME;
          if (!before)
            kind[j] = SL_REPEAT_FIRST;
        }
    }
}

/* Those of BY that do not repeat, N of them; and the items' sums of their votes. */
static void
copy_distinct (SlDistinct *distinct, const SlItems *items, const SlByItem *by, const guint8 *kind,
               gsize n)
{
  gsize to = 0, n_classes = (gsize) items->n_classes;
  gint32 *item = distinct->memory[0] = g_new (gint32, n);
  gint32 *annotator = distinct->memory[1] = g_new (gint32, n);
  gint32 *answer = distinct->memory[2] = g_new (gint32, n);
  double *count = distinct->memory[3] = by->count == NULL ? NULL : g_new (double, n);
  memset (items->label, 0, (gsize) items->n_items * n_classes * sizeof *items->label);
  for (gint32 i = 0; i < by->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        if (kind[j] == SL_REPEAT_SAME)
          continue;
        item[to] = i;
        annotator[to] = by->annotator[j];
        answer[to] = by->answer[j];
        if (count != NULL)
          count[to] = by->count[j];
        items->label[(gsize) i * n_classes + (gsize) answer[to++]] += sl_by_item_count (by, j);
      }
  distinct->answers.n_answers = (gint64) n;
  distinct->answers.item = item;
  distinct->answers.annotator = annotator;
  distinct->answers.answer = answer;
  distinct->answers.count = count;
}

void
sl_distinct_init (SlDistinct *distinct, const SlItems *items, const SlAnswers *answers)
{
  *distinct = (SlDistinct){ .answers = *answers };
  if (answers->answer == NULL)
    return;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree guint8 *kind = g_new (guint8, (gsize) by.n_answers);
  sl_repeats_set (&by, kind);
  gsize n = 0;
  for (gint64 j = 0; j < by.n_answers; j++)
    n += kind[j] != SL_REPEAT_SAME;
  if (n < (gsize) by.n_answers)
    copy_distinct (distinct, items, &by, kind, n);
}

void
sl_distinct_clear (SlDistinct *distinct)
{
  for (gsize m = 0; m < G_N_ELEMENTS (distinct->memory); m++)
    g_clear_pointer (&distinct->memory[m], g_free);
}
