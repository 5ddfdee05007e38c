/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one stage, from its command line to its exit status: the only place that opens what a
 * stage reads and writes, prints what it has to say, and lets its outputs land. */
#include "cache-key.h"
#include "commands.h"
#include "options/option-scope.h"
#include "run-private.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/files/folder-out.h"
#include "pipeline/base/process/shortage.h"
#include "pipeline/base/process/signals.h"
#include "pipeline/base/process/text-reader.h"
#include "pipeline/arrow/threads.h"
#include "pipeline/arrow/reading-memory.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

gboolean
sl_command_prints (const SlCommand *command)
{
  return (command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES)) == SL_COMMAND_TEXT;
}

void
sl_command_options (const SlCommand *command, SlOptions *options)
{
  sl_options_init (options, command->options, command->defaults, command->defaults_size);
  options->words = (command->flags & SL_COMMAND_WORDS) != 0;
}

gboolean
sl_run_has_input (const SlRun *run)
{
  const SlCommand *command = run->command;
  return !(command->flags & (SL_COMMAND_SOURCES | SL_COMMAND_TABLES))
         && (command->makes == NULL || !sl_option_given (run->options, command->makes));
}

gboolean
sl_run_takes_stdin (const SlRun *run)
{
  const SlCommand *command = run->command;
  if (run->files[0] == NULL
      && (command->makes == NULL || !sl_option_given (run->options, command->makes)))
    return TRUE;
  for (char **file = run->files; *file != NULL; file++)
    if (strcmp (*file, "-") == 0)
      return TRUE;
  const SlOption *option = command->options;
  for (; option != NULL && option->name != NULL; option++)
    for (gsize i = 0; sl_option_input (run->options, option, i) != NULL; i++)
      if (strcmp (sl_option_input (run->options, option, i), "-") == 0)
        return TRUE;
  return FALSE;
}

/* A second reading of standard input would find nothing left of it, or the rest of what the first
 * one left. */
static gboolean
check_standard_input (const SlRun *run, GError **error)
{
  char **files = run->files;
  gboolean implied = sl_run_has_input (run) && files[0] == NULL;
  int n = implied;
  for (char **file = files; *file != NULL; file++)
    n += strcmp (*file, "-") == 0;
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    for (gsize i = 0; sl_option_input (run->options, option, i) != NULL; i++)
      n += strcmp (sl_option_input (run->options, option, i), "-") == 0;
  if (n <= 1)
    return TRUE;
  return sl_error_usage (error, implied ? "standard input (-) can be read only once, and is the "
                                          "input where no file is named"
                                        : "standard input (-) can be given only once");
}

static gboolean
check_files (const SlRun *run, GError **error)
{
  const SlCommand *command = run->command;
  char **files = run->files;
  gboolean many = command->flags & (SL_COMMAND_SOURCES | SL_COMMAND_TABLES);
  if (!check_standard_input (run, error))
    return FALSE;
  if (files[0] != NULL && !many && !sl_run_has_input (run))
    return sl_error_usage (error, "'%s': with --%s no table is read", files[0], command->makes);
  return TRUE;
}

char *
sl_run_prints_by (const SlRun *run)
{
  const char *all = run->command->prints;
  g_auto (GStrv) options = g_strsplit (all != NULL ? all : "", "|", -1);
  for (char **option = options; *option != NULL; option++)
    if (sl_option_given (run->options, *option))
      return g_strdup (*option);
  return NULL;
}

static gboolean
prints_text (const SlRun *run)
{
  g_autofree char *option = sl_run_prints_by (run);
  return option != NULL;
}

static gboolean
writes_table (const SlRun *run)
{
  return !(run->command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES | SL_COMMAND_FOLDER))
         && !prints_text (run);
}

/* Bytes that nobody can read are no sight. */
static gboolean
check_terminal (const SlRun *run, GError **error)
{
  if (!(run->command->flags & SL_COMMAND_BYTES) || prints_text (run)
      || !sl_output_is_terminal (run->priv->bytes) || !sl_run_wants_main (run))
    return TRUE;
  return sl_error_usage (error, "standard output is a terminal: name a file with -o");
}

static gboolean
open_folder (SlRun *run, GError **error)
{
  const char *path = sl_run_common (run)->output;
  if (path == NULL || strcmp (path, "-") == 0)
    return sl_error_usage (error, "it writes a folder: name one with -o");
  g_autofree char *maker = g_strconcat ("softlabel ", run->command->name, NULL);
  run->priv->folder = sl_folder_new (path, maker, error);
  if (run->priv->folder != NULL && sl_run_common (run)->if_changed)
    sl_folder_keep_same (run->priv->folder);
  return run->priv->folder != NULL;
}

static SlWriter *
open_parts (SlRun *run, GError **error)
{
  const SlCommonOptions *common = sl_run_common (run);
  const SlFolderForm form = { .path = common->output,
                              .format = (SlFormat) common->format,
                              .keys = (const char *const *) common->partition_by,
                              .rows_per_file = common->rows_per_file,
                              .threads = run->threads };
  return sl_writer_new_folder (&form, error);
}

static gboolean
open_all (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  if (sl_run_has_input (run))
    {
      SlReaderOptions how
          = { .kinds = run->command->reads,
              .threads = run->threads,
              .shard = priv->shard,
              .shards = priv->shards,
              .tags_apart = (run->command->flags & SL_COMMAND_TEXT) != 0,
              .where = run->command->where != NULL ? run->command->where (run->options) : NULL };
      gboolean several = run->files[0] != NULL && run->files[1] != NULL;
      run->in = several ? sl_run_take_input (
                    run, NULL, sl_reader_open_all ((const char *const *) run->files, &how, error),
                    error)
                        : sl_run_open_as (run, NULL, run->files[0], &how, error);
      if (run->in == NULL)
        return FALSE;
    }
  if ((run->command->flags & SL_COMMAND_FOLDER) != 0 && !prints_text (run))
    return open_folder (run, error);
  if (!writes_table (run))
    {
      priv->bytes = sl_output_new (sl_run_common (run)->output, error);
      if (priv->bytes != NULL)
        sl_run_side_prepare (run, &(SlRunSide){ .bytes = priv->bytes });
      return priv->bytes != NULL && check_terminal (run, error);
    }
  run->out = sl_run_writes_parts (run)
                 ? open_parts (run, error)
                 : sl_writer_new (sl_run_common (run)->output,
                                  (SlFormat) sl_run_common (run)->format, run->threads, error);
  if (run->out != NULL)
    sl_run_side_prepare (run, &(SlRunSide){ .table = run->out });
  return run->out != NULL;
}

static void
warn_of_formulas (SlRun *run)
{
  guint n = sl_csv_formulas ();
  if (n > 0)
    sl_run_warn (run,
                 "%u field%s of the CSV begin%s as formulas do: a spreadsheet would compute them, "
                 "whoever wrote them; open it as text",
                 n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

/* Every output is complete before one takes its name. */
static gboolean
land (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  for (guint i = 0; i < priv->sides->len; i++)
    if (!sl_run_side_finish (&g_array_index (priv->sides, SlRunSide, i), error))
      return FALSE;
  if (priv->folder != NULL)
    return sl_folder_commit (priv->folder, error);
  SlRunSide main = { .table = run->out, .bytes = priv->bytes };
  if (priv->bytes != NULL
      && !sl_output_write (priv->bytes, priv->printed->str, priv->printed->len, error))
    return FALSE;
  if (!sl_run_side_finish (&main, error))
    return FALSE;
  warn_of_formulas (run);
  sl_run_cache_keep (run);
  for (guint i = 0; i < priv->sides->len; i++)
    if (!sl_run_side_commit (&g_array_index (priv->sides, SlRunSide, i), error))
      return FALSE;
  return sl_run_side_commit (&main, error);
}

/* Text is no table, whatever its file is called. */
static gboolean
check_text (const SlRun *run, GError **error)
{
  const SlCommand *command = run->command;
  SlFormat format = sl_format_of_path (sl_run_common (run)->output);
  gboolean asks_table = sl_option_given (run->common, "format")
                        || (format >= SL_FORMAT_ARROWS && format <= SL_FORMAT_PARQUET);
  if (writes_table (run) || !asks_table)
    return TRUE;
  g_autofree char *option = sl_run_prints_by (run);
  if (option != NULL)
    return sl_error_usage (error, "--%s prints text, not a table", option);
  return sl_error_usage (error, "%s %s; `softlabel cat` converts tables", command->name,
                         (command->flags & (SL_COMMAND_TEXT | SL_COMMAND_FOLDER)) == SL_COMMAND_TEXT
                             ? "prints text, not a table"
                             : "writes no table");
}

/* A table goes as a stream to whatever reads a pipe; a person who sees no text is told why. */
static void
warn_of_text_reader (SlRun *run)
{
  const SlCommonOptions *common = sl_run_common (run);
  gboolean streams = writes_table (run) && common->format == SL_FORMAT_AUTO
                     && (common->output == NULL || strcmp (common->output, "-") == 0);
  g_autofree char *reader = streams ? sl_text_reader () : NULL;
  if (reader != NULL)
    sl_run_warn (
        run,
        "%s is given an Arrow stream, which is no text: put `softlabel show` before it, or "
        "say --format csv",
        reader);
}

/* What goes to a pipe has no time that could be kept. */
static gboolean
check_if_changed (const SlRun *run, GError **error)
{
  const char *main = sl_run_common (run)->output;
  gboolean writes = !sl_run_common (run)->if_changed || (main != NULL && strcmp (main, "-") != 0);
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL && !writes; option++)
    writes = option->kind == SL_OPTION_OUTPUT && sl_option_path (run->options, option) != NULL;
  return writes || sl_error_usage (error, "--if-changed: no file is written: name one with -o");
}

static void
set_messages (SlMessages *messages, const SlCommonOptions *common)
{
  SlProgress *progress = &messages->progress;
  messages->quiet = common->quiet;
  messages->verbose = common->verbose;
  progress->terminal = isatty (STDERR_FILENO);
  progress->shown
      = !common->quiet
        && (common->progress
            || (progress->terminal && (common->output != NULL || isatty (STDOUT_FILENO))));
}

/* Whoever fails says why: FALSE means that ERROR is set. */
static gboolean
run_command (SlRun *run, GError **error)
{
  gboolean ok = run->command->run (run, error);
  g_assert (ok == (*error == NULL));
  return ok;
}

/* All that is done before anything is opened. */
static gboolean
prepare (SlRun *run, char **argv, GError **error)
{
  const SlCommand *command = run->command;
  const SlCommonOptions *common = sl_run_common (run);
  gboolean parsed = sl_options_parse (&run->priv->own, &run->priv->common, &argv, error);
  run->files = argv;
  run->priv->parsed = parsed;
  if (!parsed)
    return FALSE;
  run->quiet = common->quiet;
  run->verbose = common->verbose;
  run->seed = (guint64) common->seed;
  run->threads = common->threads > 0 ? (int) common->threads : (int) g_get_num_processors ();
  set_messages (&run->priv->messages, common);
  if ((command->settle != NULL && !command->settle (&run->priv->own, error))
      || !sl_options_check_scope (&run->priv->own, error) || !check_files (run, error)
      || !sl_run_check_parts (run, error) || !sl_run_check_place (run, error)
      || !check_text (run, error) || !check_if_changed (run, error)
      || !sl_run_parse_tags (run, error)
      || (command->check != NULL && !command->check (&run->priv->own, error)))
    return FALSE;
  if (!sl_run_check_sides (run, error))
    return FALSE;
  sl_arrow_set_threads (run->threads);
  sl_reading_set_most (sl_option_given (run->common, "max-memory") ? common->max_memory : -1);
  return TRUE;
}

/* Two runs that land one file, each as it goes, would go on from each other's. */
static gboolean
lock_outputs (SlRun *run, GError **error)
{
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    {
      const char *path = option->lands_early ? sl_option_path (run->options, option) : NULL;
      SlLockFile *lock = path != NULL ? sl_lock_file_new (path, error) : NULL;
      if (lock != NULL)
        g_ptr_array_add (run->priv->locks, lock);
      else if (path != NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_stage (SlRun *run, char **argv, GError **error)
{
  gboolean served;
  if (!prepare (run, argv, error) || !sl_run_log_open (run, error))
    return FALSE;
  warn_of_text_reader (run);
  if (!sl_run_enter_sandbox (run, error) || !sl_run_cache_begin (run, error)
      || !sl_run_cache_serve (run, &served, error) || !lock_outputs (run, error))
    return FALSE;
  return (served || (open_all (run, error) && run_command (run, error))) && land (run, error);
}

static gboolean
broken_pipe (const SlRun *run)
{
  return (run->out != NULL && sl_writer_is_broken_pipe (run->out))
         || (run->priv->bytes != NULL && sl_output_is_broken_pipe (run->priv->bytes));
}

static void
print_error (SlRun *run, GError **error)
{
  if (run->in != NULL)
    sl_reader_name_rows (run->in, error);
  gboolean usage = g_error_matches (*error, SL_ERROR, SL_ERROR_USAGE);
  g_autofree char *text
      = g_strconcat ((*error)->message, usage ? " (--help lists the options)" : "", NULL);
  sl_messages_say (&run->priv->messages, SL_MESSAGE_ERROR, text);
}

static void
clear_run (SlRun *run)
{
  SlRunPrivate *priv = run->priv;
  g_array_unref (priv->sides);
  g_ptr_array_unref (priv->locks);
  g_clear_pointer (&run->out, sl_writer_free);
  g_clear_pointer (&run->in, sl_reader_free);
  g_clear_pointer (&priv->bytes, sl_output_free);
  g_clear_pointer (&priv->folder, sl_folder_free);
  g_string_free (priv->printed, TRUE);
  g_free (priv->history_lost);
  sl_run_cache_clear (run);
  sl_provenance_clear (&priv->provenance);
  sl_tags_clear (&priv->given);
  sl_tags_clear (&priv->tags);
  g_clear_pointer (&priv->class_values, g_hash_table_unref);
  g_clear_pointer (&priv->tag_from, g_hash_table_unref);
  sl_run_log_clear (run);
  g_strfreev (run->files);
  sl_options_clear (&priv->own);
  sl_options_clear (&priv->common);
}

static void
free_lock (gpointer lock)
{
  sl_lock_file_free (lock);
}

static void
begin_run (SlRun *run)
{
  SlRunPrivate *priv = run->priv;
  priv->sides = g_array_new (FALSE, TRUE, sizeof (SlRunSide));
  priv->locks = g_ptr_array_new_with_free_func (free_lock);
  priv->printed = g_string_new (NULL);
  priv->rows_read = -1;
  g_array_set_clear_func (priv->sides, sl_run_side_clear);
  sl_provenance_init (&priv->provenance);
  sl_messages_begin (&priv->messages, run->command->name);
  sl_command_options (run->command, &priv->own);
  sl_options_init (&priv->common, sl_common_options, &sl_common_defaults,
                   sizeof sl_common_defaults);
}

char *
sl_run_key_of (char **words, const char *spare, char **folder, char **why, GError **error)
{
  int n;
  const SlCommand *command = sl_command_find (words, &n);
  if (command == NULL)
    {
      g_autofree char *shown = g_utf8_make_valid (words[0], -1);
      sl_error_usage (error, "'%s' is no verb", shown);
      return NULL;
    }
  SlRunPrivate priv = { 0 };
  SlRun run = { .command = command, .options = &priv.own, .common = &priv.common, .priv = &priv };
  begin_run (&run);
  char *key = NULL;
  if (prepare (&run, g_strdupv (words + n), error))
    {
      *folder = g_strdup (sl_run_common (&run)->cache);
      key = sl_cache_key (&run, spare, why);
    }
  sl_messages_end (&priv.messages);
  clear_run (&run);
  return key;
}

int
sl_run_command (const SlCommand *command, char **argv)
{
  SlRunPrivate priv = { 0 };
  SlRun run = { .command = command, .options = &priv.own, .common = &priv.common, .priv = &priv };
  sl_shortage_name (command->name);
  begin_run (&run);
  g_autoptr (GError) error = NULL;
  gboolean ok = run_stage (&run, g_strdupv (argv), &error);
  if (ok && !priv.told_to_stop)
    sl_shortage_forgive (priv.status);
  if (ok && priv.history_lost != NULL)
    sl_run_warn (&run, "%s", priv.history_lost);
  gboolean quiet_end = !ok && broken_pipe (&run);
  if (!ok && !quiet_end)
    print_error (&run, &error);
  int status = ok ? priv.status : sl_error_exit_status (error);
  if (ok && priv.told_to_stop)
    status = 128 + sl_stop_asked ();
  else if (quiet_end)
    status = 128 + SIGPIPE;
  status = sl_run_log_end (&run, status);
  sl_messages_end (&priv.messages);
  clear_run (&run);
  if (quiet_end)
    sl_output_end_by_pipe ();
  /* Scripts and schedulers see that it was stopped, though what it has made is whole. */
  if (ok && priv.told_to_stop)
    sl_end_by_signal (sl_stop_asked ());
  return status;
}
