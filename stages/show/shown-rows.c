/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shown-rows.h"

#include <string.h>

GArray *
sl_shown_rows_conditions (SlRun *run, char *const *texts, GError **error)
{
  g_autoptr (GArray) conditions = g_array_new (FALSE, TRUE, sizeof (SlCondition));
  g_array_set_clear_func (conditions, (GDestroyNotify) sl_condition_clear);
  for (; texts != NULL && *texts != NULL; texts++)
    {
      SlCondition condition;
      gboolean ok = sl_condition_parse (&condition, *texts, error)
                    && sl_condition_bind (&condition, sl_reader_table (run->in), error);
      g_array_append_val (conditions, condition);
      if (!ok)
        return NULL;
    }
  return g_steal_pointer (&conditions);
}

/* The rows of BATCH that fit, numbered anew. */
static SlBatch *
fitting (SlShownRows *rows, SlBatch *batch, GError **error)
{
  rows->read += batch->n_rows;
  if (rows->conditions->len == 0)
    return sl_batch_ref (batch);
  g_autofree guint8 *keep = g_malloc (MAX ((gsize) batch->n_rows, 1));
  memset (keep, 1, (gsize) batch->n_rows);
  for (guint c = 0; c < rows->conditions->len; c++)
    sl_condition_apply (&g_array_index (rows->conditions, SlCondition, c), batch, keep);
  SlBatch *kept = sl_batch_filter (batch, keep, error);
  if (kept != NULL)
    kept->first_row = rows->fit;
  return kept;
}

gboolean
sl_shown_rows_go (SlShownRows *rows, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (rows->run, &batch, &ok, error))
    {
      g_autoptr (SlBatch) kept = fitting (rows, batch, error);
      ok = kept != NULL;
      if (!ok)
        continue;
      if (rows->look != NULL)
        rows->look (rows->data, kept);
      if (rows->sorting != NULL)
        ok = sl_sorting_add (rows->sorting, kept, error);
      else
        rows->show (rows->data, kept);
      rows->fit += kept->n_rows;
    }
  while (ok && rows->sorting != NULL)
    {
      g_autoptr (SlBatch) sorted = NULL;
      ok = sl_sorting_take (rows->sorting, &sorted, error);
      if (sorted == NULL)
        break;
      rows->show (rows->data, sorted);
    }
  return ok;
}
