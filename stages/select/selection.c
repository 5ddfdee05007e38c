/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "selection.h"

#include "pipeline/base/shown-text.h"

#include <string.h>

void
sl_selection_init (SlSelection *selection, SlRun *run, int column)
{
  *selection = (SlSelection){ .run = run,
                              .column = column,
                              .conditions = g_array_new (FALSE, FALSE, sizeof (SlCondition)) };
  g_array_set_clear_func (selection->conditions, (GDestroyNotify) sl_condition_clear);
}

void
sl_selection_clear (SlSelection *selection)
{
  g_clear_pointer (&selection->items, sl_intern_free);
  g_clear_pointer (&selection->conditions, g_array_unref);
  g_free (selection->chosen);
  g_free (selection->seen);
  g_free (selection->keep);
  g_free (selection->ids);
}

gboolean
sl_selection_add_conditions (SlSelection *selection, char *const *texts, const SlTable *table,
                             GError **error)
{
  for (; texts != NULL && *texts != NULL; texts++)
    {
      SlCondition condition;
      gboolean ok = sl_condition_parse (&condition, *texts, error)
                    && sl_condition_bind (&condition, table, error);
      g_array_append_val (selection->conditions, condition);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

static gboolean
unknown_item (const SlSelection *selection, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const char *item = sl_text_get (batch->column[selection->column].text, i, &length);
  g_autofree char *shown = sl_shown (item, length);
  return sl_error_row (error, batch->first_row + i + 1,
                       "nothing is known of item '%s' in %s; --missing ok leaves such items out",
                       shown, selection->from);
}

/* keep[i] <- whether row I is of a chosen item. */
static gboolean
sort_items (SlSelection *selection, const SlBatch *batch, GError **error)
{
  gint32 *ids = selection->ids;
  guint8 *keep = selection->keep;
  sl_intern_find_column (selection->items, batch->column[selection->column].text, batch->n_rows,
                         selection->run->threads, ids);
  gint64 n = batch->n_rows;
  const guint8 *chosen = selection->chosen;
  guint8 *seen = selection->seen;
  if (chosen == NULL)
    for (gint64 i = 0; i < n; i++)
      keep[i] = ids[i] >= 0 ? SL_CHOSEN : SL_OTHER;
  else
    for (gint64 i = 0; i < n; i++)
      keep[i] = ids[i] >= 0 ? chosen[ids[i]] : SL_OTHER;
  for (gint64 i = 0; seen != NULL && i < n; i++)
    if (ids[i] >= 0)
      seen[ids[i]] = 1;
  for (gint64 i = 0; selection->from != NULL && i < n; i++)
    if (ids[i] < 0 || keep[i] == SL_UNKNOWN)
      {
        if (!selection->missing_ok)
          return unknown_item (selection, batch, i, error);
        keep[i] = SL_OTHER;
        selection->n_unknown++;
      }
  return TRUE;
}

static gboolean
sort_rows (SlSelection *selection, const SlBatch *batch, GError **error)
{
  gint64 n = batch->n_rows;
  if (n > selection->room)
    {
      selection->room = n;
      selection->keep = g_renew (guint8, selection->keep, n);
      selection->ids = g_renew (gint32, selection->ids, n);
    }
  if (selection->items != NULL)
    {
      if (!sort_items (selection, batch, error))
        return FALSE;
    }
  else
    memset (selection->keep, SL_CHOSEN, (gsize) n);
  for (guint c = 0; c < selection->conditions->len; c++)
    sl_condition_apply (&g_array_index (selection->conditions, SlCondition, c), batch,
                        selection->keep);
  guint8 *keep = selection->keep, inverted = selection->inverted != FALSE;
  gint64 n_kept = 0;
  for (gint64 i = 0; i < n; i++)
    {
      keep[i] ^= inverted;
      n_kept += keep[i];
    }
  selection->n_kept += n_kept;
  selection->n_rows += n;
  return TRUE;
}

static gboolean
write_rows (SlWriter *writer, SlBatch *batch, const guint8 *keep, GError **error)
{
  g_autoptr (SlBatch) rows = sl_batch_filter (batch, keep, error);
  return rows != NULL && (rows->n_rows == 0 || sl_writer_write (writer, rows, error));
}

gboolean
sl_selection_copy (SlSelection *selection, SlWriter *rest, GError **error)
{
  SlRun *run = selection->run;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      if (!sort_rows (selection, batch, error)
          || !write_rows (run->out, batch, selection->keep, error))
        return FALSE;
      for (gint64 i = 0; rest != NULL && i < batch->n_rows; i++)
        selection->keep[i] = !selection->keep[i];
      if (rest != NULL && !write_rows (rest, batch, selection->keep, error))
        return FALSE;
    }
  return ok;
}

/* "a", "b" and "c", of those that are not there; NULL where all are. */
static char *
name_missing (const SlSelection *selection, gint32 *n)
{
  g_autoptr (GString) names = g_string_new (NULL);
  *n = 0;
  for (gint32 i = 0; selection->seen != NULL && i < sl_intern_size (selection->items); i++)
    {
      if (selection->seen[i] || ++*n > 3)
        continue;
      gsize length;
      const char *item = sl_intern_get (selection->items, i, &length);
      g_autofree char *shown = sl_shown (item, length);
      g_string_append_printf (names, "%s'%s'", *n > 1 ? ", " : "", shown);
    }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

gboolean
sl_selection_tell (const SlSelection *selection, const char *name, GError **error)
{
  gint32 n_missing;
  g_autofree char *names = name_missing (selection, &n_missing);
  const char *more = n_missing > 3 ? " and others" : "";
  if (n_missing > 0 && !selection->missing_ok)
    return sl_error_bad_input (
        error,
        "%s: %d of its %d items are nowhere in the table: %s%s; --missing ok goes on "
        "without them",
        name, n_missing, sl_intern_size (selection->items), names, more);
  if (n_missing > 0)
    sl_run_warn (selection->run, "%s: %d of its %d items are nowhere in the table: %s%s", name,
                 n_missing, sl_intern_size (selection->items), names, more);
  if (selection->n_unknown > 0)
    sl_run_warn (selection->run,
                 "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " rows are of items of which %s says nothing",
                 selection->n_unknown, selection->n_rows, selection->from);
  if (selection->n_kept == 0)
    sl_run_warn (selection->run, "no row is chosen");
  else
    sl_run_note (selection->run, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows chosen",
                 selection->n_kept, selection->n_rows);
  return TRUE;
}
