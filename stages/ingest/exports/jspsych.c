/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jspsych: the CSV export of a jsPsych survey, as CIFAR-10S was collected with (Collins, Bhatt &
 * Weller 2022, section 4).
 *
 * The rows with trial_type survey-html-form hold the answers, as JSON in `response` (`responses` in
 * jsPsych before 7). A session that reached its end has a row with trial_type survey-text. As that
 * comes last, and so do the classes, all answers wait in memory until the files have been read. */
#include "jspsych.h"

#include "pipeline/base/shown-text.h"
#include "pipeline/text/json-reader.h"
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/class-search.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/readers/field-values.h"
#include "stages/common/answers/seen-pairs.h"
#include "answer-form.h"

#include <math.h>
#include <string.h>

/* What is unusual in answers, for --verbose: a name, what is told of it, and whether, or how often,
 * an answer has it. */
#define CENSUS(ROW)                                                                                \
  ROW (ANSWERS, "answers", 1)                                                                      \
  ROW (REPEATS, "repeats", record->repeat != FALSE)                                                \
  ROW (REPLACED, "percents replaced (--replace-percent)", form->n_replaced)                        \
  ROW (UNREADABLE, "percents that are no number", unreadable + unreadable2)                        \
  ROW (OUTSIDE, "a percent outside 0 to 100", is_outside (percent) || is_outside (percent2))       \
  ROW (ZERO, "first percent 0 or absent", or_zero (percent) == 0 && !unreadable)                   \
  ROW (NO_SECOND, "second class none", second < 0)                                                 \
  ROW (SECOND_WITHOUT_PERCENT, "second class chosen, its percent absent",                          \
       second >= 0 && isnan (percent2) && !unreadable2)                                            \
  ROW (PERCENT_WITHOUT_SECOND, "second class none, its percent typed", form->percent2_alone)       \
  ROW (SAME_CLASS, "second class same as the first", second == first)                              \
  ROW (SECOND_ZERO, "second class chosen with percent 0", percent2 == 0)                           \
  ROW (SECOND_ABOVE, "second percent above the first", percent2 > percent)                         \
  ROW (FIRST_IMPOSSIBLE, "first class ticked impossible", impossible)                              \
  ROW (SECOND_IMPOSSIBLE, "second class ticked impossible", impossible2)                           \
  ROW (EITHER_IMPOSSIBLE, "either class ticked impossible", impossible || impossible2)             \
  ROW (SUM_BELOW, "percents sum to less than 100", sum < 100)                                      \
  ROW (SUM_EQUAL, "percents sum to 100", sum == 100)                                               \
  ROW (SUM_ABOVE, "percents sum to more than 100", sum > 100)                                      \
  ROW (UNFINISHED, "answers of sessions that did not reach their end", 0)

enum
{
#define AS_NAME(name, text, n) CENSUS_##name,
  CENSUS (AS_NAME) CENSUS_N
};

static const char *const census_texts[] = {
#define AS_TEXT(name, text, n) text,
  CENSUS (AS_TEXT)
};

typedef struct
{
  SlAnswerForm form;
  char *item, *annotator, *gold;
  gint32 trial;
  double seconds;
  gboolean repeat;
} Record;

typedef struct
{
  SlIngestCsv source;
  int place[SL_JSPSYCH_N_ROLES]; /* among the columns that are read; -1: not there */
  SlTable *shape;                /* as the table will be, but for its classes */
  SlAnswerFormRules rules;
  gboolean known;        /* the classes are given */
  SlFolded *classes;     /* given, or found so far */
  GPtrArray *waiting;    /* of SlBuilder, with codes of `classes` */
  GArray *row_annotator; /* of gint32: the number of each row's annotator in `annotators` */
  GArray *answered;      /* of gboolean, by code: an answer names the class */
  GArray *impossible;    /* of gint32: the codes of the record at hand */
  SlIntern *finished;    /* annotators whose session reached its end */
  SlIntern *annotators, *items;
  gint64 n_other; /* forms that ask something else */
  gint64 census[CENSUS_N];
} State;

typedef struct
{
  const State *state;
  SlJsonParser *parser;
  GArray *records;
  GPtrArray *finished; /* of char * */
  gint64 n_other;
} Piece;

static const SlColumnRole roles[] = {
  [SL_JSPSYCH_TYPE] = { "trial_type", SL_NAMES ("trialtype"), TRUE, NULL },
  [SL_JSPSYCH_RESPONSE] = { "response", SL_NAMES ("response", "responses"), TRUE, NULL },
  [SL_JSPSYCH_ITEM] = { "item", SL_NAMES ("item", "img", "image"), TRUE, SL_NAMES ("filename") },
  [SL_JSPSYCH_ANNOTATOR]
  = { "annotator", SL_NAMES ("annotator", "subject", "participant", "worker", "prolificp"), FALSE,
      SL_NAMES ("user", "rater", SL_ANNOTATOR_FALLBACK) },
  [SL_JSPSYCH_GOLD] = { "gold", SL_NAMES ("gold", "label"), FALSE, NULL },
  [SL_JSPSYCH_TASK] = { "task", SL_NAMES ("task"), FALSE, NULL },
  [SL_JSPSYCH_TRIAL] = { "trial_index", SL_NAMES ("trialindex"), FALSE, NULL },
  [SL_JSPSYCH_TIME] = { "rt", SL_NAMES ("rt"), FALSE, NULL },
  [SL_JSPSYCH_N_ROLES] = { 0 },
};

static void
record_clear (gpointer data)
{
  Record *record = data;
  sl_answer_form_clear (&record->form);
  g_free (record->item);
  g_free (record->annotator);
  g_free (record->gold);
}

static gpointer
piece_new (gpointer data)
{
  Piece *piece = g_new0 (Piece, 1);
  piece->state = data;
  piece->parser = sl_json_parser_new ();
  piece->records = g_array_new (FALSE, TRUE, sizeof (Record));
  g_array_set_clear_func (piece->records, record_clear);
  piece->finished = g_ptr_array_new_with_free_func (g_free);
  return piece;
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  sl_json_parser_free (piece->parser);
  g_array_unref (piece->records);
  g_ptr_array_unref (piece->finished);
  g_free (piece);
}

/* The field of a role; NULL where the file has no such column. */
static char *
field (const Piece *piece, const SlCsvRows *rows, int role, guint32 r)
{
  gsize n;
  int place = piece->state->place[role];
  const char *text = place >= 0 ? sl_csv_field (rows, place, r, &n) : NULL;
  return text != NULL ? g_strndup (text, n) : NULL;
}

/* A number as a program that knows missing values writes it, 1128.0, without the fraction. */
static void
drop_fraction (char *text)
{
  gsize digits = strspn (text, "0123456789");
  if (digits > 0 && strcmp (text + digits, ".0") == 0)
    text[digits] = '\0';
}

static void
check_class (const State *state, const char *name, SlCsvRows *rows, guint32 r)
{
  if (!state->known || name == NULL || name[0] == '\0'
      || sl_folded_code (state->classes, name, FALSE) >= 0)
    return;
  g_autofree char *shown = sl_shown (name, strlen (name));
  sl_csv_rows_bad (rows, r, "'%s' is not one of the classes", shown);
}

/* The classes that the record names are among the given ones. */
static void
check_classes (const State *state, const Record *record, SlCsvRows *rows, guint32 r)
{
  const SlAnswerForm *form = &record->form;
  check_class (state, form->first, rows, r);
  check_class (state, form->second, rows, r);
  const SlClassTexts *texts = &state->source.ingest->class_texts;
  if (record->gold == NULL || !sl_class_texts_missing (texts, record->gold, strlen (record->gold)))
    check_class (state, record->gold, rows, r);
  for (guint i = 0; i < form->impossible->len; i++)
    check_class (state, form->impossible->pdata[i], rows, r);
}

static void
parse_answer (Piece *piece, SlCsvRows *rows, guint32 r, gint32 trial, double seconds)
{
  const State *state = piece->state;
  Record record = { .trial = trial, .seconds = seconds };
  gsize n;
  const char *response = sl_csv_field (rows, state->place[SL_JSPSYCH_RESPONSE], r, &n);
  const char *problem
      = sl_answer_form_parse (piece->parser, response, n, &state->rules, &record.form);
  record.item = field (piece, rows, SL_JSPSYCH_ITEM, r);
  record.annotator = field (piece, rows, SL_JSPSYCH_ANNOTATOR, r);
  record.gold = field (piece, rows, SL_JSPSYCH_GOLD, r);
  g_autofree char *task = field (piece, rows, SL_JSPSYCH_TASK, r);
  record.repeat = task != NULL && g_str_has_prefix (task, "rerun_");
  drop_fraction (record.item);
  if (problem == NULL && record.form.is_form && record.item[0] == '\0')
    problem = "the item is empty";
  if (problem == NULL && record.form.is_form && record.annotator != NULL
      && record.annotator[0] == '\0')
    problem = "the annotator is empty";
  if (problem != NULL)
    sl_csv_rows_bad (rows, r, "%s", problem);
  else if (record.form.is_form)
    check_classes (state, &record, rows, r);
  else
    piece->n_other++;
  if (rows->bad[r] == NULL && record.form.is_form)
    g_array_append_val (piece->records, record);
  else
    record_clear (&record);
}

static gboolean
is_type (const Piece *piece, const SlCsvRows *rows, guint32 r, const char *type)
{
  gsize n;
  const char *text = sl_csv_field (rows, piece->state->place[SL_JSPSYCH_TYPE], r, &n);
  return n == strlen (type) && memcmp (text, type, n) == 0;
}

static void
parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  Piece *piece = data;
  const State *state = user;
  sl_csv_rows_drop_bad (rows);
  rows->decimal_comma = state->rules.decimal_comma;
  for (guint32 r = 0; r < rows->n; r++)
    {
      double trial, seconds;
      if (is_type (piece, rows, r, "survey-text") && state->place[SL_JSPSYCH_ANNOTATOR] >= 0)
        g_ptr_array_add (piece->finished, field (piece, rows, SL_JSPSYCH_ANNOTATOR, r));
      if (!is_type (piece, rows, r, "survey-html-form"))
        continue;
      sl_fields_number (rows, state->place[SL_JSPSYCH_TRIAL], r, "trial", &trial);
      sl_fields_number (rows, state->place[SL_JSPSYCH_TIME], r, "time", &seconds);
      gboolean there = trial >= 0 && trial <= G_MAXINT32 && trial == floor (trial);
      parse_answer (piece, rows, r, there ? (gint32) trial : -1, seconds / 1000);
    }
  sl_csv_rows_drop_bad (rows);
}

static gint32
code_of (State *state, const char *name)
{
  return name != NULL && name[0] != '\0' ? sl_folded_code (state->classes, name, TRUE) : -1;
}

static gint32
gold_of (State *state, const char *name)
{
  const SlClassTexts *texts = &state->source.ingest->class_texts;
  gint32 code = name != NULL ? sl_folded_code (state->classes, name, FALSE) : -1;
  gboolean missing = name != NULL && sl_class_texts_missing (texts, name, strlen (name));
  return code >= 0 || missing ? code : code_of (state, name);
}

/* Marks the classes that the answer names as answered, whatever gold says. */
static void
note_answered (State *state, gint32 code)
{
  if (code < 0)
    return;
  if ((guint) code >= state->answered->len)
    g_array_set_size (state->answered, (guint) code + 1);
  g_array_index (state->answered, gboolean, code) = TRUE;
}

static gboolean
is_among (const gint32 *codes, guint n, gint32 code)
{
  for (guint i = 0; i < n; i++)
    if (codes[i] == code)
      return TRUE;
  return FALSE;
}

static gboolean
is_outside (double percent)
{
  return percent < 0 || percent > 100;
}

static double
or_zero (double percent)
{
  return isnan (percent) ? 0 : percent;
}

static void
take_census (State *state, const Record *record, gint32 first, gint32 second)
{
  const SlAnswerForm *form = &record->form;
  const gint32 *ruled_out = (const gint32 *) (gpointer) state->impossible->data;
  const guint n_ruled_out = state->impossible->len;
  gboolean unreadable = form->typed == SL_PERCENT_UNREADABLE,
           unreadable2 = form->percent2 == SL_PERCENT_UNREADABLE;
  double percent = unreadable ? (double) NAN : form->typed,
         percent2 = unreadable2 ? (double) NAN : form->percent2;
  double sum = or_zero (percent) + or_zero (percent2);
  gboolean impossible = is_among (ruled_out, n_ruled_out, first);
  gboolean impossible2 = second >= 0 && is_among (ruled_out, n_ruled_out, second);
#define AS_COUNT(name, text, n) state->census[CENSUS_##name] += n;
  CENSUS (AS_COUNT)
}

/* What the form says becomes part of a row. */
static void
append_form (State *state, const Record *record, SlBuilder *rows)
{
  const SlAnswerForm *form = &record->form;
  gint32 first = code_of (state, form->first), second = code_of (state, form->second);
  sl_builder_choice (rows, SL_ANNOTATIONS_CHOICES, first, form->percent);
  if (second >= 0)
    sl_builder_choice (rows, SL_ANNOTATIONS_CHOICES, second, form->percent2);
  sl_builder_end_list (rows, SL_ANNOTATIONS_CHOICES);
  note_answered (state, first);
  note_answered (state, second);
  g_array_set_size (state->impossible, 0);
  for (guint i = 0; i < form->impossible->len; i++)
    {
      gint32 code = code_of (state, form->impossible->pdata[i]);
      sl_builder_member (rows, SL_ANNOTATIONS_IMPOSSIBLE, code);
      g_array_append_val (state->impossible, code);
      note_answered (state, code);
    }
  sl_builder_end_list (rows, SL_ANNOTATIONS_IMPOSSIBLE);
  sl_builder_bool (rows, SL_ANNOTATIONS_REPAIRED, form->repaired);
  sl_percent_counts_add (&state->source.ingest->percents, &form->percents);
  take_census (state, record, first, second);
}

/* The record becomes a row. */
static void
append (State *state, const Record *record, SlBuilder *rows)
{
  const SlTable *shape = state->shape;
  sl_builder_text (rows, SL_ANNOTATIONS_ITEM, record->item, strlen (record->item));
  sl_intern (state->items, record->item, strlen (record->item));
  append_form (state, record, rows);
  if (record->annotator != NULL)
    {
      gsize n = strlen (record->annotator);
      gint32 annotator = sl_intern (state->annotators, record->annotator, n);
      sl_builder_text (rows, SL_ANNOTATIONS_ANNOTATOR, record->annotator, n);
      g_array_append_val (state->row_annotator, annotator);
    }
  if (sl_table_has (shape, SL_ANNOTATIONS_GOLD))
    sl_builder_class (rows, SL_ANNOTATIONS_GOLD, gold_of (state, record->gold));
  if (sl_table_has (shape, SL_ANNOTATIONS_REPEAT))
    sl_builder_bool (rows, SL_ANNOTATIONS_REPEAT, record->repeat);
  if (sl_table_has (shape, SL_ANNOTATIONS_TRIAL) && record->trial >= 0)
    sl_builder_int (rows, SL_ANNOTATIONS_TRIAL, record->trial);
  else if (sl_table_has (shape, SL_ANNOTATIONS_TRIAL))
    sl_builder_null (rows, SL_ANNOTATIONS_TRIAL);
  if (sl_table_has (shape, SL_ANNOTATIONS_SECONDS))
    sl_builder_real (rows, SL_ANNOTATIONS_SECONDS, record->seconds);
}

static void
take_finished (State *state, const Piece *piece)
{
  for (guint i = 0; i < piece->finished->len; i++)
    {
      const char *annotator = piece->finished->pdata[i];
      sl_intern (state->finished, annotator, strlen (annotator));
    }
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  Piece *piece = *data;
  State *state = user;
  SlIngest *ingest = state->source.ingest;
  g_autoptr (SlBuilder) rows = sl_builder_new (state->shape);
  guint n = piece->records->len;
  for (guint i = 0; i < n; i++)
    append (state, &g_array_index (piece->records, Record, i), rows);
  take_finished (state, piece);
  state->n_other += piece->n_other;
  piece->n_other = 0;
  g_array_set_size (piece->records, 0);
  g_ptr_array_set_size (piece->finished, 0);
  sl_ingest_progress (ingest, n);
  sl_builder_shrink (rows);
  if (!sl_run_claim (ingest->run, sl_builder_bytes (rows) + n * sizeof (gint32),
                     "the answers until the last session has ended", error))
    return FALSE;
  g_ptr_array_add (state->waiting, g_steal_pointer (&rows));
  return TRUE;
}

static const SlCsvHandler handler = { piece_new, piece_free, parse, sl_ingest_bad, emit };

/* The columns of the table for those of the first file. */
static guint32
table_columns (const int *column)
{
  static const struct
  {
    int role, column;
  } made[] = {
    { SL_JSPSYCH_ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR }, { SL_JSPSYCH_GOLD, SL_ANNOTATIONS_GOLD },
    { SL_JSPSYCH_TASK, SL_ANNOTATIONS_REPEAT },         { SL_JSPSYCH_TRIAL, SL_ANNOTATIONS_TRIAL },
    { SL_JSPSYCH_TIME, SL_ANNOTATIONS_SECONDS },
  };
  guint32 columns = 1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_CHOICES
                    | 1u << SL_ANNOTATIONS_IMPOSSIBLE | 1u << SL_ANNOTATIONS_REPAIRED;
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    if (column[made[i].role] >= 0)
      columns |= 1u << made[i].column;
  return columns;
}

static gboolean
read_file (State *state, const char *path, gboolean first, GError **error)
{
  g_autoptr (SlCsv) csv = sl_ingest_open (state->source.ingest, path, error);
  state->source.csv = csv;
  int column[SL_JSPSYCH_N_ROLES], wanted[SL_JSPSYCH_N_ROLES], n = 0;
  if (csv == NULL
      || !sl_columns_find (csv, roles, state->source.ingest->columns, SL_HEADER_YES, column, error))
    return FALSE;
  if (!first && table_columns (column) != state->shape->columns)
    return sl_error_bad_input (error, "%s: its columns are not those of the files before it",
                               csv->name);
  if (first)
    {
      SlRun *run = state->source.ingest->run;
      g_autofree char *found = sl_columns_tell (csv, roles, column);
      sl_run_note (run, "%s", found);
      /* An export has many columns that nobody wants, but hardly ever no annotators. */
      g_autofree char *left_out
          = column[SL_JSPSYCH_ANNOTATOR] < 0 ? sl_columns_left_out (csv, roles, column) : NULL;
      if (left_out != NULL)
        sl_run_warn (run, "%s", left_out);
    }
  if (first)
    {
      state->shape = sl_table_new (&sl_annotations, NULL);
      state->shape->columns |= table_columns (column);
    }
  for (int i = 0; i < SL_JSPSYCH_N_ROLES; i++)
    {
      state->place[i] = column[i] >= 0 ? n : -1;
      if (column[i] >= 0)
        wanted[n++] = column[i];
    }
  return sl_ingest_each (&state->source, wanted, n, &handler, error);
}

/* Marks the answers of sessions that reached their end, if the files tell of any. */
static void
mark_complete (State *state)
{
  guint n = 0;
  if (sl_intern_size (state->finished) == 0)
    return;
  sl_table_add (state->shape, SL_ANNOTATIONS_COMPLETE);
  for (guint i = 0; i < state->waiting->len; i++)
    {
      SlBuilder *rows = state->waiting->pdata[i];
      for (gint64 row = sl_builder_rows (rows); row > 0; row--)
        {
          gsize length;
          gint32 annotator = g_array_index (state->row_annotator, gint32, n++);
          const char *name = sl_intern_get (state->annotators, annotator, &length);
          gboolean complete = sl_intern_find (state->finished, name, length) >= 0;
          sl_builder_bool (rows, SL_ANNOTATIONS_COMPLETE, complete);
          state->census[CENSUS_UNFINISHED] += !complete;
        }
    }
}

/* The classes found are sorted, and become those of the table. */
static void
settle_classes (State *state)
{
  SlIngest *ingest = state->source.ingest;
  if (state->known)
    return;
  g_autoptr (SlIntern) names = sl_intern_new ();
  for (guint i = 0; i < state->classes->names->len; i++)
    sl_intern (names, state->classes->names->pdata[i], strlen (state->classes->names->pdata[i]));
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (names));
  ingest->classes = sl_classes_sorted (names, place);
  g_autofree gboolean *answered = g_new0 (gboolean, sl_intern_size (names) + 1);
  for (guint code = 0; code < state->answered->len; code++)
    answered[place[code]] = g_array_index (state->answered, gboolean, code);
  sl_classes_warn (ingest->classes, answered, ingest->run);
  for (guint i = 0; i < state->waiting->len; i++)
    {
      SlBuilder *rows = state->waiting->pdata[i];
      sl_builder_recode (rows, SL_ANNOTATIONS_CHOICES, place);
      sl_builder_recode (rows, SL_ANNOTATIONS_IMPOSSIBLE, place);
      if (sl_table_has (state->shape, SL_ANNOTATIONS_GOLD))
        sl_builder_recode (rows, SL_ANNOTATIONS_GOLD, place);
    }
}

static void
report (const State *state)
{
  SlRun *run = state->source.ingest->run;
  gint64 n = state->census[CENSUS_UNREADABLE];
  if (n > 0)
    sl_run_warn (run,
                 "%" G_GINT64_FORMAT " percent%s not a number, kept as %g for `exclude` to judge; "
                 "--replace-percent TEXT=NUMBER reads %s",
                 n, n == 1 ? " is" : "s are", SL_PERCENT_UNREADABLE, n == 1 ? "it" : "them");
  if (state->n_other > 0)
    sl_run_warn (run, "%" G_GINT64_FORMAT " form%s without a field `classSelect` left out",
                 state->n_other, state->n_other == 1 ? "" : "s");
  sl_run_note (run, "annotators: %d", sl_intern_size (state->annotators));
  sl_run_note (run, "items: %d", sl_intern_size (state->items));
  for (int i = 0; i < CENSUS_N; i++)
    sl_run_note (run, "%s: %" G_GINT64_FORMAT, census_texts[i], state->census[i]);
}

static gboolean
no_answers (const SlIngest *ingest, GError **error)
{
  g_autofree char *name = g_filename_display_name (ingest->files[0]);
  return sl_error_bad_input (
      error,
      "%s: there are no answers in it: no row with trial_type survey-html-form and a "
      "field classSelect. Of another survey, --trial-type TYPE says which trials are answers, "
      "--question NAME which field of theirs is, and --column item=COLUMN what they are about",
      strcmp (name, "-") == 0 ? "standard input" : name);
}

static gboolean
read_and_write (State *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  state->classes = sl_folded_new (ingest->classes, ingest->options->classes_from != NULL, error);
  state->known = ingest->classes != NULL;
  if (state->classes == NULL
      || !sl_answer_form_rules_init (&state->rules, ingest->options->replace_percent,
                                     (SlZeroPercent) ingest->options->zero_percent,
                                     (SlPercentScale) ingest->options->percent_scale, error))
    return FALSE;
  state->rules.decimal_comma = ingest->options->decimal_comma;
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (state, ingest->files[i], i == 0, error))
      return FALSE;
  if (state->census[CENSUS_ANSWERS] == 0)
    return ingest->rejected.n > 0 || no_answers (ingest, error);
  if (!sl_ingest_check_percents (ingest, error))
    return FALSE;
  settle_classes (state);
  mark_complete (state);
  report (state);
  if (!sl_ingest_start (ingest, &sl_annotations, state->shape->columns, error))
    return FALSE;
  for (guint i = 0; i < state->waiting->len; i++)
    if (!sl_ingest_put (ingest, state->waiting->pdata[i], NULL, error))
      return FALSE;
  return TRUE;
}

static gboolean
check (const SlIngestOptions *options, GError **error)
{
  SlAnswerFormRules rules;
  if (options->repeats != SL_REPEATS_UNSAID && options->trial_type == NULL
      && options->question == NULL)
    return sl_error_usage (error, "--repeats goes with --trial-type or --question: forms say "
                                  "themselves what comes again, which `softlabel redistribute "
                                  "--repeats drop` leaves out");
  gboolean ok = sl_answer_form_rules_init (&rules, options->replace_percent, SL_ZERO_KEEP,
                                           SL_PERCENT_OF_100, error);
  sl_answer_form_rules_clear (&rules);
  return ok;
}

/* Forms as CIFAR-10S has them are read from CSV alone. */
static gboolean
check_not_json (const SlIngest *ingest, GError **error)
{
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]);
  if (!sl_source_can_reopen (ingest->files[0]))
    return TRUE;
  g_autoptr (SlSource) source = sl_source_open (ingest->files[0], error);
  gboolean json;
  if (source == NULL || !sl_json_begins (source, &json, error))
    return FALSE;
  return !json
         || sl_error_bad_input (error,
                                "%s: is JSON: say with --trial-type TYPE which trials are answers, "
                                "or with --question NAME which question they answer",
                                name);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  if (ingest->options->trial_type != NULL || ingest->options->question != NULL)
    return sl_jspsych_run_trials (ingest, error);
  if (!check_not_json (ingest, error))
    return FALSE;
  State state = { .source = { ingest, NULL } };
  state.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_builder_free);
  state.row_annotator = g_array_new (FALSE, FALSE, sizeof (gint32));
  state.impossible = g_array_new (FALSE, FALSE, sizeof (gint32));
  state.answered = g_array_new (FALSE, TRUE, sizeof (gboolean));
  state.finished = sl_intern_new ();
  state.annotators = sl_intern_new ();
  state.items = sl_intern_new ();
  gboolean ok = read_and_write (&state, error);
  g_ptr_array_unref (state.waiting);
  g_array_unref (state.row_annotator);
  g_array_unref (state.impossible);
  g_array_unref (state.answered);
  g_clear_pointer (&state.shape, sl_table_unref);
  sl_intern_free (state.finished);
  sl_intern_free (state.annotators);
  sl_intern_free (state.items);
  g_clear_pointer (&state.classes, sl_folded_free);
  sl_answer_form_rules_clear (&state.rules);
  return ok;
}

const SlIngestFormat sl_ingest_jspsych = {
  .roles = roles,
  .check = check,
  .run = run,
};
