/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ingest: files of answers in; annotations out.
 *
 * Every format makes the same table of what its files hold, changing nothing that is not asked for:
 * percents stay as they were typed, doubtful rows stay in, for `exclude` and `redistribute` to
 * judge. A row that cannot be understood ends the run with its place, or is put aside with
 * --rejects. */
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/mixtures.h"
#include "schemas/predictions.h"
#include "formats.h"
#include "sniff.h"
#include "source-files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const header_names[] = { "auto", "yes", "no", NULL };
static const char *const zero_names[] = { "hundred", "missing", "keep", NULL };

static const char *const yes_no[] = { "yes", "no", NULL };
static const char *const percent_scales[] = { "1", "100", NULL };

static const SlIngestOptions defaults = { .from = -1, .percent_scale = SL_PERCENT_UNSAID };

static const SlOption option_table[] = {
  { .name = "from",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, from),
    .choices = sl_ingest_format_names,
    .traits = sl_ingest_format_traits,
    .meanings = sl_ingest_format_meanings,
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
    .with = "from",
    .of = SL_FORMAT_COLUMN,
    .help = "which column holds what: its name, or its position counted from 1; "
            "nothing for none" },
  { .name = "columns",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, columns_like),
    .placeholder = "PATTERN",
    .with = "from",
    .of = SL_FORMAT_COLUMNS,
    .help = "which columns hold answers: a name in which * stands for anything and ? for one "
            "character" },
  { .name = "trial-type",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, trial_type),
    .placeholder = "TYPE",
    .with = "from",
    .of = SL_FORMAT_TRIAL_TYPE,
    .help = "which trials are answers, by their trial_type" },
  { .name = "items",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlIngestOptions, items),
    .placeholder = "FILE",
    .with = "from",
    .of = SL_FORMAT_DISTRIBUTIONS,
    .help = "the items of rows that have no names, one a line; without it they are numbered from "
            "0" },
  { .name = "rescale",
    .kind = SL_OPTION_REAL,
    .field = offsetof (SlIngestOptions, rescale),
    .min = 0,
    .max = 0.5,
    .placeholder = "TOLERANCE",
    .with = "from",
    .of = SL_FORMAT_DISTRIBUTIONS,
    .help = "divide a distribution by its sum, where that is within TOLERANCE of 1, as of rounded "
            "ones; more than 0.0001 off is an error without it" },
  { .name = "header",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, header),
    .choices = header_names,
    .placeholder = "WHEN",
    .with = "from",
    .of = SL_FORMAT_HEADER,
    .help = "whether the first row names the columns; auto: yes, unless --column "
            "gives positions only, or, for counts, all of it is numbers" },
  { .name = "delimiter",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, delimiter),
    .placeholder = "C",
    .help
    = "what separates the fields of CSV: one character, tab or space. Without it a comma or a "
      "tab, whichever the first row has more of, or, where it has neither, a semicolon or |" },
  { .name = "na",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlIngestOptions, missing),
    .placeholder = "TEXT",
    .with = "from",
    .of = SL_FORMAT_NA,
    .help = "a TEXT that stands for no class; without it NA, N/A, n/a, <NA>, "
            "#N/A, NaN, nan, NULL and null do, unless --classes has them" },
  { .name = "trim",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, trim),
    .choices = yes_no,
    .with = "from",
    .of = SL_FORMAT_NAMES,
    .help = "drop blanks around items, annotators and classes" },
  { .name = "rename-class",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlIngestOptions, renamed),
    .placeholder = "OLD=NEW",
    .with = "from",
    .of = SL_FORMAT_NAMES,
    .help = "read the class OLD as NEW" },
  { .name = "percent-scale",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, percent_scale),
    .choices = percent_scales,
    .with = "from",
    .of = SL_FORMAT_PERCENTS,
    .help = "the percent that is all: 1 where the files have fractions. A number "
            "with a percent sign is a percent anyway. Without it 100, but fractions alone are an "
            "error" },
  { .name = "replace-percent",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlIngestOptions, replace_percent),
    .placeholder = "TEXT=NUMBER",
    .with = "from",
    .of = SL_FORMAT_REPLACE_PERCENT,
    .help = "read a percent typed as TEXT as NUMBER" },
  { .name = "zero-percent",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlIngestOptions, zero_percent),
    .choices = zero_names,
    .placeholder = "HOW",
    .with = "from",
    .of = SL_FORMAT_REPLACE_PERCENT,
    .help = "what a first percent of 0, or none, becomes: 100 with the row marked as "
            "repaired, missing, or itself" },
  { .name = "question",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, question),
    .placeholder = "NAME",
    .with = "from",
    .of = SL_FORMAT_QUESTION,
    .help = "which question is read, where the files have answers to several" },
  { .name = "annotator",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, annotator),
    .placeholder = "NAME",
    .with = "from",
    .of = SL_FORMAT_ANNOTATOR,
    .help = "who answered, where the files do not say" },
  { .name = "keep",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlIngestOptions, keep),
    .placeholder = "STATUS",
    .with = "from",
    .of = SL_FORMAT_KEEP,
    .help = "take answers of this status too, which are left out otherwise" },
  { .name = "reject-as",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlIngestOptions, reject_as),
    .placeholder = "CLASS",
    .with = "from",
    .of = SL_FORMAT_REJECT_AS,
    .help = "the class that rejecting the label on show stands for" },
  { .name = "transpose",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlIngestOptions, transpose),
    .with = "from",
    .of = SL_FORMAT_TRANSPOSE,
    .help = "rows are annotators, and columns items" },
  { .name = "rejects",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (SlIngestOptions, rejects),
    .placeholder = "FILE",
    .help = "write bad rows to this CSV file, with place and reason, and go on",
    .shapes_output = TRUE },
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const SlIngestOptions *options = given->values;
  if (options->from < 0)
    {
      g_autofree char *all = g_strjoinv (", ", (char **) sl_ingest_format_names);
      return sl_error_usage (error, "--from is missing; it is one of %s", all);
    }
  const SlIngestFormat *format = sl_ingest_formats[options->from];
  if (options->classes != NULL && options->classes_from != NULL)
    return sl_error_usage (error, "--classes and --classes-from exclude each other");
  for (char **word = options->keep; word != NULL && *word != NULL; word++)
    if (format->statuses == NULL || !g_strv_contains (format->statuses, *word))
      {
        g_autofree char *all
            = format->statuses != NULL ? g_strjoinv (", ", (char **) format->statuses) : NULL;
        return sl_error_usage (error, "--keep: '%s' is not one of %s", *word, all);
      }
  return format->check == NULL || format->check (options, error);
}

/* Names of pipes are left out: to open one and close it again would take it from whoever writes
 * into it. */
static gboolean
add_sources (SlIngest *ingest, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  gboolean all_known = TRUE;
  if ((options->classes_from != NULL
       && !sl_run_add_option_file (ingest->run, "classes-from", options->classes_from, error))
      || (options->items != NULL
          && !sl_run_add_option_file (ingest->run, "items", options->items, error)))
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
  if (!sl_rejected_rows_end (&ingest->rejected, ingest->n_rows, error))
    return FALSE;
  if (ingest->n_rows > 0)
    return sl_writer_write_built (ingest->run->out, ingest->builder, TRUE, error);
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]);
  return sl_error_bad_input (error, "%s: there are no answers in it%s", name,
                             ingest->files[1] != NULL ? ", nor in the other files" : "");
}

/* What the options say, as the format wants it. */
static gboolean
begin (SlIngest *ingest, const SlIngestFormat *format, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  return sl_delimiter_parse (options->delimiter, &ingest->separator, error)
         && sl_class_texts_init (&ingest->class_texts, options->trim == 0, options->missing,
                                 options->renamed, error)
         && (format->roles == NULL
             || sl_columns_parse (format->roles, options->columns, &ingest->columns, error))
         && sl_classes_given (options->classes, options->classes_from, &ingest->classes, error)
         && add_sources (ingest, error)
         && sl_rejected_rows_start (&ingest->rejected, ingest->run, options->rejects, error);
}

static int
format_named (const char *name)
{
  int i = 0;
  while (strcmp (sl_ingest_format_names[i], name) != 0)
    i++;
  return i;
}

/* In place of --from auto comes what FILE looks like; the history, too, names that. */
static gboolean
settle_format (SlRun *run, SlIngestOptions *options, const char *file, GError **error)
{
  const char *why = NULL;
  if (sl_ingest_formats[options->from] != &sl_ingest_auto)
    return TRUE;
  g_autofree char *name = sl_ingest_file_name (file);
  if (sl_source_can_reopen (file) || (strcmp (file, "-") != 0 && access (file, F_OK) != 0))
    {
      SlSource *source = sl_source_open (file, error);
      if (source == NULL)
        return FALSE;
      sl_source_free (source);
    }
  const char *guess = sl_sniff (file, &why);
  if (guess == NULL)
    return sl_error_bad_input (error, "%s: nothing tells its format%s; say it with --from FORMAT",
                               name, sl_source_can_reopen (file) ? "" : ", as it comes by a pipe");
  sl_run_warn (run, "%s is taken for --from %s: %s", name, guess, why);
  options->from = format_named (guess);
  return TRUE;
}

/* A file that could not be read at all may be one of another format. */
static void
name_other_format (const SlIngest *ingest, GError **error)
{
  const char *why;
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]);
  if (error == NULL || !g_error_matches (*error, SL_ERROR, SL_ERROR_INPUT) || ingest->n_rows > 0
      || !g_str_has_prefix ((*error)->message, name))
    return;
  const char *guess = sl_sniff (ingest->files[0], &why);
  if (guess == NULL || format_named (guess) == ingest->options->from
      || sl_ingest_formats[format_named (guess)]->kind
             != sl_ingest_formats[ingest->options->from]->kind)
    return;
  char *whole = g_strdup_printf ("%s; is it --from %s? %s", (*error)->message, guess, why);
  g_free ((*error)->message);
  (*error)->message = whole;
}

static gboolean
run (SlRun *stage, GError **error)
{
  static const char *const standard_input[] = { "-", NULL };
  SlIngest ingest = { .run = stage, .options = stage->options->values };
  const char *const *paths
      = stage->files[0] != NULL ? (const char *const *) stage->files : standard_input;
  gboolean folders = (sl_ingest_format_traits[ingest.options->from] & SL_FORMAT_FOLDERS) != 0;
  g_auto (GStrv) files = folders ? sl_source_files (paths, error) : g_strdupv ((char **) paths);
  if (files == NULL)
    return FALSE;
  ingest.files = (const char *const *) files;
  if (!settle_format (stage, stage->options->values, ingest.files[0], error))
    return FALSE;
  const SlIngestFormat *format = sl_ingest_formats[ingest.options->from];
  gboolean ok
      = begin (&ingest, format, error) && format->run (&ingest, error) && finish (&ingest, error);
  if (!ok)
    name_other_format (&ingest, error);
  sl_rejected_rows_clear (&ingest.rejected);
  sl_class_texts_clear (&ingest.class_texts);
  sl_columns_free (ingest.columns, format->roles);
  g_clear_pointer (&ingest.builder, sl_builder_free);
  g_clear_pointer (&ingest.table, sl_table_unref);
  g_strfreev (ingest.classes);
  return ok;
}

static const SlAlsoWrites also_writes[] = { { &sl_mixtures, "--from mixup" },
                                            { &sl_labels, "--from labels" },
                                            { &sl_predictions, "--from predictions" },
                                            { 0 } };

const SlCommand sl_command_ingest = {
  .name = "ingest",
  .summary = "read the answers of annotators from CSV and other forms",
  .arguments = "--from FORMAT [FILE...]",
  .writes = &sl_annotations,
  .also_writes = also_writes,
  .flags = SL_COMMAND_SOURCES,
  SL_OPTIONS (option_table, defaults),
  .description
  = "long is CSV or TSV, or a table of Parquet, Arrow or JSON, with one answer a row. The roles of "
    "--column are item, annotator, "
    "class, percent, class2, percent2, impossible (classes separated by | or ;), gold, "
    "seconds and count (identical answers behind the row); only item and class must be "
    "there. Roles that are not given go to columns with common names: item, task, question,"
    " example, image ..., annotator, worker, user, rater ..., class, label, answer, "
    "response ..., gold, truth; else those of the role itself. Where nothing better is there, "
    "filename, url, sentence, text or id is the item, and reviewer, respondent, completed_by ... "
    "the annotator. The other columns are left out, and named once. Percents are kept as they "
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
    "labels and predictions are distributions that are there already, with a column a class "
    "(cat, label.cat, prob.cat or p_cat), or with one column of lists, whose classes --classes "
    "says; or a NumPy array. Items come from a column, or from --items, or are numbered from 0.\n"
    "wide has a row an item and a column an annotator. Label Studio, Prodigy, doccano, Mechanical "
    "Turk, Ground Truth, Toloka, Argilla, peerannot, WRENCH, LeWiDi, Qualtrics, Google Forms: "
    "docs/formats.md says where each has the item, the annotator and the answer. What is no "
    "vote (cancelled, rejected, skipped ...) is left out, and counted by reason; --keep takes it. "
    "Who answers an item again has all answers kept, the later ones marked as repeats.\n"
    "Parquet, Arrow and JSON are read wherever CSV is, by the same names of columns.\n"
    "mixup is CSV or TSV with one answer about a mixture of two items a row, and makes a table of "
    "mixtures. Roles: item (the mixture), annotator, first and second (the items mixed), "
    "first_class, second_class, lambda (the share of the first one), human (the share that was "
    "seen) and confidence, all from 0 to 1; annotator, first, second and confidence need not be "
    "there. Common names are mixture, stimulus, class_a, class_b, lambda_f, lambda_h, omega ...\n"
    "CSV is as RFC 4180 has it, in UTF-8. Several files are read one after the other; where "
    "exports "
    "are folders, a folder stands for the files of data below it. Rows in "
    "messages are lines of the file, a header being row 1; those of a NumPy array are its items.\n"
    "Warnings tell of what is easily taken for something else: classes that look alike (Cat and "
    "cat, 3 and 3.0), gold classes that nobody answered, percents that may be fractions.\n"
    "Memory does not grow with the file, but jspsych holds all answers. Where --classes is not "
    "given, long and mixup read files twice, and hold what comes by a pipe.",
  .examples = "softlabel ingest --from long votes.csv -o votes.parquet\n"
              "    Plain votes, with the columns found by their names.\n"
              "softlabel ingest --from auto export.json -o votes.parquet\n"
              "    Whatever annotation tool it came from; which one is said.\n"
              "softlabel ingest --from labelstudio --question kind --column item=image tasks.json "
              "-o votes.parquet\n"
              "    Answers to one of several questions, about items that go by their images.\n"
              "softlabel ingest --from predictions --classes cat,dog --items names.txt p.npy -o "
              "p.parquet\n"
              "    A model's probabilities, for `softlabel score`.\n"
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
