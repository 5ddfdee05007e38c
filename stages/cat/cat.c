/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cat: tables of one kind, end to end, in any format. Classes in another order than the first
 * table's are put into its order. Answers to questions may come out as sets of classes (--sets),
 * labels as a contest wants them (--submission). */
#include "pipeline/base/error.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/json.h"
#include "pipeline/base/largest.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/table/batch.h"
#include "pipeline/table/wide-labels.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/classes/class-scale.h"
#include "stages/common/items/question.h"
#include "stages/common/tables/joined-tables.h"

#include <string.h>

/* From questions that are answered by no and yes (`ingest --multi-label`) back to sets: a line of
 * JSON for an item, or of votes for an item and annotator, with the classes that it has; of labels
 * also how likely each is. */
typedef struct
{
  char *separator;
  double threshold;
  gint32 yes;                  /* the class */
  int label, class, annotator; /* columns; -1: there is none */
  SlIntern *met;               /* sets so far: item, NUL, annotator */
  SlIntern *questions;
  GArray *asked_in; /* the set that each question was last in */
  gint64 rows;
  gint32 open; /* whose line is; -1: none */
  GString *name, *members, *likely;
} SlSets;

/* SEPARATOR parts items from their questions. What is at least THRESHOLD likely is in the set. NULL
 * and ERROR where a table like that has no questions. */
static SlSets *
sets_new (const SlTable *table, const char *separator, double threshold, GError **error)
{
  SlSets sets = { .threshold = threshold, .open = -1, .yes = sl_table_class (table, "yes", -1) };
  const int annotator = sl_table_column (table, "annotator");
  sets.label = sl_table_column (table, "label");
  if (sets.label < 0)
    sets.label = sl_table_column (table, "prob");
  sets.class = sl_table_column (table, "class");
  sets.annotator = annotator >= 0 && sl_table_has (table, annotator) ? annotator : -1;
  if (sets.class >= 0 && !sl_table_has (table, sets.class))
    sets.class = -1;
  if (table->n_classes != 2 || sets.yes < 0 || sl_table_class (table, "no", -1) < 0
      || (sets.label < 0 && sets.class < 0) || sl_table_column (table, "item") != 0)
    {
      sl_error_bad_input (error,
                          "--sets: questions with the classes no and yes are wanted, as `softlabel "
                          "ingest --multi-label` makes them, and labels of them; this is another "
                          "table of %s",
                          table->kind->name);
      return NULL;
    }
  sets.separator = g_strdup (separator);
  sets.met = sl_intern_new ();
  sets.questions = sl_intern_new ();
  sets.asked_in = g_array_new (FALSE, FALSE, sizeof (gint32));
  sets.name = g_string_new (NULL);
  sets.members = g_string_new (NULL);
  sets.likely = g_string_new (NULL);
  return g_memdup2 (&sets, sizeof sets);
}

static void
sets_free (SlSets *sets)
{
  g_free (sets->separator);
  sl_intern_free (sets->met);
  sl_intern_free (sets->questions);
  g_array_unref (sets->asked_in);
  g_string_free (sets->name, TRUE);
  g_string_free (sets->members, TRUE);
  g_string_free (sets->likely, TRUE);
  g_free (sets);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSets, sets_free)

static void
sets_end (SlSets *sets, GString *out)
{
  if (sets->open < 0)
    return;
  g_string_append_printf (out, ",\"classes\":[%s]", sets->members->str);
  if (sets->label >= 0)
    g_string_append_printf (out, ",\"probabilities\":%s}", sets->likely->str);
  g_string_append (out, "}\n");
  sets->open = -1;
}

static void
begin_line (SlSets *sets, GString *out, const char *item, gsize n_item, const char *who, gsize n)
{
  g_string_append (out, "{\"item\":");
  sl_json_string (out, item, (gssize) n_item);
  if (sets->annotator >= 0)
    {
      g_string_append (out, ",\"annotator\":");
      sl_json_string (out, who, (gssize) n);
    }
  g_string_truncate (sets->members, 0);
  g_string_assign (sets->likely, "{");
}

/* The question TEXT[n], and how likely it is answered by yes. */
static void
add_question (SlSets *sets, const char *text, gsize n, double p)
{
  if (p >= sets->threshold)
    {
      g_string_append (sets->members, sets->members->len > 0 ? "," : "");
      sl_json_string (sets->members, text, (gssize) n);
    }
  if (sets->label < 0)
    return;
  g_autofree char *question = g_strndup (text, n);
  sl_json_member (sets->likely, question);
  sl_json_real (sets->likely, p);
}

/* Whether the set ID has had the question TEXT[n] before; from now on it has. */
static gboolean
was_asked (SlSets *sets, gint32 id, const char *text, gsize n)
{
  const gint32 question = sl_intern (sets->questions, text, n);
  const gboolean known = question < (gint32) sets->asked_in->len;
  if (known && g_array_index (sets->asked_in, gint32, question) == id)
    return TRUE;
  if (known)
    g_array_index (sets->asked_in, gint32, question) = id;
  else
    g_array_append_val (sets->asked_in, id);
  return FALSE;
}

/* Appends BATCH's rows to OUT; those of one set must stand together. */
static gboolean
sets_append (SlSets *sets, GString *out, const SlBatch *batch, GError **error)
{
  const SlColumn *column = batch->column;
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      gsize n, n_who = 0;
      const char *name = sl_text_get (column[0].text, row, &n), *who = "";
      const char *question = sl_question_in (name, n, sets->separator);
      sets->rows++;
      if (question == NULL)
        {
          g_autofree char *shown = sl_shown (name, n);
          return sl_error_row (error, sets->rows,
                               "item '%s' has no '%s' that parts it from its question", shown,
                               sets->separator);
        }
      if (sets->annotator >= 0)
        who = sl_text_get (column[sets->annotator].text, row, &n_who);
      const gsize own = (gsize) (question - name) - strlen (sets->separator),
                  n_question = n - (gsize) (question - name);
      g_string_append_len (g_string_truncate (sets->name, 0), name, (gssize) own);
      g_string_append_c (sets->name, '\0');
      g_string_append_len (sets->name, who, (gssize) n_who);
      const gint32 before = sl_intern_size (sets->met),
                   id = sl_intern (sets->met, sets->name->str, sets->name->len);
      if ((id < before && id != sets->open) || was_asked (sets, id, question, n_question))
        {
          g_autofree char *shown = sl_shown (name, own);
          return sl_error_row (error, sets->rows,
                               "the answers to questions about item '%s' do not stand together, or "
                               "are there twice%s",
                               shown,
                               sets->annotator >= 0
                                   ? "; `softlabel ingest --repeats drop` leaves out what an "
                                     "annotator answers again"
                                   : "");
        }
      if (id != sets->open)
        {
          sets_end (sets, out);
          begin_line (sets, out, name, own, who, n_who);
          sets->open = id;
        }
      add_question (sets, question, n_question,
                    sets->label >= 0 ? column[sets->label].real[2 * row + sets->yes]
                                     : column[sets->class].code[row] == sets->yes);
    }
  return TRUE;
}

typedef struct
{
  char *table;   /* a kind's name */
  char *classes; /* A,B,C */
  char *classes_from;
  char *ordered; /* "yes", or A,B,C */
  char *values;
  gboolean common;
  gboolean wide;
  int submission; /* an index of submissions[]; -1: a table is written */
  char *sets;     /* what parts items from questions; NULL: a table is written */
  double threshold;
} Options;

enum
{
  SUBMISSION_2025,
  SUBMISSION_2023,
};

static const char *const submissions[] = { "lewidi", "lewidi-2023", NULL };

static const Options defaults = { .submission = -1, .threshold = 0.5 };

#define OPTIONS Options

static const SlOption option_table[] = {
  TEXT ("table", table, "KIND",
        "what a table is that does not say it itself (as written by pandas, Polars or DuckDB)"),
  TEXT ("classes", classes, "A,B,C",
        "the classes, in their order, of a table that does not name them itself"),
  INPUT ("classes-from", classes_from, "FILE", "the same, from a text file, one a line"),
  TEXT ("ordered", ordered, "A,B,C",
        "the classes are steps of a scale, and are put into this order; alone: numbers are in "
        "numeric order, words in that of --classes or, with --values, in that of the table",
        .by_itself = "yes"),
  SL_VALUES_OPTION,
  FLAG ("common", common,
        "leave out optional columns that not all tables have, instead of refusing"),
  FLAG ("wide", wide,
        "give distributions a column for each class, label.cat, in Parquet and Arrow too, for "
        "programs that lose the names of classes otherwise (DuckDB, Polars)"),
  CHOICE ("submission", submission, submissions,
          "in place of a table, write what the shared tasks Learning With Disagreements take, of "
          "2025 or 2023"),
  TEXT ("sets", sets, "SEP",
        "of questions (`ingest --multi-label`), or of their labels, write sets of classes instead "
        "of a table: a line of JSON for each item, or of votes for each item and annotator, with "
        "its classes, and of labels how likely each is. SEP parts an item from its question, as / "
        "does there"),
  REAL ("threshold", threshold, 0, 1, "P", "a class is in the set if it is at least so likely",
        .with = "sets"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->table != NULL && sl_kind_find (options->table) == NULL)
    return sl_error_usage (error,
                           "--table: there is no kind of table '%s'; `softlabel schema` lists them",
                           options->table);
  if ((options->submission >= 0 || options->sets != NULL) && options->wide)
    return sl_error_usage (error, "--wide: what --submission and --sets write is no table");
  if (options->submission >= 0 && options->sets != NULL)
    return sl_error_usage (error, "--sets and --submission exclude each other");
  if (options->ordered != NULL && !sl_scale_wanted (options->ordered))
    return sl_error_usage (error, "--ordered: it is given alone, or as a list of classes");
  if (options->classes != NULL && options->classes_from != NULL)
    return sl_error_usage (error, "--classes and --classes-from exclude each other");
  g_auto (GStrv) classes = NULL;
  return sl_classes_given (options->classes, NULL, &classes, error);
}

static gboolean
widen (SlRun *run, const SlTable *table, GError **error)
{
  if (!sl_table_has_labels (table))
    return sl_error_bad_input (
        error, "--wide: a table of %s has no distributions, and so no column for each class",
        table->kind->name);
  return sl_writer_widen (run->out)
         || sl_error_usage (error, "--wide is for Parquet, Arrow and CSV; JSON lines and readable "
                                   "tables name each class anyway");
}

/* TABLE's classes are ordered where --ordered says so. */
static gboolean
set_order (const Options *options, SlTable *table, GError **error)
{
  if (options->ordered == NULL)
    return TRUE;
  if (table->n_classes == 0)
    return sl_error_usage (error, "--ordered: a table of %s has no classes", table->kind->name);
  gboolean told = sl_scale_is_list (options->ordered) || options->classes != NULL
                  || options->classes_from != NULL;
  table->values = sl_scale_values (table->classes, options->values, told, error);
  return table->values != NULL;
}

static gboolean
write_table (SlJoined *joined, GError **error)
{
  if (!sl_run_start (joined->run, joined->table, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_joined_next (joined, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!sl_writer_write (joined->run->out, batch, error))
        return FALSE;
    }
}

/* A table as the shared tasks Learning With Disagreements take it. Of 2025: a line an item, its id,
 * a tab, and a list as Python writes it: the probabilities of a label (the task of soft labels), or
 * the class of each of the item's annotators (the task of perspectives). Of 2023: the hard label
 * and the probabilities between tabs, without an id. */
typedef struct
{
  gboolean of_2023;
  int label, class, annotator; /* columns; -1: there is none */
  SlIntern *items;             /* so far */
  gint64 rows;
  gint32 item; /* whose line is open, of annotators; -1: none */
} Submission;

/* FALSE and ERROR where a table like that has no labels. */
static gboolean
submission_init (Submission *submission, const SlTable *table, gboolean of_2023, GError **error)
{
  *submission = (Submission){ .of_2023 = of_2023, .item = -1 };
  submission->label = sl_table_column (table, "label");
  if (submission->label < 0)
    submission->label = sl_table_column (table, "prob");
  submission->class = sl_table_column (table, "class");
  submission->annotator = sl_table_column (table, "annotator");
  gboolean answers = submission->label < 0 && submission->class >= 0 && submission->annotator >= 0;
  if ((submission->label < 0 && !answers) || sl_table_column (table, "item") != 0)
    return sl_error_bad_input (
        error,
        "--submission lewidi takes labels, predictions, or votes of annotators; this "
        "is a table of %s without them",
        table->kind->name);
  if (of_2023 && (submission->label < 0 || submission->annotator >= 0))
    return sl_error_bad_input (error,
                               "--submission lewidi-2023 takes one label an item; this table has "
                               "rows of single annotators");
  submission->items = sl_intern_new ();
  return TRUE;
}

static void
submission_clear (Submission *submission)
{
  g_clear_pointer (&submission->items, sl_intern_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Submission, submission_clear)

/* As a Python literal: numbers as they are, other names in quotes. */
static void
append_class (GString *out, const char *class)
{
  double value;
  if (sl_parse_real (class, -1, &value))
    {
      g_string_append (out, class);
      return;
    }
  g_string_append_c (out, '\'');
  for (; *class != '\0'; class ++)
    {
      if (*class == '\'' || *class == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, *class);
    }
  g_string_append_c (out, '\'');
}

static gint32
class_of (const Submission *submission, const SlBatch *batch, gint64 row)
{
  gint32 n = batch->table->n_classes;
  return submission->label < 0 ? batch->column[submission->class].code[row]
                               : sl_largest (batch->column[submission->label].real + row * n, n);
}

static void
append_label (const Submission *submission, GString *out, const SlBatch *batch, gint64 row,
              const char *item, gsize n_item)
{
  const SlTable *table = batch->table;
  const double *p = batch->column[submission->label].real + row * table->n_classes;
  if (submission->of_2023)
    g_string_append (out, table->classes[sl_largest (p, table->n_classes)]);
  else
    {
      g_string_append_len (out, item, (gssize) n_item);
      g_string_append (out, "\t[");
    }
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      g_string_append (out, submission->of_2023 ? "\t" : k > 0 ? ", " : "");
      sl_json_real (out, p[k]);
    }
  g_string_append (out, submission->of_2023 ? "\n" : "]\n");
}

static gboolean
fail_again (const char *item, gsize n, gint64 row, gboolean annotators, GError **error)
{
  g_autofree char *shown = sl_shown (item, n);
  return sl_error_row (error, row,
                       annotators ? "the answers about item '%s' do not stand together"
                                  : "item '%s' has a row already; a submission has one an item",
                       shown);
}

/* The line that is open ends. */
static void
submission_end (Submission *submission, GString *out)
{
  if (submission->item >= 0)
    g_string_append (out, "]\n");
  submission->item = -1;
}

/* Appends BATCH's rows to OUT; those of one item's annotators must stand together. */
static gboolean
submission_append (Submission *submission, GString *out, const SlBatch *batch, GError **error)
{
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      gsize n;
      submission->rows++;
      const char *item = sl_text_get (batch->column[0].text, row, &n);
      gint32 before = sl_intern_size (submission->items),
             id = sl_intern (submission->items, item, n);
      gboolean again = id < before, same = id == submission->item;
      if (memchr (item, '\t', n) != NULL || memchr (item, '\n', n) != NULL)
        return sl_error_row (error, submission->rows, "the item has a tab or a newline in it");
      if (again && !(same && submission->annotator >= 0))
        return fail_again (item, n, submission->rows, submission->annotator >= 0, error);
      if (submission->annotator < 0)
        {
          append_label (submission, out, batch, row, item, n);
          continue;
        }
      if (!same)
        {
          submission_end (submission, out);
          g_string_append_len (out, item, (gssize) n);
          g_string_append (out, "\t[");
          submission->item = id;
        }
      else
        g_string_append (out, ", ");
      append_class (out, batch->table->classes[class_of (submission, batch, row)]);
    }
  return TRUE;
}

static gboolean
write_sets (SlJoined *joined, const Options *options, GError **error)
{
  g_autoptr (SlSets) sets = sets_new (joined->table, options->sets, options->threshold, error);
  g_autoptr (GString) text = g_string_new (NULL);
  while (sets != NULL)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_joined_next (joined, &batch, error)
          || (batch != NULL && !sets_append (sets, text, batch, error)))
        return FALSE;
      if (batch == NULL)
        sets_end (sets, text);
      sl_run_print (joined->run, text->str, (gssize) text->len);
      g_string_truncate (text, 0);
      if (batch == NULL)
        return TRUE;
    }
  return FALSE;
}

static gboolean
write_submission (SlJoined *joined, gboolean of_2023, GError **error)
{
  g_auto (Submission) submission = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  if (!submission_init (&submission, joined->table, of_2023, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_joined_next (joined, &batch, error)
          || (batch != NULL && !submission_append (&submission, text, batch, error)))
        return FALSE;
      if (batch == NULL)
        submission_end (&submission, text);
      sl_run_print (joined->run, text->str, (gssize) text->len);
      g_string_truncate (text, 0);
      if (batch == NULL)
        return TRUE;
    }
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (GStrv) classes = NULL;
  if (!sl_classes_given (options->classes, options->classes_from, &classes, error)
      || (options->classes_from != NULL
          && !sl_run_add_option_file (run, "classes-from", options->classes_from, error)))
    return FALSE;
  const SlReaderOptions how
      = { .kind = options->table != NULL ? sl_kind_find (options->table) : NULL,
          .classes = (const char *const *) classes,
          .threads = run->threads,
          .text = TRUE };
  g_auto (GStrv) order = NULL;
  if (sl_scale_is_list (options->ordered)
      && (order = sl_classes_listed ("ordered", options->ordered, error)) == NULL)
    return FALSE;
  g_auto (SlJoined) joined;
  sl_joined_init (&joined, run, &how, (const char *const *) order, options->common);
  if (!sl_joined_open (&joined, error) || !set_order (options, joined.table, error)
      || (options->wide && !widen (run, joined.table, error)))
    return FALSE;
  if (options->sets != NULL)
    return write_sets (&joined, options, error);
  return options->submission >= 0
             ? write_submission (&joined, options->submission == SUBMISSION_2023, error)
             : write_table (&joined, error);
}

const SlCommand sl_command_cat = {
  .name = "cat",
  .summary = "join tables end to end, or convert a table to another format",
  .arguments = "[FILE…]",
  .flags = SL_COMMAND_TABLES,
  .prints = "submission|sets",
  SL_OPTIONS (option_table, defaults),
  .description = "Writes the rows of all FILEs, in order. They must be of one kind and have the "
                 "same classes; classes in another order are put into that of the first. The "
                 "output's format goes by its extension: .parquet, .arrow (an Arrow file), "
                 ".arrows (an Arrow stream), .csv, .jsonl.\n\n"
                 "Programs such as pandas, Polars and DuckDB write Parquet without the metadata "
                 "that says what a table is. --table and --classes give it back.\n\n"
                 "CSV and JSON lines that softlabel wrote come back in as well: the names of the "
                 "columns tell what they are. The classes are those that columns name (label.cat), "
                 "or else those of the rows, sorted, unless --classes says them; a history, and an "
                 "order of classes, they have not. What other programs write in those forms is for "
                 "`softlabel ingest`. A column a class, as --wide writes, is read by every verb.",
  .examples
  = "softlabel cat labels.arrows -o labels.parquet\n"
    "    converts\n"
    "softlabel cat monday.parquet tuesday.parquet -o both.parquet\n"
    "    joins\n"
    "softlabel cat --table labels --classes cat,dog edited.parquet -o labels.parquet\n"
    "    makes a table of what another program wrote\n"
    "softlabel cat --wide labels.parquet -o wide.parquet\n"
    "    columns label.cat, label.dog ... for a data frame\n"
    "softlabel cat --ordered low,medium,high votes.parquet -o ratings.parquet\n"
    "    classes that are steps of a scale\n"
    "softlabel cat labels.csv -o labels.parquet\n"
    "    back from a spreadsheet\n"
    "softlabel cat --submission lewidi labels.parquet -o Set_test_soft.tsv\n"
    "    what a shared task takes\n"
    "softlabel aggregate --questions / sets.parquet | softlabel cat --sets / > sets.jsonl\n"
    "    the classes of each item, of answers that were sets\n",
  .check = check_options,
  .run = run,
};
