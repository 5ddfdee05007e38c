/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jspsych: the CSV export of a jsPsych survey, as CIFAR-10S was collected with (Collins, Bhatt & Weller 2022, section 4).
 *
 * The rows with trial_type survey-html-form hold the answers, as JSON in `response` (`responses` in jsPsych before 7). A
 * session that reached its end has a row with trial_type survey-text. As that comes last, and so do the classes, all
 * answers wait in memory until the files have been read. */
#include "form.h"
#include "ingest.h"
#include "jspsych-census.h"
#include "values.h"

#include <math.h>
#include <string.h>

enum
{
  TYPE,
  RESPONSE,
  ITEM,
  ANNOTATOR,
  GOLD,
  TASK,
  TRIAL,
  TIME,
  N_ROLES,
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const SlColumnRole roles[] = {
  [TYPE] = { "type", NAMES ("trialtype"), TRUE },
  [RESPONSE] = { "response", NAMES ("response", "responses"), TRUE },
  [ITEM] = { "item", NAMES ("item", "img", "image"), TRUE },
  [ANNOTATOR]
  = { "annotator", NAMES ("annotator", "subject", "participant", "worker", "prolificp"), FALSE },
  [GOLD] = { "gold", NAMES ("gold", "label"), FALSE },
  [TASK] = { "task", NAMES ("task"), FALSE },
  [TRIAL] = { "trial", NAMES ("trialindex"), FALSE },
  [TIME] = { "time", NAMES ("rt"), FALSE },
  [N_ROLES] = { 0 },
};

typedef struct
{
  SlForm form;
  char *item, *annotator, *gold;
  gint32 trial;
  double seconds;
  gboolean repeat;
} Record;

typedef struct
{
  SlIngestCsv source;
  char **given;
  int place[N_ROLES]; /* among the columns that are read; -1: not there */
  guint32 columns;    /* of the table */
  SlFormRules rules;
  gboolean known;     /* the classes are given */
  SlFolded *classes;  /* given, or found so far */
  GPtrArray *waiting; /* of SlAnswers */
  SlIntern *finished; /* annotators whose session reached its end */
  SlIntern *annotators, *items;
  gint64 n_other; /* forms that ask something else */
  SlJspsychCensus census;
} Jspsych;

typedef struct
{
  const Jspsych *state;
  JsonParser *parser;
  GArray *records;
  GPtrArray *finished; /* of char * */
  gint64 n_other;
} Piece;

static void
record_clear (gpointer data)
{
  Record *record = data;
  sl_form_clear (&record->form);
  g_free (record->item);
  g_free (record->annotator);
  g_free (record->gold);
}

static gpointer
piece_new (gpointer data)
{
  Piece *piece = g_new0 (Piece, 1);
  piece->state = data;
  piece->parser = json_parser_new ();
  piece->records = g_array_new (FALSE, TRUE, sizeof (Record));
  g_array_set_clear_func (piece->records, record_clear);
  piece->finished = g_ptr_array_new_with_free_func (g_free);
  return piece;
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  g_object_unref (piece->parser);
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
check_class (const Jspsych *state, const char *name, SlCsvRows *rows, guint32 r)
{
  if (!state->known || name == NULL || name[0] == '\0'
      || sl_folded_code (state->classes, name, FALSE) >= 0)
    return;
  g_autofree char *shown = sl_shown (name, strlen (name));
  sl_csv_rows_bad (rows, r, "'%s' is not one of the classes", shown);
}

/* The classes that the record names are among the given ones. */
static void
check_classes (const Jspsych *state, const Record *record, SlCsvRows *rows, guint32 r)
{
  const SlForm *form = &record->form;
  check_class (state, form->first, rows, r);
  check_class (state, form->second, rows, r);
  check_class (state, record->gold, rows, r);
  for (guint i = 0; i < form->impossible->len; i++)
    check_class (state, form->impossible->pdata[i], rows, r);
}

static void
parse_answer (Piece *piece, SlCsvRows *rows, guint32 r, gint32 trial, double seconds)
{
  const Jspsych *state = piece->state;
  Record record = { .trial = trial, .seconds = seconds };
  gsize n;
  const char *response = sl_csv_field (rows, state->place[RESPONSE], r, &n);
  const char *problem = sl_form_parse (piece->parser, response, n, &state->rules, &record.form);
  record.item = field (piece, rows, ITEM, r);
  record.annotator = field (piece, rows, ANNOTATOR, r);
  record.gold = field (piece, rows, GOLD, r);
  g_autofree char *task = field (piece, rows, TASK, r);
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
  const char *text = sl_csv_field (rows, piece->state->place[TYPE], r, &n);
  return n == strlen (type) && memcmp (text, type, n) == 0;
}

static void
parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  Piece *piece = data;
  const Jspsych *state = user;
  sl_csv_rows_drop_bad (rows);
  for (guint32 r = 0; r < rows->n; r++)
    {
      double trial, seconds;
      if (is_type (piece, rows, r, "survey-text") && state->place[ANNOTATOR] >= 0)
        g_ptr_array_add (piece->finished, field (piece, rows, ANNOTATOR, r));
      if (!is_type (piece, rows, r, "survey-html-form"))
        continue;
      sl_values_number (rows, state->place[TRIAL], r, "trial", &trial);
      sl_values_number (rows, state->place[TIME], r, "time", &seconds);
      gboolean there = trial >= 0 && trial <= G_MAXINT32 && trial == floor (trial);
      parse_answer (piece, rows, r, there ? (gint32) trial : -1, seconds / 1000);
    }
  sl_csv_rows_drop_bad (rows);
}

static gint32
code_of (Jspsych *state, const char *name)
{
  return name != NULL && name[0] != '\0' ? sl_folded_code (state->classes, name, TRUE) : -1;
}

/* The record becomes row ROW. */
static void
append (Jspsych *state, const Record *record, SlAnswers *answers)
{
  const SlForm *form = &record->form;
  gsize row = answers->n++;
  sl_texts_append (&answers->item, row, record->item, strlen (record->item));
  if (record->annotator != NULL)
    sl_texts_append (&answers->annotator, row, record->annotator, strlen (record->annotator));
  answers->first[row] = code_of (state, form->first);
  answers->second[row] = code_of (state, form->second);
  answers->percent[row] = form->percent;
  answers->percent2[row] = form->percent2;
  answers->repaired[row] = form->repaired != FALSE;
  for (guint i = 0; i < form->impossible->len; i++)
    {
      gint32 code = code_of (state, form->impossible->pdata[i]);
      g_array_append_val (answers->impossible, code);
    }
  answers->impossible_end[row] = (gint32) answers->impossible->len;
  if (answers->gold != NULL)
    answers->gold[row] = code_of (state, record->gold);
  if (answers->repeat != NULL)
    answers->repeat[row] = record->repeat != FALSE;
  if (answers->trial != NULL)
    answers->trial[row] = record->trial;
  if (answers->seconds != NULL)
    answers->seconds[row] = record->seconds;
  sl_jspsych_census_add (&state->census, form, answers, row);
}

static void
take_finished (Jspsych *state, const Piece *piece)
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
  Jspsych *state = user;
  SlIngest *ingest = state->source.ingest;
  g_autoptr (SlAnswers) answers = sl_answers_new (state->columns);
  sl_answers_reserve (answers, piece->records->len);
  for (guint i = 0; i < piece->records->len; i++)
    {
      const Record *record = &g_array_index (piece->records, Record, i);
      append (state, record, answers);
      sl_intern (state->items, record->item, strlen (record->item));
      if (record->annotator != NULL)
        sl_intern (state->annotators, record->annotator, strlen (record->annotator));
    }
  take_finished (state, piece);
  state->n_other += piece->n_other;
  piece->n_other = 0;
  g_array_set_size (piece->records, 0);
  g_ptr_array_set_size (piece->finished, 0);
  sl_ingest_progress (ingest, (gint64) answers->n);
  sl_answers_shrink (answers);
  if (!sl_run_claim (ingest->run, sl_answers_bytes (answers),
                     "the answers until the last session has ended", error))
    return FALSE;
  g_ptr_array_add (state->waiting, g_steal_pointer (&answers));
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
    { ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR }, { GOLD, SL_ANNOTATIONS_GOLD },
    { TASK, SL_ANNOTATIONS_REPEAT },         { TRIAL, SL_ANNOTATIONS_TRIAL },
    { TIME, SL_ANNOTATIONS_SECONDS },
  };
  guint32 columns = 1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_CHOICES
                    | 1u << SL_ANNOTATIONS_IMPOSSIBLE | 1u << SL_ANNOTATIONS_REPAIRED;
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    if (column[made[i].role] >= 0)
      columns |= 1u << made[i].column;
  return columns;
}

static gboolean
read_file (Jspsych *state, const char *path, gboolean first, GError **error)
{
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  state->source.csv = csv;
  int column[N_ROLES], wanted[N_ROLES], n = 0;
  if (csv == NULL || !sl_columns_find (csv, roles, state->given, SL_HEADER_YES, column, error))
    return FALSE;
  if (!first && table_columns (column) != state->columns)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: its columns are not those of the files before it", csv->name);
      return FALSE;
    }
  state->columns = table_columns (column);
  for (int i = 0; i < N_ROLES; i++)
    {
      state->place[i] = column[i] >= 0 ? n : -1;
      if (column[i] >= 0)
        wanted[n++] = column[i];
    }
  return sl_ingest_each (&state->source, wanted, n, &handler, error);
}

/* Whose sessions reached their end, if the files tell of any that did. */
static void
mark_complete (Jspsych *state)
{
  for (guint i = 0; sl_intern_size (state->finished) > 0 && i < state->waiting->len; i++)
    {
      SlAnswers *answers = state->waiting->pdata[i];
      SlText annotators = { answers->annotator.offset, answers->annotator.data };
      answers->columns |= 1u << SL_ANNOTATIONS_COMPLETE;
      answers->complete = g_new (guint8, answers->n);
      for (gsize row = 0; row < answers->n; row++)
        {
          gsize n;
          const char *annotator = sl_text_get (annotators, (gint64) row, &n);
          answers->complete[row] = sl_intern_find (state->finished, annotator, n) >= 0;
          state->census.n[SL_CENSUS_UNFINISHED] += !answers->complete[row];
        }
    }
}

/* The classes found are sorted, and become those of the table. */
static void
settle_classes (Jspsych *state)
{
  SlIngest *ingest = state->source.ingest;
  if (state->known)
    return;
  g_autoptr (SlIntern) names = sl_intern_new ();
  for (guint i = 0; i < state->classes->names->len; i++)
    sl_intern (names, state->classes->names->pdata[i], strlen (state->classes->names->pdata[i]));
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (names));
  ingest->classes = sl_classes_sorted (names, place);
  for (guint i = 0; i < state->waiting->len; i++)
    sl_answers_recode (state->waiting->pdata[i], place);
}

static void
report (const Jspsych *state)
{
  SlRun *run = state->source.ingest->run;
  gint64 n = state->census.n[SL_CENSUS_UNREADABLE];
  if (n > 0)
    sl_run_warn (run,
                 "%" G_GINT64_FORMAT " percent%s not a number, kept as %g for `exclude` to judge; "
                 "--replace-percent TEXT=NUMBER reads %s",
                 n, n == 1 ? " is" : "s are", SL_PERCENT_UNREADABLE, n == 1 ? "it" : "them");
  if (state->n_other > 0)
    sl_run_warn (run, "%" G_GINT64_FORMAT " form%s without a field `classSelect` left out",
                 state->n_other, state->n_other == 1 ? "" : "s");
  sl_jspsych_census_tell (&state->census, sl_intern_size (state->annotators),
                          sl_intern_size (state->items), run);
}

static gboolean
read_and_write (Jspsych *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  state->given = sl_columns_parse (roles, ingest->options->columns, error);
  state->classes = sl_folded_new (ingest->classes, error);
  state->known = ingest->classes != NULL;
  if (state->given == NULL || state->classes == NULL
      || !sl_form_rules_init (&state->rules, ingest->options->replace_percent,
                              (SlZeroPercent) ingest->options->zero_percent, error))
    return FALSE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (state, ingest->files[i], i == 0, error))
      return FALSE;
  if (state->census.n[SL_CENSUS_ANSWERS] == 0)
    return TRUE;
  settle_classes (state);
  mark_complete (state);
  report (state);
  guint32 complete = sl_intern_size (state->finished) > 0 ? 1u << SL_ANNOTATIONS_COMPLETE : 0;
  if (!sl_ingest_start (ingest, state->columns | complete, error))
    return FALSE;
  for (guint i = 0; i < state->waiting->len; i++)
    if (!sl_ingest_write (ingest, state->waiting->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
check (const SlIngestOptions *options, GError **error)
{
  SlFormRules rules;
  gboolean ok = sl_form_rules_init (&rules, options->replace_percent, SL_ZERO_KEEP, error);
  sl_form_rules_clear (&rules);
  return ok;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  Jspsych state = { .source = { ingest, NULL } };
  state.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_answers_free);
  state.finished = sl_intern_new ();
  state.annotators = sl_intern_new ();
  state.items = sl_intern_new ();
  gboolean ok = read_and_write (&state, error);
  g_ptr_array_unref (state.waiting);
  sl_intern_free (state.finished);
  sl_intern_free (state.annotators);
  sl_intern_free (state.items);
  g_clear_pointer (&state.classes, sl_folded_free);
  sl_form_rules_clear (&state.rules);
  sl_columns_free (state.given, roles);
  return ok;
}

const SlIngestFormat sl_ingest_jspsych = {
  .name = "jspsych",
  .roles = roles,
  .uses = NAMES ("column", "replace-percent", "zero-percent"),
  .check = check,
  .run = run,
};
