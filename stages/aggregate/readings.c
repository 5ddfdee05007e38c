/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "readings.h"

/* Adds the answers of one item before and at J to SEEN; FALSE if J's was there. */
static gboolean
see (GHashTable *seen, const SlByItem *by, gint64 first, gint64 j)
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
sl_readings_set (const SlByItem *by, guint8 *kind)
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
            kind[j] = see (seen, by, first, j) ? SL_READING_FURTHER : SL_READING_AGAIN;
          if (!before)
            kind[j] = SL_READING_FIRST;
        }
    }
}
