/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overlay: tables of one kind in; each item's rows out, from the first table that has the item. */
#include "pipeline/base/intern/intern.h"
#include "pipeline/command/options/option-rows.h"
#include "stages/common/tables/joined-tables.h"

typedef struct
{
  gboolean common;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("common", common,
        "leave out optional columns that not all tables have, instead of refusing"),
  { 0 },
};

typedef struct
{
  SlRun *run;
  int column;      /* of items */
  SlIntern *items; /* of the tables so far */
  gsize claimed;
  gint32 n_before; /* items of the tables before this one */
  gint64 n_rows, n_kept;
  guint8 *keep;
  gint32 *ids;
  gint64 room; /* rows there is room for in both */
} Overlay;

static void
overlay_clear (Overlay *overlay)
{
  sl_intern_free (overlay->items);
  g_free (overlay->keep);
  g_free (overlay->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Overlay, overlay_clear)

/* Writes those rows of BATCH whose items no table before has. */
static gboolean
add_batch (Overlay *overlay, SlBatch *batch, GError **error)
{
  gint64 n = batch->n_rows;
  if (n > overlay->room)
    {
      overlay->room = n;
      overlay->keep = g_renew (guint8, overlay->keep, n);
      overlay->ids = g_renew (gint32, overlay->ids, n);
    }
  sl_intern_column (overlay->items, batch->column[overlay->column].text, n, overlay->ids);
  if (!sl_run_claim_up_to (overlay->run, &overlay->claimed, sl_intern_bytes (overlay->items),
                           "the items of all tables", error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      overlay->keep[i] = overlay->ids[i] >= overlay->n_before;
      overlay->n_kept += overlay->keep[i];
    }
  overlay->n_rows += n;
  g_autoptr (SlBatch) rows = sl_batch_filter (batch, overlay->keep, error);
  return rows != NULL && (rows->n_rows == 0 || sl_writer_write (overlay->run->out, rows, error));
}

/* A table of which nothing is seen is likely to stand in the wrong place. */
static void
end_table (Overlay *overlay, const char *path)
{
  gint32 n_items = sl_intern_size (overlay->items);
  if (overlay->n_rows > 0 && overlay->n_kept == 0)
    sl_run_warn (overlay->run, "%s: nothing of it is seen: the tables before it have all its items",
                 path);
  else
    sl_run_note (overlay->run, "%s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows, of %d items",
                 path, overlay->n_kept, overlay->n_rows, n_items - overlay->n_before);
  overlay->n_before = n_items;
  overlay->n_rows = overlay->n_kept = 0;
}

static gboolean
copy (SlJoined *joined, Overlay *overlay, GError **error)
{
  for (;;)
    {
      guint before = joined->at;
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_joined_next (joined, &batch, error))
        return FALSE;
      for (guint t = before; t < joined->at; t++)
        end_table (overlay, joined->paths[t]);
      if (batch == NULL)
        return TRUE;
      if (!add_batch (overlay, batch, error))
        return FALSE;
    }
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlReaderOptions how = { .threads = run->threads };
  g_auto (SlJoined) joined;
  sl_joined_init (&joined, run, &how, NULL, options->common);
  if (!sl_joined_open (&joined, error))
    return FALSE;
  g_auto (Overlay) overlay
      = { .run = run, .column = sl_table_column (joined.table, "item"), .items = sl_intern_new () };
  sl_intern_set_threads (overlay.items, run->threads);
  if (overlay.column < 0)
    return sl_error_bad_input (error, "%s: a table of %s has no items", joined.first_name,
                               joined.table->kind->name);
  return sl_run_start (run, joined.table, error) && copy (&joined, &overlay, error);
}

const SlCommand sl_command_overlay = {
  .name = "overlay",
  .summary = "lay one table over another: each item from the first that has it",
  .arguments = "FILE FILE…",
  .flags = SL_COMMAND_TABLES,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Writes the rows of the first FILE, then of each next one the rows of those items that no FILE "
    "before it has. The tables must be of one kind and have the same classes; classes in another "
    "order are put into that of the first. A table of which nothing is seen is told of.\n\n"
    "Memory: the items.",
  .examples = "softlabel overlay soft.parquet gold.parquet -o targets.parquet\n"
              "    soft labels where there are some, gold elsewhere\n"
              "softlabel control --as gold all.parquet | softlabel overlay soft.parquet - -o "
              "targets.parquet\n"
              "    the same, without a file between\n",
  .run = run,
};
