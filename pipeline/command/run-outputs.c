/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a stage may say of its outputs besides run->out: bytes, further files, and those that land
 * before the run ends. */
#include "run-private.h"

SlOutput *
sl_run_output (SlRun *run)
{
  g_assert (run->command->flags & SL_COMMAND_BYTES);
  return run->priv->bytes;
}

/* The option whose file PATH is. */
static const char *
option_of (const SlRun *run, const char *path)
{
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    if (option->kind == SL_OPTION_OUTPUT
        && g_strcmp0 (sl_option_path (run->options, option), path) == 0)
      return option->name;
  return NULL;
}

void
sl_run_side_prepare (SlRun *run, const SlRunSide *side)
{
  if (side->folder != NULL)
    {
      if (sl_run_common (run)->if_changed)
        sl_folder_keep_same (side->folder);
      return;
    }
  SlOutput *output = side->table != NULL ? sl_writer_output (side->table) : side->bytes;
  if (sl_run_common (run)->if_changed && side->table != NULL)
    sl_writer_keep_same (side->table);
  else if (sl_run_common (run)->if_changed)
    sl_output_keep_same (output);
  if (side->table != NULL && sl_run_common (run)->no_digest)
    sl_writer_leave_undigested (side->table);
  if (output != NULL)
    sl_run_cache_watch (run, output);
}

/* SIDE is one of the run's outputs; one that no option names is not known to the cache. */
static void
add_side (SlRun *run, SlRunSide *side, const char *path)
{
  side->option = option_of (run, path);
  run->priv->cache.unfit = run->priv->cache.unfit || side->option == NULL;
  sl_run_side_prepare (run, side);
  g_array_append_val (run->priv->sides, *side);
}

SlFolder *
sl_run_folder (SlRun *run)
{
  g_assert (run->command->flags & SL_COMMAND_FOLDER);
  return run->priv->folder;
}

SlWriter *
sl_run_side_table (SlRun *run, const char *path, SlTable *table, GError **error)
{
  SlRunSide side = { .table = sl_writer_new (path, SL_FORMAT_AUTO, run->threads, error) };
  if (side.table == NULL)
    return NULL;
  add_side (run, &side, path);
  g_clear_pointer (&table->provenance, g_free);
  table->provenance = sl_run_provenance (run);
  return sl_run_start_tagged (run, side.table, table, error) ? side.table : NULL;
}

SlOutput *
sl_run_side_file (SlRun *run, const char *path, GError **error)
{
  SlRunSide side = { .bytes = sl_output_new (path, error) };
  if (side.bytes == NULL)
    return NULL;
  add_side (run, &side, path);
  return side.bytes;
}

SlFolder *
sl_run_side_folder (SlRun *run, const char *path, GError **error)
{
  g_autofree char *maker = g_strconcat ("softlabel ", run->command->name, NULL);
  SlRunSide side = { .folder = sl_folder_new (path, maker, error) };
  if (side.folder == NULL)
    return NULL;
  add_side (run, &side, path);
  return side.folder;
}

gboolean
sl_run_wants_main (const SlRun *run)
{
  const SlOption *option = run->command->options;
  gboolean folder = FALSE;
  for (; option != NULL && option->name != NULL && !folder; option++)
    folder = option->is_folder && sl_option_path (run->options, option) != NULL;
  return !folder || sl_run_common (run)->output != NULL;
}

gboolean
sl_run_side_finish (SlRunSide *side, GError **error)
{
  if (side->folder != NULL)
    return TRUE;
  return side->table != NULL ? sl_writer_finish (side->table, error)
                             : sl_output_finish (side->bytes, error);
}

gboolean
sl_run_side_commit (SlRunSide *side, GError **error)
{
  if (side->folder != NULL)
    return sl_folder_commit (side->folder, error);
  return side->table != NULL ? sl_writer_commit (side->table, error)
                             : sl_output_commit (side->bytes, error);
}

void
sl_run_side_clear (gpointer data)
{
  SlRunSide *side = data;
  g_clear_pointer (&side->table, sl_writer_free);
  g_clear_pointer (&side->bytes, sl_output_free);
  g_clear_pointer (&side->folder, sl_folder_free);
}

gboolean
sl_run_land_file (SlRun *run, SlOutput *bytes, GError **error)
{
  GArray *sides = run->priv->sides;
  for (guint i = 0; i < sides->len; i++)
    {
      SlRunSide *side = &g_array_index (sides, SlRunSide, i);
      if (side->bytes != bytes)
        continue;
      run->priv->cache.unfit = TRUE; /* nobody has it in the end */
      gboolean ok = sl_run_side_finish (side, error) && sl_run_side_commit (side, error);
      g_array_remove_index (sides, i);
      return ok;
    }
  g_assert_not_reached ();
}
