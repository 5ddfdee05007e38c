/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ingest: files of answers in; annotations out.
 *
 * Every format makes the same table of what its files hold, changing nothing that is not asked for: percents stay as they
 * were typed, doubtful rows stay in, for `exclude` and `redistribute` to judge. A row that cannot be understood ends the run
 * with its place, or is put aside with --rejects. */
#include "ingest.h"

#include "pipeline/base/shown-text.h"

#include <string.h>
#include <sys/stat.h>

/* A new format is a file that defines sl_ingest_NAME, and its name here. */
#define FORMATS(ROW) ROW (long) ROW (jspsych) ROW (counts) ROW (cifar10h) ROW (mixup)

#define DECLARE(format) extern const SlIngestFormat sl_ingest_##format;
#define POINTER(format) &sl_ingest_##format,
#define NAME(format) #format,

FORMATS (DECLARE)
static const SlIngestFormat *const formats[] = { FORMATS (POINTER) };
static const char *const format_names[] = { FORMATS (NAME) NULL };
static const char *const header_names[] = { "auto", "yes", "no", NULL };
static const char *const zero_names[] = { "hundred", "missing", "keep", NULL };

static const SlIngestOptions defaults = { .from = -1 };

static const SlOption option_table[] = {
  { .name = "from",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, from),
    .choices = format_names,
    .placeholder = "FORMAT",
    .help = "what the files are; must be given" },
  { .name = "classes",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, classes),
    .placeholder = "A,B,C",
    .help = "the classes, in their order; any other answer is an error. Without it they are the "
            "answers found, sorted" },
  { .name = "classes-from",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlIngestOptions, classes_from),
    .placeholder = "FILE",
    .help = "the classes from a text file, one a line" },
  { .name = "column",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlIngestOptions, columns),
    .placeholder = "ROLE=COLUMN,...",
    .help = "(not counts) which column holds what: its name, or its position counted from 1; "
            "nothing for none" },
  { .name = "header",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, header),
    .choices = header_names,
    .placeholder = "WHEN",
    .help
    = "(long, counts, mixup) whether the first row names the columns; auto: yes, unless --column "
      "gives positions only, or, for counts, all of it is numbers" },
  { .name = "replace-percent",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlIngestOptions, replace_percent),
    .placeholder = "TEXT=NUMBER",
    .help = "(jspsych) read a percent typed as TEXT as NUMBER" },
  { .name = "zero-percent",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, zero_percent),
    .choices = zero_names,
    .placeholder = "HOW",
    .help = "(jspsych) what a first percent of 0, or none, becomes: 100 with the row marked as "
            "repaired, missing, or itself" },
  { .name = "rejects",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (SlIngestOptions, rejects),
    .placeholder = "FILE",
    .help = "write bad rows to this CSV file, with place and reason, and go on",
    .shapes_output = TRUE },
  { 0 },
};

/* Options that only some formats have. */
static const char *const special[]
    = { "column", "header", "replace-percent", "zero-percent", NULL };

static gboolean
check_options (SlOptions *given, GError **error)
{
  const SlIngestOptions *options = given->values;
  if (options->from < 0)
    {
      g_autofree char *all = g_strjoinv (", ", (char **) format_names);
      return sl_error_usage (error, "--from is missing; it is one of %s", all);
    }
  const SlIngestFormat *format = formats[options->from];
  for (int i = 0; special[i] != NULL; i++)
    if (sl_option_given (given, special[i]) && !g_strv_contains (format->uses, special[i]))
      return sl_error_usage (error, "--%s has no meaning for --from %s", special[i],
                             format_names[options->from]);
  if (options->classes != NULL && options->classes_from != NULL)
    return sl_error_usage (error, "--classes and --classes-from exclude each other");
  if (format->check != NULL && !format->check (options, error))
    return FALSE;
  char **columns
      = format->roles != NULL ? sl_columns_parse (format->roles, options->columns, error) : NULL;
  if (columns == NULL)
    return format->roles == NULL;
  sl_columns_free (columns, format->roles);
  return TRUE;
}

gboolean
sl_ingest_start_as (SlIngest *ingest, const SlKind *kind, guint32 columns, GError **error)
{
  ingest->table = sl_table_new (kind, (const char *const *) ingest->classes);
  ingest->table->columns |= columns;
  ingest->builder = sl_builder_new (ingest->table);
  g_autofree char *classes = g_strjoinv (", ", ingest->classes);
  g_autofree char *shown = sl_shown (classes, strlen (classes));
  sl_run_note (ingest->run, "%d classes: %s", ingest->table->n_classes, shown);
  return sl_run_start (ingest->run, ingest->table, error);
}

gboolean
sl_ingest_start (SlIngest *ingest, guint32 columns, GError **error)
{
  return sl_ingest_start_as (ingest, &sl_annotations, columns, error);
}

gboolean
sl_ingest_write (SlIngest *ingest, const SlIngestAnswers *answers, GError **error)
{
  ingest->n_rows += (gint64) answers->n;
  return sl_ingest_answers_write (answers, ingest->builder, ingest->run->out, error);
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
  const SlIngestOptions *options = ingest->options;
  gboolean all_known = TRUE;
  if (options->classes_from != NULL
      && !sl_run_add_option_file (ingest->run, "classes-from", options->classes_from, error))
    return FALSE;
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
  gboolean is_stdin = strcmp (ingest->files[0], "-") == 0;
  g_autofree char *name = g_filename_display_name (is_stdin ? "standard input" : ingest->files[0]);
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: there are no answers in it%s", name,
               ingest->files[1] != NULL ? ", nor in the other files" : "");
  return FALSE;
}

static gboolean
run (SlRun *stage, GError **error)
{
  const SlIngestOptions *options = stage->options->values;
  static const char *const standard_input[] = { "-", NULL };
  SlIngest ingest = { .run = stage, .options = options };
  ingest.files = stage->files[0] != NULL ? (const char *const *) stage->files : standard_input;
  gboolean ok = sl_classes_given (options->classes, options->classes_from, &ingest.classes, error)
                && add_sources (&ingest, error)
                && sl_rejects_start (&ingest.rejects, stage, options->rejects, error)
                && formats[options->from]->run (&ingest, error) && finish (&ingest, error);
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
  SL_OPTIONS (option_table, defaults),
  .description
  = "long is CSV or TSV with one answer a row. The roles of --column are item, annotator, "
    "class, percent, class2, percent2, impossible (classes separated by | or ;), gold, "
    "seconds and count (identical answers behind the row); only item and class must be "
    "there. Roles that are not given go to columns with common names: item, task, question,"
    " example, image ..., annotator, worker, user, rater ..., class, label, answer, "
    "response ..., gold, truth; else those of the role itself. Percents are kept as they "
    "are.\n"
    "jspsych is the CSV export of a jsPsych survey in the form of CIFAR-10S. Rows with "
    "trial_type survey-html-form hold in `response`, as JSON, the fields classSelect, prob,"
    " classSelect2, prob2 and improbClassSelect.... Class names match whatever their case. "
    "An answer is complete if its annotator has a row with trial_type survey-text, and a "
    "repeat if its `task` begins with rerun_. A percent that is no number is kept as -1, "
    "which `exclude` counts as out of range. With --verbose, all that is unusual is "
    "counted.\n"
    "counts is a matrix of votes with a row an item and a column a class: a NumPy array "
    "(.npy), or CSV with or without a header of class names. Items are numbered from 0, "
    "unless a first column headed `item` names them.\n"
    "cifar10h is cifar10h-raw.csv, the single answers behind CIFAR-10H, with attention "
    "checks marked.\n"
    "mixup is CSV or TSV with one answer about a mixture of two items a row, and makes a table of "
    "mixtures. Roles: item (the mixture), annotator, first and second (the items mixed), "
    "first_class, second_class, lambda (the share of the first one), human (the share that was "
    "seen) and confidence, all from 0 to 1; annotator, first, second and confidence need not be "
    "there. Common names are mixture, stimulus, class_a, class_b, lambda_f, lambda_h, omega ...\n"
    "CSV is as RFC 4180 has it, in UTF-8, separated by commas or tabs, whichever the first "
    "row has more of. Several files are read one after the other. Rows in messages are "
    "lines of the file, a header being row 1; those of a NumPy array are its items.\n"
    "Memory does not grow with the file, but: jspsych holds all answers; long reads "
    "files twice where --classes is not given, and holds what comes by a pipe; mixup then holds "
    "all answers.",
  .examples = "softlabel ingest --from long votes.csv -o votes.parquet\n"
              "    Plain votes, with the columns found by their names.\n"
              "softlabel ingest --from long --column item=1,annotator=2,class=3 --classes yes,no "
              "answers.tsv\n"
              "    A file without a header, and the classes in this order.\n"
              "softlabel ingest --from jspsych --replace-percent 8p=80 raw_human_data.csv -o "
              "answers.parquet\n"
              "    CIFAR-10S as it was collected, with a slip mended.\n"
              "softlabel ingest --from counts --classes-from classes.txt cifar10h-counts.npy -o "
              "votes.parquet\n"
              "    CIFAR-10H's counts.\n"
              "softlabel ingest --from mixup --column human=relabel mixed.csv -o mixed.parquet\n"
              "    What people see in mixtures, for `softlabel simulate mixup` and fit-mixup.\n",
  .check = check_options,
  .run = run,
};
