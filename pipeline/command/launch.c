/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one stage, from its command line to its exit status: the only place that opens what a stage
 * reads and writes, prints what it has to say, and lets its outputs land. */
#include "run-private.h"

#include "pipeline/base/signals.h"
#include "pipeline/files/arrow-cxx.h"

#include <string.h>
#include <unistd.h>

SlCommonOptions sl_common;

const SlOption sl_common_options[] = {
  { .name = "output",
    .letter = 'o',
    .kind = SL_OPTION_OUTPUT,
    .value = &sl_common.output,
    .placeholder = "FILE",
    .help = "write to FILE, which appears only when all went well; its extension says the format: "
            ".parquet, .arrow, .arrows, .csv, .jsonl (otherwise to standard output)" },
  { .name = "format",
    .kind = SL_OPTION_CHOICE,
    .value = &sl_common.format,
    .choices = sl_format_names,
    .placeholder = "FORMAT",
    .help = "the output's format, whatever its name; auto is by extension, an Arrow stream "
            "(arrows) on a pipe, a table on a terminal" },
  { .name = "threads",
    .letter = 'j',
    .kind = SL_OPTION_INTEGER,
    .value = &sl_common.threads,
    .min = 0,
    .max = 1024,
    .placeholder = "N",
    .help = "threads that work, beside one that reads ahead (none with 1); 0 is one a processor. "
            "The output's bytes do not depend on it" },
  { .name = "seed",
    .kind = SL_OPTION_INTEGER,
    .value = &sl_common.seed,
    .min = 0,
    .max = 9e18,
    .placeholder = "N",
    .help = "for stages that draw random numbers: the same seed, the same output" },
  { .name = "max-memory",
    .kind = SL_OPTION_SIZE,
    .value = &sl_common.max_memory,
    .placeholder = "SIZE",
    .help = "stop rather than hold more than SIZE (512M, 2G) of a table in memory; 0 is no limit" },
  { .name = "quiet",
    .letter = 'q',
    .kind = SL_OPTION_FLAG,
    .value = &sl_common.quiet,
    .help = "no warnings, no progress" },
  { .name = "verbose",
    .letter = 'v',
    .kind = SL_OPTION_FLAG,
    .value = &sl_common.verbose,
    .help = "tell what was found and done" },
  { .name = "progress",
    .kind = SL_OPTION_FLAG,
    .value = &sl_common.progress,
    .help = "show progress even if standard error is no terminal (a line now and then), or "
            "standard output a pipe" },
  { .name = "no-provenance",
    .kind = SL_OPTION_FLAG,
    .value = &sl_common.no_provenance,
    .help = "leave the table's history out of its metadata" },
  { 0 },
};

/* Whether the stage reads a table that is opened for it. */
static gboolean
has_input (const SlCommand *command)
{
  return !(command->flags & (SL_COMMAND_SOURCES | SL_COMMAND_TABLES))
         && (command->makes == NULL || !sl_option_given (command->options, command->makes));
}

/* A second reading of standard input would find nothing left of it, or the rest of what the first one left. */
static gboolean
check_standard_input (const SlCommand *command, char **files, GError **error)
{
  gboolean implied = has_input (command) && files[0] == NULL;
  int n = implied;
  for (char **file = files; *file != NULL; file++)
    n += strcmp (*file, "-") == 0;
  for (const SlOption *option = command->options; option != NULL && option->name != NULL; option++)
    n += option->kind == SL_OPTION_INPUT && g_strcmp0 (*(char **) option->value, "-") == 0;
  if (n <= 1)
    return TRUE;
  return sl_error_usage (error, implied ? "standard input (-) can be read only once, and is the "
                                          "input where no file is named"
                                        : "standard input (-) can be given only once");
}

static gboolean
check_files (const SlCommand *command, char **files, GError **error)
{
  gboolean many = command->flags & (SL_COMMAND_SOURCES | SL_COMMAND_TABLES);
  if (!check_standard_input (command, files, error))
    return FALSE;
  if (files[0] != NULL && !many && !has_input (command))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "'%s': with --%s no table is read", files[0],
                   command->makes);
      return FALSE;
    }
  if (many || g_strv_length (files) <= 1)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE,
               "'%s' is one file too many; `softlabel cat` joins tables", files[1]);
  return FALSE;
}

/* Bytes that nobody can read are no sight. */
static gboolean
check_terminal (const SlRun *run, GError **error)
{
  if (!(run->command->flags & SL_COMMAND_BYTES) || !sl_output_is_terminal (run->priv->bytes))
    return TRUE;
  return sl_error_usage (error, "standard output is a terminal: name a file with -o");
}

static gboolean
open_all (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  if (has_input (run->command))
    {
      run->in = sl_run_open (run, NULL, run->files[0], run->command->reads, error);
      if (run->in == NULL)
        return FALSE;
    }
  if (run->command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES))
    {
      priv->bytes = sl_output_new (sl_common.output, error);
      return priv->bytes != NULL && check_terminal (run, error);
    }
  run->out = sl_writer_new (sl_common.output, (SlFormat) sl_common.format, run->threads, error);
  return run->out != NULL;
}

/* Every output is complete before one takes its name. */
static gboolean
land (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  for (guint i = 0; i < priv->sides->len; i++)
    if (!sl_run_side_finish (&g_array_index (priv->sides, SlRunSide, i), error))
      return FALSE;
  SlRunSide main = { .table = run->out, .bytes = priv->bytes };
  if (priv->bytes != NULL
      && !sl_output_write (priv->bytes, priv->printed->str, priv->printed->len, error))
    return FALSE;
  if (!sl_run_side_finish (&main, error))
    return FALSE;
  for (guint i = 0; i < priv->sides->len; i++)
    if (!sl_run_side_commit (&g_array_index (priv->sides, SlRunSide, i), error))
      return FALSE;
  return sl_run_side_commit (&main, error);
}

/* Text is no table, whatever its file is called. */
static gboolean
check_text (const SlCommand *command, GError **error)
{
  SlFormat format = sl_format_of_path (sl_common.output);
  gboolean asks_table = sl_option_given (sl_common_options, "format")
                        || (format >= SL_FORMAT_ARROWS && format <= SL_FORMAT_PARQUET);
  if (!(command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES)) || !asks_table)
    return TRUE;
  return sl_error_usage (error, "%s %s; `softlabel cat` converts tables", command->name,
                         command->flags & SL_COMMAND_TEXT ? "prints text, not a table"
                                                          : "writes no table");
}

static void
set_messages (SlMessages *messages)
{
  SlProgress *progress = &messages->progress;
  messages->quiet = sl_common.quiet;
  messages->verbose = sl_common.verbose;
  progress->terminal = isatty (STDERR_FILENO);
  progress->shown
      = !sl_common.quiet
        && (sl_common.progress
            || (progress->terminal && (sl_common.output != NULL || isatty (STDOUT_FILENO))));
}

static gboolean
run_stage (SlRun *run, char **argv, GError **error)
{
  const SlCommand *command = run->command;
  if (!sl_options_parse (command->options, sl_common_options, &argv, error))
    {
      run->files = argv;
      return FALSE;
    }
  run->files = argv;
  run->quiet = sl_common.quiet;
  run->verbose = sl_common.verbose;
  run->seed = (guint64) sl_common.seed;
  run->threads = sl_common.threads > 0 ? (int) sl_common.threads : (int) g_get_num_processors ();
  set_messages (&run->priv->messages);
  if (!check_files (command, run->files, error) || !check_text (command, error)
      || (command->check != NULL && !command->check (error)))
    return FALSE;
  if (!sl_run_check_sides (run, error))
    return FALSE;
  sl_arrow_set_threads (run->threads);
  return open_all (run, error) && command->run (run, error) && land (run, error);
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
  g_clear_pointer (&run->out, sl_writer_free);
  g_clear_pointer (&run->in, sl_reader_free);
  g_clear_pointer (&priv->bytes, sl_output_free);
  g_string_free (priv->printed, TRUE);
  g_free (priv->history_lost);
  sl_provenance_clear (&priv->provenance);
  g_strfreev (run->files);
}

int
sl_run_command (const SlCommand *command, char **argv)
{
  SlRunPrivate priv
      = { .sides = g_array_new (FALSE, TRUE, sizeof (SlRunSide)), .printed = g_string_new (NULL) };
  sl_provenance_init (&priv.provenance);
  sl_messages_begin (&priv.messages, command->name);
  g_array_set_clear_func (priv.sides, sl_run_side_clear);
  SlRun run = { .command = command, .priv = &priv };
  g_autoptr (GError) error = NULL;
  gboolean ok = run_stage (&run, g_strdupv (argv), &error);
  if (ok && priv.history_lost != NULL)
    sl_run_warn (&run, "%s", priv.history_lost);
  gboolean quiet_end = !ok && broken_pipe (&run);
  if (!ok && !quiet_end)
    print_error (&run, &error);
  int status = ok ? 0 : sl_error_exit_status (error);
  sl_messages_end (&priv.messages);
  clear_run (&run);
  if (quiet_end)
    sl_output_end_by_pipe ();
  /* Scripts and schedulers see that it was stopped, though what it has made is whole. */
  if (ok && priv.told_to_stop)
    sl_end_by_signal (sl_stop_asked ());
  return status;
}
