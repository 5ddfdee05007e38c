/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ingest: files of answers in; annotations out.
 *
 * Every format makes the same table of what its files hold, changing nothing that is not asked for: percents stay as they
 * were typed, doubtful rows stay in, for `exclude` and `redistribute` to judge. A row that cannot be understood ends the run
 * with its place, or is put aside with --rejects. */
#include "ingest.h"

#include <string.h>
#include <sys/stat.h>

static const SlIngestFormat *const formats[]
    = { &sl_ingest_long, &sl_ingest_jspsych, &sl_ingest_counts, &sl_ingest_cifar10h };

/* In the order of the table. */
static const char *const format_names[] = { "long", "jspsych", "counts", "cifar10h", NULL };
static const char *const header_names[] = { "auto", "yes", "no", NULL };
static const char *const zero_names[] = { "hundred", "missing", "keep", NULL };

static SlIngestOptions options = { .from = -1 };

static const SlOption option_table[] = {
  { .name = "from",
    .kind = SL_OPTION_CHOICE,
    .value = &options.from,
    .choices = format_names,
    .placeholder = "FORMAT",
    .help = "what the files are (required)" },
  { .name = "classes",
    .kind = SL_OPTION_TEXT,
    .value = &options.classes,
    .placeholder = "A,B,C",
    .help = "the classes, in their order; any other answer is an error. Without it they are the "
            "answers found, sorted" },
  { .name = "classes-from",
    .kind = SL_OPTION_INPUT,
    .value = &options.classes_from,
    .placeholder = "FILE",
    .help = "the classes from a text file, one a line" },
  { .name = "column",
    .kind = SL_OPTION_TEXTS,
    .value = &options.columns,
    .placeholder = "ROLE=COLUMN,...",
    .help = "(long, jspsych) which column holds what: its name, or its position counted from 1; "
            "nothing for none" },
  { .name = "header",
    .kind = SL_OPTION_CHOICE,
    .value = &options.header,
    .choices = header_names,
    .placeholder = "WHEN",
    .help = "(long) whether the first row names the columns; auto: yes, unless --column gives "
            "positions only" },
  { .name = "replace-percent",
    .kind = SL_OPTION_TEXTS,
    .value = &options.replace_percent,
    .placeholder = "TEXT=NUMBER",
    .help = "(jspsych) read a percent typed as TEXT as NUMBER; may be repeated" },
  { .name = "zero-percent",
    .kind = SL_OPTION_CHOICE,
    .value = &options.zero_percent,
    .choices = zero_names,
    .placeholder = "HOW",
    .help = "(jspsych) what a first percent of 0, or none, becomes: 100 with the row marked as "
            "repaired, missing, or itself" },
  { .name = "rejects",
    .kind = SL_OPTION_OUTPUT,
    .value = &options.rejects,
    .placeholder = "FILE",
    .help = "write bad rows to this CSV file, with place and reason, and go on" },
  { 0 },
};

/* Options that only some formats have. */
static const char *const special[]
    = { "column", "header", "replace-percent", "zero-percent", NULL };

static gboolean usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
usage_error (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, SL_ERROR, SL_ERROR_USAGE, what);
  return FALSE;
}

static gboolean
check (GError **error)
{
  if (options.from < 0)
    return usage_error (error, "--from is missing: long, jspsych, counts or cifar10h");
  const SlIngestFormat *format = formats[options.from];
  for (int i = 0; special[i] != NULL; i++)
    if (sl_option_given (option_table, special[i]) && !g_strv_contains (format->uses, special[i]))
      return usage_error (error, "--%s has no meaning for --from %s", special[i], format->name);
  if (options.classes != NULL && options.classes_from != NULL)
    return usage_error (error, "--classes and --classes-from exclude each other");
  if (format->check != NULL && !format->check (&options, error))
    return FALSE;
  char **given
      = format->roles != NULL ? sl_columns_parse (format->roles, options.columns, error) : NULL;
  if (given == NULL)
    return format->roles == NULL;
  sl_columns_free (given, format->roles);
  return TRUE;
}

gboolean
sl_ingest_start (SlIngest *ingest, guint32 columns, GError **error)
{
  ingest->table = sl_table_new (&sl_annotations, (const char *const *) ingest->classes);
  ingest->table->columns |= columns;
  ingest->builder = sl_builder_new (ingest->table);
  return sl_run_start (ingest->run, ingest->table, error);
}

gboolean
sl_ingest_write (SlIngest *ingest, const SlAnswers *answers, GError **error)
{
  ingest->n_rows += (gint64) answers->n;
  return sl_answers_write (answers, ingest->builder, ingest->run->out, error);
}

void
sl_ingest_progress (SlIngest *ingest, gint64 n)
{
  ingest->n_read += n;
  sl_run_progress (ingest->run, ingest->n_read, ingest->bytes_done + ingest->reading->done,
                   ingest->bytes_whole);
}

gboolean
sl_ingest_bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
               GError **error)
{
  SlIngestCsv *source = data;
  SlIngest *ingest = source->ingest;
  if (ingest->rehearsal && ingest->rejects.path != NULL)
    return TRUE;
  return sl_rejects_add (&ingest->rejects, source->csv->name, row, reason, record, length, error);
}

gboolean
sl_ingest_each (SlIngestCsv *data, const int *columns, int n_columns, const SlCsvHandler *handler,
                GError **error)
{
  SlIngest *ingest = data->ingest;
  ingest->reading = data->csv;
  gboolean ok
      = sl_csv_each (data->csv, columns, n_columns, ingest->run->threads, handler, data, error);
  ingest->bytes_done += data->csv->done;
  ingest->reading = NULL;
  return ok;
}

/* Names of pipes are left out: to open one and close it again would take it from whoever writes into it. */
static gboolean
add_sources (SlIngest *ingest, GError **error)
{
  gboolean all_known = TRUE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      const char *path = ingest->files[i];
      struct stat info;
      gboolean regular = sl_source_can_reopen (path), there = stat (path, &info) == 0;
      if (!sl_run_add_source (ingest->run, regular || !there ? path : "-", error))
        return FALSE;
      ingest->bytes_whole += regular && there ? info.st_size : 0;
      all_known = all_known && regular && there;
    }
  if (!all_known)
    ingest->bytes_whole = 0;
  return TRUE;
}

static gboolean
finish (SlIngest *ingest, GError **error)
{
  if (!sl_rejects_end (&ingest->rejects, ingest->n_rows, error))
    return FALSE;
  if (ingest->n_rows > 0)
    return sl_writer_write_built (ingest->run->out, ingest->builder, TRUE, error);
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: there is a header, but not one answer",
               ingest->files[0]);
  return FALSE;
}

static gboolean
run (SlRun *stage, GError **error)
{
  static const char *const standard_input[] = { "-", NULL };
  SlIngest ingest = { .run = stage, .options = &options };
  ingest.files = stage->files[0] != NULL ? (const char *const *) stage->files : standard_input;
  gboolean ok = sl_classes_given (options.classes, options.classes_from, &ingest.classes, error)
                && add_sources (&ingest, error)
                && sl_rejects_start (&ingest.rejects, stage, options.rejects, error)
                && formats[options.from]->run (&ingest, error) && finish (&ingest, error);
  sl_rejects_clear (&ingest.rejects);
  g_clear_pointer (&ingest.builder, sl_builder_free);
  g_clear_pointer (&ingest.table, sl_table_unref);
  g_strfreev (ingest.classes);
  return ok;
}

const SlCommand sl_command_ingest = {
  .name = "ingest",
  .summary = "read the answers of annotators from CSV and other forms",
  .arguments = "--from FORMAT [FILE...]",
  .writes = &sl_annotations,
  .flags = SL_COMMAND_SOURCES,
  .options = option_table,
  .check = check,
  .run = run,
};
