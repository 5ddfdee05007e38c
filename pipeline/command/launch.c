/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one stage, from its command line to its exit status: the only place that opens what a stage
 * reads and writes, prints what it has to say, and lets its outputs land. */
#include "run-private.h"

#include "pipeline/display/terminal.h"
#include "pipeline/files/arrow-cxx.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a message; a name in it may be of any length. */
#define MAX_MESSAGE 1000

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
    .help = "show progress even if standard error is no terminal, or standard output a pipe" },
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
  if (run->command->flags & SL_COMMAND_TEXT)
    {
      priv->print = sl_output_new (sl_common.output, error);
      return priv->print != NULL;
    }
  run->out = sl_writer_new (sl_common.output, (SlFormat) sl_common.format, run->threads, error);
  return run->out != NULL;
}

static gboolean
each_side (SlRun *run, gboolean commit, GError **error)
{
  for (guint i = 0; i < run->priv->sides->len; i++)
    {
      SlRunSide *side = &g_array_index (run->priv->sides, SlRunSide, i);
      gboolean ok = side->table != NULL
                        ? (commit ? sl_writer_commit : sl_writer_finish) (side->table, error)
                        : (commit ? sl_output_commit : sl_output_finish) (side->bytes, error);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

/* Every output is complete before one takes its name. */
static gboolean
land (SlRun *run, GError **error)
{
  SlRunPrivate *priv = run->priv;
  if (!each_side (run, FALSE, error))
    return FALSE;
  gboolean finished = priv->print == NULL ? sl_writer_finish (run->out, error)
                                          : sl_output_write (priv->print, priv->printed->str,
                                                             priv->printed->len, error)
                                                && sl_output_finish (priv->print, error);
  if (!finished || !each_side (run, TRUE, error))
    return FALSE;
  return priv->print != NULL ? sl_output_commit (priv->print, error)
                             : sl_writer_commit (run->out, error);
}

/* Text is no table, whatever its file is called. */
static gboolean
check_text (const SlCommand *command, GError **error)
{
  SlFormat format = sl_format_of_path (sl_common.output);
  gboolean asks_table = sl_option_given (sl_common_options, "format")
                        || (format >= SL_FORMAT_ARROWS && format <= SL_FORMAT_PARQUET);
  if (!(command->flags & SL_COMMAND_TEXT) || !asks_table)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE,
               "%s prints text, not a table; `softlabel cat` converts tables", command->name);
  return FALSE;
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
  run->priv->progress.verb = command->name;
  run->priv->progress.shown
      = !sl_common.quiet
        && (sl_common.progress
            || (isatty (STDERR_FILENO) && (sl_common.output != NULL || isatty (STDOUT_FILENO))));
  if (!check_files (command, run->files, error) || !check_text (command, error)
      || (command->check != NULL && !command->check (error)))
    return FALSE;
  if (!sl_run_check_sides (run, error))
    return FALSE;
  sl_arrow_set_threads (run->threads);
  return open_all (run, error) && command->run (run, error) && land (run, error);
}

/* A message is one line that cannot steer a terminal, whatever a file or a library put into it. */
static void
print_line (const SlRun *run, const char *level, const char *text)
{
  g_autoptr (GString) line = g_string_new (NULL);
  gsize length = strlen (text);
  sl_display_text (line, text, (gssize) MIN (length, MAX_MESSAGE));
  fprintf (stderr, "softlabel %s: %s%s%s\n", run->command->name, level, line->str,
           length > MAX_MESSAGE ? " ..." : "");
}

static void
print_messages (const SlRun *run)
{
  for (guint i = 0; i < run->priv->messages->len; i++)
    {
      const SlRunMessage *message = &g_array_index (run->priv->messages, SlRunMessage, i);
      gboolean note = message->level == SL_MESSAGE_NOTE;
      if (message->level == SL_MESSAGE_REPORT)
        fputs (message->text, stderr);
      else if (note ? sl_common.verbose : !sl_common.quiet)
        print_line (run, note ? "" : "warning: ", message->text);
    }
}

static gboolean
broken_pipe (const SlRun *run)
{
  return (run->out != NULL && sl_writer_is_broken_pipe (run->out))
         || (run->priv->print != NULL && sl_output_is_broken_pipe (run->priv->print));
}

static void
print_error (const SlRun *run, GError **error)
{
  if (run->in != NULL)
    sl_reader_name_rows (run->in, error);
  gboolean usage = g_error_matches (*error, SL_ERROR, SL_ERROR_USAGE);
  g_autofree char *text
      = g_strconcat ((*error)->message, usage ? " (--help lists the options)" : "", NULL);
  print_line (run, "", text);
}

static void
clear_run (SlRun *run)
{
  SlRunPrivate *priv = run->priv;
  for (guint i = 0; i < priv->sides->len; i++)
    {
      SlRunSide *side = &g_array_index (priv->sides, SlRunSide, i);
      g_clear_pointer (&side->table, sl_writer_free);
      g_clear_pointer (&side->bytes, sl_output_free);
    }
  for (guint i = 0; i < priv->messages->len; i++)
    g_free (g_array_index (priv->messages, SlRunMessage, i).text);
  g_array_unref (priv->sides);
  g_array_unref (priv->messages);
  g_clear_pointer (&run->out, sl_writer_free);
  g_clear_pointer (&run->in, sl_reader_free);
  g_clear_pointer (&priv->print, sl_output_free);
  g_string_free (priv->printed, TRUE);
  g_free (priv->history_lost);
  sl_provenance_clear (&priv->provenance);
  g_strfreev (run->files);
}

int
sl_run_command (const SlCommand *command, char **argv)
{
  SlRunPrivate priv = { .sides = g_array_new (FALSE, TRUE, sizeof (SlRunSide)),
                        .messages = g_array_new (FALSE, TRUE, sizeof (SlRunMessage)),
                        .printed = g_string_new (NULL) };
  sl_provenance_init (&priv.provenance);
  SlRun run = { .command = command, .priv = &priv };
  g_autoptr (GError) error = NULL;
  gboolean ok = run_stage (&run, g_strdupv (argv), &error);
  if (ok && priv.history_lost != NULL)
    sl_run_warn (&run, "%s", priv.history_lost);
  gboolean quiet_end = !ok && broken_pipe (&run);
  sl_progress_clear (&priv.progress);
  if (!quiet_end)
    print_messages (&run);
  if (!ok && !quiet_end)
    print_error (&run, &error);
  int status = ok ? 0 : sl_error_exit_status (error);
  clear_run (&run);
  if (quiet_end)
    sl_output_end_by_pipe ();
  return status;
}
