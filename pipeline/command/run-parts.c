/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that is several files, or a part of one. */
#include "commands.h"
#include "run-private.h"

#include "pipeline/files/parts.h"

#include <string.h>

gboolean
sl_run_check_parts (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  const char *shard = sl_run_common (run)->shard;
  gboolean tables = (run->command->flags & SL_COMMAND_TABLES) != 0;
  char **files = run->files;
  if (files[0] != NULL && files[1] != NULL && sl_run_has_input (run)
      && g_strv_contains ((const char *const *) files, "-"))
    return sl_error_usage (error, "of several files that are one table none can be standard input; "
                                  "`softlabel cat` joins tables");
  if (shard == NULL)
    return TRUE;
  if (!sl_shard_parse (shard, &priv->shard, &priv->shards, error))
    return FALSE;
  if (tables && files[0] != NULL && files[1] != NULL)
    return sl_error_usage (error, "--shard: of which one? give a folder, or one file");
  sl_provenance_set_shard (&priv->provenance, shard);
  if (run->command->parts != NULL && run->command->parts (run->options))
    {
      priv->part = priv->shard;
      priv->parts = priv->shards;
      priv->shard = priv->shards = 0;
      return TRUE;
    }
  return sl_run_has_input (run) || tables
         || sl_error_usage (error, "--shard: %s reads no one table", run->command->name);
}

void
sl_run_part (const SlRun *run, gint64 n, gint64 *from, gint64 *to)
{
  *from = 0;
  *to = n;
  if (run->priv->parts > 0)
    sl_shard_units (n, run->priv->part, run->priv->parts, from, to);
}

/* A folder that has the name of a file of tables needs a / to be meant. */
gboolean
sl_run_writes_parts (const SlRun *run)
{
  const SlCommonOptions *common = sl_run_common (run);
  const char *path = common->output;
  return !(run->command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES | SL_COMMAND_FOLDER))
         && (common->partition_by != NULL || common->rows_per_file > 0
             || (path != NULL
                 && (g_str_has_suffix (path, "/")
                     || (sl_format_of_path (path) == SL_FORMAT_AUTO
                         && g_file_test (path, G_FILE_TEST_IS_DIR)))));
}

/* That folders are asked for where they can be. */
static gboolean
check_folder (const SlRun *run, GError **error)
{
  const SlCommonOptions *common = sl_run_common (run);
  const char *option = common->partition_by != NULL ? "partition-by" : "rows-per-file";
  if (common->partition_by == NULL && common->rows_per_file == 0)
    return TRUE;
  if (run->command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES | SL_COMMAND_FOLDER))
    return sl_error_usage (error, "--%s: %s writes no table", option, run->command->name);
  if (common->output == NULL || strcmp (common->output, "-") == 0)
    return sl_error_usage (error, "--%s: name the folder with -o", option);
  return !g_file_test (common->output, G_FILE_TEST_IS_REGULAR)
         || sl_error_usage (error, "--%s: %s is a file, not a folder", option, common->output);
}

gboolean
sl_run_check_place (const SlRun *run, GError **error)
{
  const char *output = sl_run_common (run)->output;
  if (!check_folder (run, error))
    return FALSE;
  if (output == NULL || strcmp (output, "-") == 0
      || !(sl_run_has_input (run) || sl_run_writes_parts (run)
           || run->command->flags & SL_COMMAND_TABLES))
    return TRUE;
  g_autofree char *folder
      = sl_run_writes_parts (run) ? g_strdup (output) : g_path_get_dirname (output);
  g_autofree char *place = g_canonicalize_filename (folder, NULL);
  for (char **file = run->files; *file != NULL; file++)
    {
      g_autofree char *input = g_canonicalize_filename (*file, NULL);
      if (g_file_test (*file, G_FILE_TEST_IS_DIR) && strcmp (input, place) == 0)
        return sl_error_usage (error,
                               "-o %s lies in the folder that is read, of which it would be a part "
                               "the next time",
                               output);
    }
  return TRUE;
}

/* Whether all parts came about in one way. */
static gboolean
histories_are_same (const SlReader *reader)
{
  for (guint i = 1; i < sl_reader_n_parts (reader); i++)
    if (g_strcmp0 (sl_reader_part (reader, i)->provenance, sl_reader_part (reader, 0)->provenance)
        != 0)
      return FALSE;
  return TRUE;
}

void
sl_run_join_histories (SlReader *reader)
{
  guint n = sl_reader_n_parts (reader);
  if (n < 2 || histories_are_same (reader))
    return;
  const SlCommand *cat = sl_command_by_name ("cat");
  SlProvenance provenance = { 0 };
  SlOptions options = { 0 };
  sl_provenance_init (&provenance);
  sl_command_options (cat, &options);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("file %u", i + 1);
      (void) sl_provenance_add_input (&provenance, name, sl_reader_part (reader, i)->provenance);
    }
  SlTable *table = sl_reader_table (reader);
  g_free (table->provenance);
  table->provenance = sl_provenance_finish (&provenance, cat->name, &options, NULL);
  sl_options_clear (&options);
  sl_provenance_clear (&provenance);
}
