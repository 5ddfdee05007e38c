/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers-by-annotator.h"

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
