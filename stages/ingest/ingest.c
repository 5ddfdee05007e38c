/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ingest: files of answers in, annotations out; or images and numbers in, features out.
 *
 * Every format of answers makes the same table of what its files hold, changing nothing that is not
 * asked for: percents stay as they were typed, doubtful rows stay in, for `exclude` and
 * `redistribute` to judge. A row that cannot be understood ends the run with its place, or is put
 * aside with
 * --rejects. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/files/partition.h"
#include "pipeline/table/condition.h"
#include "pipeline/text/zip.h"
#include "schemas/annotations.h"
#include "schemas/kinds.h"
#include "stages/common/classes/class-scale.h"
#include "stages/ingest/readers/row-format.h"
#include "formats.h"
#include "sniff.h"
#include "source-files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const SlIngestOptions defaults
    = { .from = -1, .percent_scale = SL_PERCENT_UNSAID, .repeats = SL_REPEATS_UNSAID };

#define OPTIONS SlIngestOptions
/* An option that goes with formats that have a trait. */
#define FOR(trait) .with = "from", .of = SL_FORMAT_##trait

static const SlOption option_table[] = {
  CHOICE ("from", from, sl_ingest_format_names, "what the files are; must be given",
          .traits = sl_ingest_format_traits, .makes = sl_ingest_format_kinds,
          .meanings = sl_ingest_format_meanings, .placeholder = "FORMAT"),
  TEXT ("classes", classes, "A,B,C",
        "the classes, in their order; any other answer is an error. Without it they are the "
        "answers found, sorted"),
  INPUT ("classes-from", classes_from, "FILE", "the classes from a text file, one a line"),
  INPUT ("like", like, "TABLE",
         "the classes of TABLE, in its order, and what they stand for where they are ordered"),
  TEXT ("ordered", ordered, "A,B,C",
        "the classes are steps of a scale, in this order; alone: in that of --classes, or numbers "
        "in numeric order; no: they are names alone, even if they look like a scale",
        .by_itself = "yes"),
  SL_VALUES_OPTION,
  TEXT ("bins", bins, "0,20,50|0..100/5",
        "answers are numbers, and the classes, which are ordered, the intervals between these "
        "numbers, or five of one width; each stands for its middle",
        FOR (NAMES)),
  TEXTS ("column", columns, "ROLE=COLUMN,...",
         "which column holds what: its name, or its position counted from 1; nothing for none",
         FOR (COLUMN)),
  TEXT ("columns", columns_like, "PATTERN",
        "which columns hold answers: a name in which * stands for anything and ? for one character",
        FOR (COLUMNS)),
  TEXT ("trial-type", trial_type, "TYPE", "which trials are answers, by their trial_type",
        FOR (TRIAL_TYPE)),
  CHOICE ("header", header, WORDS ("auto", "yes", "no"),
          "whether the first row names the columns; auto: yes, unless --column gives positions "
          "only, or, for counts, all of it is numbers",
          .placeholder = "WHEN", FOR (HEADER)),
  TEXT ("delimiter", delimiter, "C",
        "what separates the fields of CSV: one character, tab or space. Without it a comma or a "
        "tab, whichever the first row has more of, or, where it has neither, a semicolon or |",
        FOR (DELIMITER)),
  TEXTS ("na", missing, "TEXT",
         "a TEXT that stands for no class: such answers are left out, and counted. NA, N/A, n/a, "
         "<NA>, #N/A, NaN, nan, NULL and null are errors where an answer is wanted, unless --na or "
         "--classes names them, or --na '' says that they are classes",
         FOR (NA)),
  CHOICE ("trim", trim, WORDS ("yes", "no"), "drop blanks around items, annotators and classes",
          FOR (NAMES)),
  TEXTS ("rename-class", renamed, "OLD=NEW", "read the class OLD as NEW", FOR (NAMES)),
  FLAG ("ignore-case", ignore_case,
        "Cat and cat are one class, written as --classes has it, or as it comes first",
        FOR (NAMES)),
  FLAG ("decimal-comma", decimal_comma, "a number's comma is its point: 80,5 is 80.5",
        FOR (NUMBERS)),
  CHOICE ("percent-scale", percent_scale, WORDS ("1", "100"),
          "what a whole is in the files: 100 of percents, 1 of fractions. A number with a percent "
          "sign is a percent anyway. Without it 100, but fractions alone are an error",
          FOR (PERCENTS)),
  TEXTS ("replace-percent", replace_percent, "TEXT=NUMBER",
         "read a percent typed as TEXT as NUMBER", FOR (REPLACE_PERCENT)),
  CHOICE ("zero-percent", zero_percent, WORDS ("hundred", "missing", "keep"),
          "what a first percent of 0, or none, becomes: 100 with the row marked as repaired, "
          "missing, or itself",
          .placeholder = "HOW", FOR (REPLACE_PERCENT)),
  REAL ("rescale", rescale, 0, 0.5, "TOLERANCE",
        "divide a distribution by its sum, where that is within TOLERANCE of 1, as of rounded "
        "ones; more than 0.0001 off is an error without it",
        FOR (DISTRIBUTIONS)),
  TEXT ("question", question, "NAME",
        "which question is read, where the files have answers to several", FOR (QUESTION)),
  TEXT ("multi-label", multi_label, "SEP",
        "an answer is a set of classes, SEP between them (cat;dog), a list of JSON, or nothing: "
        "each class becomes a question of its own, an item ITEM/CLASS with the classes no and yes. "
        "`aggregate --questions /` and `score --questions /` tell them apart, `cat --sets /` makes "
        "sets of them again",
        FOR (LISTS)),
  TEXT ("annotator", annotator, "NAME", "who answered, where the files do not say",
        FOR (ANNOTATOR)),
  TEXTS ("annotator-columns", annotator_columns, "NAME=COLUMN,...",
         "columns that say something of the annotator (gender, age, model), the same in all rows "
         "of one; they become columns annotator.NAME, and later stages know them. COLUMN need not "
         "be said where it is NAME. In JSON a member of the answer, or of the record",
         FOR (ATTRIBUTES)),
  TEXTS ("keep", keep, "STATUS", "take answers of this status too, which are left out otherwise",
         FOR (KEEP)),
  CHOICE ("repeats", repeats, WORDS ("all", "mark", "drop"),
          "what to do with an annotator's further answers to the same item: take all as they are, "
          "mark them in the column `repeat`, or drop them; a line counts them. Without it long "
          "takes all, and the exports mark them",
          FOR (REPEATS)),
  TEXT ("reject-as", reject_as, "CLASS", "the class that rejecting the label on show stands for",
        FOR (REJECT_AS)),
  FLAG ("transpose", transpose, "rows are annotators, and columns items", FOR (TRANSPOSE)),
  INPUTS ("labels", labels, "FILE",
          "the gold classes, one for each row: numbers from 0 (.npy, idx), -1 for none, or class "
          "names (a text file, one a line); each FILE has its own",
          FOR (LABELS)),
  INPUT ("items", items, "FILE",
         "the items of rows that have no names, one a line; without it they are numbered from 0",
         FOR (DISTRIBUTIONS | SL_FORMAT_UNNAMED)),
  INPUT ("gold", gold, "FILE",
         "the items' true classes, from a table (CSV, Parquet, JSON ...) with a column of items "
         "and one headed gold, truth, label or class; or a class a line, for items numbered from 0",
         FOR (GOLD)),
  TEXT ("item-prefix", item_prefix, "TEXT", "put TEXT before each item's name", FOR (EXAMPLES)),
  WHOLE ("severity", severity, 1, 5, "N",
         "a file of CIFAR-10-C has five severities, one behind the other: read the rows of this "
         "one, and number items within it",
         FOR (LAYOUT)),
  CHOICE ("layout", layout, WORDS ("auto", "hwc", "chw"),
          "whether an image's channels are the last of its dimensions, or the first; auto: that of "
          "1 or 3, the last one if both are",
          FOR (LAYOUT)),
  TEXT ("resize", resize, "N|WxH", "make all images so large; without it they must be alike",
        FOR (IMAGES)),
  CHOICE (
      "fit", fit, WORDS ("stretch", "crop"),
      "what --resize does where the shape is another: stretch the image, or take the middle of it",
      FOR (IMAGES)),
  CHOICE ("item", item_part, WORDS ("name", "path", "stem"),
          "what of cat/a.png is the item: a.png, all of it, or a", FOR (IMAGES)),
  TEXT ("pattern", pattern, "REGEX",
        "a regular expression (PCRE) whose groups (?<item>...) and (?<class>...) find both in the "
        "path below the folder; images that do not match are left out",
        FOR (IMAGES)),
  INPUT ("class-map", class_map, "FILE",
         "the class of each folder: lines of a folder, a comma or tab, and its class; images in "
         "other folders are left out",
         FOR (IMAGES)),
  OUTPUT ("rejects", rejects, "FILE",
          "write bad rows to this CSV file, with place and reason, and go on",
          .shapes_output = TRUE),
  FLAG ("allow-empty", allow_empty,
        "if there are no answers at all, as on a day when nobody worked, write a table without "
        "rows instead of failing; its classes are those of --classes, --classes-from or --like. "
        "Files without a byte, and folders without files, are such days, too"),
  TEXTS ("where", where, "CONDITION",
         "of folders KEY=VALUE read those alone whose KEY fits: 'dt = 2026-11-20', 'dt >= "
         "2026-11-01'; given again, all must hold. `softlabel select` has conditions on rows"),
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
  const int n_lists
      = (options->classes != NULL) + (options->classes_from != NULL) + (options->like != NULL);
  if (n_lists > 1)
    return sl_error_usage (error, "--classes, --classes-from and --like exclude each other");
  const gboolean listed = n_lists > 0;
  if (options->like != NULL && options->ordered != NULL)
    return sl_error_usage (error, "--like: its classes are ordered if those of the table are, so "
                                  "--ordered excludes it");
  if (sl_scale_is_list (options->ordered) && (listed || options->bins != NULL))
    return sl_error_usage (error, "--ordered: its classes and those of --classes, --classes-from "
                                  "or --bins exclude each other; --ordered alone takes those");
  if (options->bins != NULL
      && (listed || (options->ordered && !sl_scale_wanted (options->ordered))))
    return sl_error_usage (error, "--bins: they are the classes, and ordered, so --classes, "
                                  "--classes-from, --like and --ordered=no exclude it");
  if (options->multi_label != NULL && strlen (options->multi_label) != 1)
    return sl_error_usage (error, "--multi-label '%s': one character is wanted, such as ;",
                           options->multi_label);
  if (options->multi_label != NULL && (sl_scale_wanted (options->ordered) || options->bins != NULL))
    return sl_error_usage (error, "--multi-label: its classes are yes and no to each label, so "
                                  "--ordered and --bins exclude it");
  for (char **word = options->keep; word != NULL && *word != NULL; word++)
    if (format->statuses == NULL || !g_strv_contains (format->statuses, *word))
      {
        g_autofree char *all
            = format->statuses != NULL ? g_strjoinv (", ", (char **) format->statuses) : NULL;
        return sl_error_usage (error, "--keep: '%s' is not one of %s", *word, all);
      }
  if (options->allow_empty && !listed)
    return sl_error_usage (error, "--allow-empty: a table without rows needs its classes said: "
                                  "--classes A,B,C, --classes-from FILE or --like TABLE");
  return sl_conditions_check (options->where, error)
         && (format->check == NULL || format->check (options, error));
}

/* Names of pipes are left out: to open one and close it again would take it from whoever writes
 * into it. */
static gboolean
add_sources (SlIngest *ingest, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  gboolean all_known = TRUE, packed = FALSE;
  if ((options->classes_from != NULL
       && !sl_run_add_option_file (ingest->run, "classes-from", options->classes_from, error))
      || (options->items != NULL
          && !sl_run_add_option_file (ingest->run, "items", options->items, error)))
    return FALSE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      g_autofree char *archive = sl_zip_archive_of (ingest->files[i]);
      g_autofree char *last
          = archive != NULL && i > 0 ? sl_zip_archive_of (ingest->files[i - 1]) : NULL;
      if (g_strcmp0 (archive, last) == 0 && archive != NULL)
        continue;
      const char *path = archive != NULL ? archive : ingest->files[i];
      struct stat info;
      gboolean there = stat (path, &info) == 0, regular = there && S_ISREG (info.st_mode);
      gboolean folder = there && S_ISDIR (info.st_mode);
      if (!sl_run_add_source (ingest->run, regular || folder || !there ? path : "-", error))
        return FALSE;
      packed = packed || archive != NULL;
      ingest->bytes_whole += regular && there ? info.st_size : 0;
      all_known = all_known && regular && there;
    }
  if (!all_known || packed)
    ingest->bytes_whole = 0;
  return TRUE;
}

/* A table without rows. One of annotations has what every method asks for. */
static gboolean
finish_empty (SlIngest *ingest, GError **error)
{
  const SlKind *kind = sl_ingest_format_kinds[ingest->options->from];
  const guint32 columns
      = kind == &sl_annotations ? 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_CLASS : 0;
  if (ingest->table == NULL && !sl_ingest_start (ingest, kind, columns, error))
    return FALSE;
  sl_run_warn (ingest->run, "there is not one answer: the table has no rows");
  return TRUE;
}

static gboolean
finish (SlIngest *ingest, GError **error)
{
  if (!sl_rejected_rows_end (&ingest->rejected, ingest->n_rows, error))
    return FALSE;
  sl_run_has_read (ingest->run,
                   MAX (ingest->n_rows, ingest->again ? ingest->n_read / 2 : ingest->n_read));
  if (ingest->n_rows > 0)
    {
      gboolean ok = sl_ingest_flush (ingest, error);
      if (ok && ingest->gold != NULL)
        sl_gold_join_tell (ingest->gold);
      return ok;
    }
  if (ingest->options->allow_empty)
    return finish_empty (ingest, error);
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]);
  gboolean examples = sl_ingest_format_kinds[ingest->options->from] == &sl_features;
  return sl_error_bad_input (error, "%s: there are no %s in it%s", name,
                             examples ? "examples" : "answers",
                             ingest->files[1] != NULL ? ", nor in the other files" : "");
}

/* The classes of --like. Its history and tags are none of the output's. */
static gboolean
take_like (SlIngest *ingest, GError **error)
{
  const char *path = ingest->options->like;
  const SlReaderOptions how = { .threads = 1 };
  g_autoptr (SlReader) reader = sl_reader_open (path, &how, error);
  const SlTable *table = reader != NULL ? sl_reader_table (reader) : NULL;
  if (table == NULL)
    return FALSE;
  if (table->n_classes == 0)
    return sl_error_bad_input (error, "--like: %s: a table of %s has no classes", path,
                               table->kind->name);
  ingest->classes = g_strdupv (table->classes);
  return sl_run_add_option_file (ingest->run, "like", path, error)
         && sl_run_add_values (ingest->run, path, table->classes, table->values, error);
}

/* The classes that --classes, --classes-from, --like, --ordered or --bins say; NULL: they are to be
 * found. */
static gboolean
find_given_classes (SlIngest *ingest, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  SlBins **bins = &ingest->class_texts.bins;
  if (options->bins != NULL && (*bins = sl_bins_parse (options->bins, error)) != NULL)
    ingest->classes = sl_bins_names (*bins);
  else if (options->like != NULL && !take_like (ingest, error))
    return FALSE;
  else if (options->bins == NULL && sl_scale_is_list (options->ordered))
    ingest->classes = sl_classes_listed ("ordered", options->ordered, error);
  else if (options->bins == NULL && options->like == NULL
           && !sl_classes_given (options->classes, options->classes_from, &ingest->classes, error))
    return FALSE;
  ingest->classes_told = ingest->classes != NULL;
  for (char **class = ingest->classes; class != NULL && *class != NULL; class ++)
    if (sl_class_texts_said (&ingest->class_texts, *class, strlen (*class)))
      return sl_error_usage (
          error, "--na '%s' says that it is no class, and it is among the classes", *class);
  return ingest->classes_told || (options->bins == NULL && !sl_scale_is_list (options->ordered));
}

static gboolean
read_all (SlIngest *ingest, const SlIngestFormat *format, GError **error)
{
  return ingest->files[0] == NULL  ? TRUE
         : format->answers != NULL ? sl_answers_run (ingest, format->answers, error)
         : format->rows != NULL    ? sl_row_format_run (format->rows, ingest, error)
                                   : format->run (ingest, error);
}

/* What the options say, as the format wants it. */
static gboolean
begin (SlIngest *ingest, const SlIngestFormat *format, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  if (!sl_class_texts_init (&ingest->class_texts, options->trim == 0, options->missing,
                            options->renamed, error))
    return FALSE;
  ingest->class_texts.ignore_case = options->ignore_case;
  return sl_delimiter_parse (options->delimiter, &ingest->separator, error)
         && (format->roles == NULL
             || sl_columns_parse (format->roles, options->columns, &ingest->columns, error))
         && sl_attributes_parse (ingest, error) && find_given_classes (ingest, error)
         && add_sources (ingest, error)
         && sl_rejected_rows_start (&ingest->rejected, ingest->run, options->rejects, error);
}

/* That folders say what --where asks about. */
static gboolean
check_where (const SlIngest *ingest, char *const *where, GError **error)
{
  for (; *where != NULL; where++)
    {
      SlCondition condition;
      gboolean said = FALSE, ok = sl_condition_parse (&condition, *where, error);
      for (int t = 0; ok && t < ingest->partition->n && !said; t++)
        said = sl_condition_is_of (&condition, ingest->partition->tag[t].key);
      sl_condition_clear (&condition);
      if (!ok)
        return FALSE;
      if (!said)
        return sl_error_usage (
            error,
            "--where: '%s': no folder of the input has that key; conditions on rows are for "
            "`softlabel select`",
            *where);
    }
  return TRUE;
}

/* Drops the files that --where does not want, in place. */
static gboolean
drop_files (SlIngest *ingest, char **files, GError **error)
{
  char *const *where = ingest->options->where;
  if (where == NULL || files[0] == NULL)
    return TRUE;
  if (!check_where (ingest, where, error))
    return FALSE;
  const guint n = g_strv_length (files),
              n_fit = sl_partition_sort (files, ingest->partition, where);
  sl_run_note (ingest->run, "%u of %u files passed over: --where", n - n_fit, n);
  if (n_fit == 0 && !ingest->options->allow_empty)
    return sl_error_bad_input (error, "--where: no folder of the input fits (--allow-empty makes a "
                                      "table without rows)");
  for (guint i = n_fit; i < n; i++)
    {
      g_clear_pointer (&files[i], g_free);
      if (i > 0)
        sl_tags_clear (&ingest->partition[i]);
    }
  return TRUE;
}

/* What folders KEY=VALUE say of each file: of all then, with the same keys. */
static gboolean
read_partition (SlIngest *ingest, GError **error)
{
  const guint n = g_strv_length ((char **) ingest->files);
  ingest->partition = g_new0 (SlTags, n + 1);
  for (guint i = 0; i < n; i++)
    {
      SlTags *own = &ingest->partition[i], *first = ingest->partition;
      if (!sl_partition_find (ingest->files[i], own, error))
        return FALSE;
      gboolean same_keys = own->n == first->n;
      for (int t = 0; same_keys && t < own->n; t++)
        same_keys = strcmp (own->tag[t].key, first->tag[t].key) == 0;
      if (!same_keys)
        return sl_error_bad_input (error,
                                   "%s: its folders are not named by the same keys as those of %s",
                                   ingest->files[i], ingest->files[0]);
    }
  /* A folder without files is of its day all the same. */
  g_autofree char *inside = n == 0 ? g_strconcat (ingest->run->files[0], "/", NULL) : NULL;
  return inside == NULL || sl_partition_find (inside, ingest->partition, error);
}

/* Whether rows of several folders can be told apart. */
static gboolean
check_partition (SlIngest *ingest, const SlIngestFormat *format, GError **error)
{
  gboolean alike = TRUE;
  gboolean in_turn = format->answers != NULL || format->rows != NULL || format->in_turn;
  for (guint i = 0; ingest->files[i] != NULL; i++)
    {
      alike = alike && sl_tags_equal (&ingest->partition[i], ingest->partition);
      in_turn = in_turn && sl_source_can_reopen (ingest->files[i]);
    }
  return alike || in_turn
         || sl_error_bad_input (error,
                                "%s and others are of several folders '%s=...', of which --from %s "
                                "makes one table only without saying which row is whose: name one "
                                "folder at a time",
                                ingest->files[0], ingest->partition->tag->key,
                                sl_ingest_format_names[ingest->options->from]);
}

/* Files of a folder, or several, may lie in folders KEY=VALUE. */
static gboolean
find_partition (SlIngest *ingest, const SlIngestFormat *format, char **files, GError **error)
{
  if (!read_partition (ingest, error) || !drop_files (ingest, files, error)
      || !check_partition (ingest, format, error))
    return FALSE;
  if (ingest->partition->n == 0)
    g_clear_pointer (&ingest->partition, g_free);
  return TRUE;
}

static gboolean
check_no_where (const SlIngest *ingest, GError **error)
{
  return ingest->options->where == NULL
         || sl_error_usage (error, "--where chooses among folders KEY=VALUE, and none is named");
}

static void
clear_partition (SlIngest *ingest)
{
  const guint n = MAX (g_strv_length ((char **) ingest->files), 1);
  for (guint i = 0; ingest->partition != NULL && i < n; i++)
    sl_tags_clear (&ingest->partition[i]);
  g_clear_pointer (&ingest->partition, g_free);
}

static gboolean
run (SlRun *stage, GError **error)
{
  static const char *const standard_input[] = { "-", NULL };
  SlIngest ingest = { .run = stage, .options = stage->options->values };
  const char *const *paths
      = stage->files[0] != NULL ? (const char *const *) stage->files : standard_input;
  if (stage->files[0] == NULL && isatty (STDIN_FILENO))
    return sl_error_usage (error, "no input: name a file, or pipe one in (- reads what is typed)");
  sl_format_settle_folder (stage, stage->options->values, paths[0]);
  gboolean images = (sl_ingest_format_traits[ingest.options->from] & SL_FORMAT_IMAGES) != 0;
  g_auto (GStrv) files = images
                             ? g_strdupv ((char **) paths)
                             : sl_ingest_source_files (paths, ingest.options->allow_empty, error);
  if (files == NULL)
    return FALSE;
  ingest.files = (const char *const *) files;
  if (files[0] != NULL && !sl_format_settle (stage, stage->options->values, files[0], error))
    return FALSE;
  const SlIngestFormat *format = sl_ingest_formats[ingest.options->from];
  gboolean folders = !images && (paths[1] != NULL || g_file_test (paths[0], G_FILE_TEST_IS_DIR));
  gboolean ok
      = (folders ? find_partition (&ingest, format, files, error) : check_no_where (&ingest, error))
        && begin (&ingest, format, error) && read_all (&ingest, format, error)
        && finish (&ingest, error);
  if (!ok && files[0] != NULL)
    sl_format_name_other (&ingest, error);
  clear_partition (&ingest);
  g_clear_pointer (&ingest.peeked, sl_source_free);
  sl_rejected_rows_clear (&ingest.rejected);
  sl_class_texts_clear (&ingest.class_texts);
  sl_attributes_clear (&ingest);
  sl_columns_free (ingest.columns, format->roles);
  g_clear_pointer (&ingest.builder, sl_builder_free);
  g_clear_pointer (&ingest.table, sl_table_unref);
  g_clear_pointer (&ingest.gold, sl_gold_join_free);
  g_strfreev (ingest.classes);
  return ok;
}

const SlCommand sl_command_ingest = {
  .name = "ingest",
  .summary = "read answers of annotators, and features, from CSV and other forms",
  .arguments = "--from FORMAT [FILE...]",
  .writes = &sl_annotations,
  .flags = SL_COMMAND_SOURCES,
  SL_OPTIONS (option_table, defaults),
  .description
  = "long is CSV or TSV, or a table of Parquet, Arrow or JSON, with one answer a row. The roles of "
    "--column are item, annotator, class, percent, class2, percent2, impossible (classes separated "
    "by | or ;), gold, seconds and count (identical answers behind the row); only item and class "
    "must be there. Roles that are not given go to columns with common names: item, task, "
    "question, example, image ..., annotator, worker, user, rater ..., class, label, answer, "
    "response ..., gold, truth; else those of the role itself. Where nothing better is there, "
    "filename, url, sentence, text or id is the item, and reviewer, respondent, completed_by ... "
    "the annotator. The other columns are left out, and named once. Percents are kept as they "
    "are.\n"
    "jspsych is the CSV export of a jsPsych survey in the form of CIFAR-10S. Rows with trial_type "
    "survey-html-form hold in `response`, as JSON, the fields classSelect, prob, classSelect2, "
    "prob2 and improbClassSelect.... Class names match whatever their case. An answer is complete "
    "if its annotator has a row with trial_type survey-text, and a repeat if its `task` begins "
    "with rerun_. A percent that is no number is kept as -1, which `exclude` counts as out of "
    "range. With --verbose, all that is unusual is counted.\n"
    "counts is a matrix of votes with a row an item and a column a class: a NumPy array (.npy), or "
    "CSV with or without a header of class names. Items are numbered from 0, unless a first column "
    "headed `item` names them.\n"
    "cifar10h is cifar10h-raw.csv, the single answers behind CIFAR-10H, with attention checks "
    "marked.\n"
    "labels and predictions are distributions that are there already, with a column a class (cat, "
    "label.cat, prob.cat or p_cat), or with one column of lists, whose classes --classes says; or "
    "a NumPy array, also p.npz/probs.npy, a member of an archive. Items come from a column, or "
    "from --items, or are numbered from 0.\n"
    "survey is what the page of `softlabel survey` hands out or sends: CSV or JSON, files or "
    "folders of them.\n"
    "wide has a row an item and a column an annotator. Label Studio, Prodigy, doccano, Mechanical "
    "Turk, Ground Truth, Toloka, Argilla, peerannot, WRENCH, LeWiDi, Qualtrics, Google Forms: "
    "docs/formats.md says where each has the item, the annotator and the answer. What is no vote "
    "(cancelled, rejected, skipped ...) is left out, and counted by reason; --keep takes it. If "
    "somebody answers an item again, all answers are kept, and the later ones are marked as "
    "repeats.\n"
    "Parquet, Arrow and JSON are read wherever CSV is, by the same names of columns.\n"
    "mixup is CSV or TSV with one answer about a mixture of two items a row, and makes a table of "
    "mixtures. Roles: item (the mixture), annotator, first and second (the items mixed), "
    "first_class, second_class, lambda (the share of the first one), human (the share that was "
    "seen) and confidence, all from 0 to 1; annotator, first, second and confidence need not be "
    "there. Common names are mixture, stimulus, class_a, class_b, lambda_f, lambda_h, omega ...\n"
    "hmix are the CSV files of H-Mix: what people said of mixtures of CIFAR-10's images. Of "
    "inferred shares human is 1 - mixingcoeff / 100; of chosen midpoints lambda is the share that "
    "was chosen, and human is .5. Of elicited soft labels it has what was shown; jspsych reads the "
    "labels. Mixtures that came again are marked as repeats.\n"
    "The formats of features make examples for `train` and `predict`: an item, its tensor x, and "
    "gold where it is known. Pixels are uint8, channels first; all other numbers become single "
    "precision, and none may be infinite or missing. Items are numbered from 0 through all files, "
    "as CIFAR-10H and CIFAR-10S number CIFAR-10's test set, unless they have names; an item that "
    "is there twice is an error.\n"
    "cifar10 is CIFAR-10 in its binary version, with its own class names unless --classes says "
    "others.\n"
    "idx is MNIST's format, npy a NumPy array with a row an example: N x D are vectors, N x H x W "
    "grey images, N x H x W x C or N x C x H x W images of C channels. uint8 are pixels. --labels "
    "has the gold classes; where they are numbers, --classes names them.\n"
    "images are folders of PNG and JPEG files, at any depth. An image's folder is its class, where "
    "it lies in one below the folder that was named, and its file's name the item; --pattern, "
    "--class-map and --item say it otherwise. Images are grey where none has colours, and must "
    "have one size, unless --resize makes them so (bilinear, over all pixels).\n"
    "table is CSV with a header, Parquet or Arrow. Roles of --column: item and gold, which go by "
    "the usual names (gold also by label, class, target or y), and features: a column of lists of "
    "numbers, or a pattern such as f* of columns of numbers. Without features it is the one column "
    "of lists, or else all columns of numbers. item= numbers the rows.\n"
    "CSV is as RFC 4180 has it, in UTF-8. Several files are read one after the other; a folder or "
    "a zip archive stands for the files of data below it, but those that begin with . or _. What "
    "is packed by gzip, zstd or bzip2 is unpacked, whatever it is called. Rows in messages are "
    "lines of the file, a header being row 1; those of a NumPy array are its items.\n"
    "Warnings tell of what is easily taken for something else: classes that look alike (Cat and "
    "cat, 3 and 3.0), gold classes that nobody answered, percents that may be fractions.\n"
    "Memory does not grow with the file, but jspsych holds all answers. Where --classes is not "
    "given, long, mixup and table read files twice, and hold what comes by a pipe. Of examples "
    "only the names are held.",
  .examples
  = "softlabel ingest --from long votes.csv -o votes.parquet\n"
    "    Plain votes, with the columns found by their names.\n"
    "softlabel ingest --from auto export.json -o votes.parquet\n"
    "    Whatever annotation tool it came from; a note says which.\n"
    "softlabel ingest --from labelstudio --question kind --column item=image tasks.json -o "
    "votes.parquet\n"
    "    Answers to one of several questions, about items that go by their images.\n"
    "softlabel ingest --from predictions --classes cat,dog --items names.txt p.npy -o p.parquet\n"
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
    "    What people see in mixtures, for `softlabel simulate mixup` and fit-mixup.\n"
    "softlabel ingest --from hmix hmix_infer_mixing_factor.csv -o mixed.parquet\n"
    "    the published answers of that kind\n"
    "softlabel ingest --from cifar10 test_batch.bin -o images.parquet\n"
    "    CIFAR-10's test set, for `softlabel train --features`.\n"
    "softlabel ingest --from npy embeddings.npy --items names.txt -o features.parquet\n"
    "    Embeddings of a model, with their items' names.\n"
    "softlabel ingest --from npy fog.npy --severity 3 --labels labels.npy -o fog3.parquet\n"
    "    A part of CIFAR-10-C.\n"
    "softlabel ingest --from images --resize 32 photos/ -o photos.parquet\n"
    "    Folders of images, one for each class.\n",
  .check = check_options,
  .run = run,
};
