/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jspsych: the CSV export of a jsPsych survey, as CIFAR-10S was collected with (Collins, Bhatt &
 * Weller 2022, section 4).
 *
 * The rows with trial_type survey-html-form hold the answers, as JSON in `response` (`responses` in
 * jsPsych before 7). A session that reached its end has a row with trial_type survey-text. As that
 * comes last, and so do the classes, all answers wait in memory until the files have been read. */
#include "pipeline/text/json-reader.h"
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/ingestion.h"
#include "stages/ingest/readers/seen-pairs.h"
#include "stages/ingest/formats.h"
#include "jspsych.h"

#include <string.h>

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

static gint32
code_of (SlJspsych *state, const char *name)
{
  return name != NULL && name[0] != '\0' ? sl_folded_code (state->classes, name, TRUE) : -1;
}

static gint32
gold_of (SlJspsych *state, const char *name)
{
  const SlClassTexts *texts = &state->source.ingest->class_texts;
  gint32 code = name != NULL ? sl_folded_code (state->classes, name, FALSE) : -1;
  gboolean missing = name != NULL && sl_class_texts_missing (texts, name, strlen (name));
  return code >= 0 || missing ? code : code_of (state, name);
}

/* Marks the classes that the answer names as answered, whatever gold says. */
static void
note_answered (SlJspsych *state, gint32 code)
{
  if (code < 0)
    return;
  if ((guint) code >= state->answered->len)
    g_array_set_size (state->answered, (guint) code + 1);
  g_array_index (state->answered, gboolean, code) = TRUE;
}

/* What the form says becomes part of a row. */
static void
append_form (SlJspsych *state, const SlJspsychRecord *record, SlBuilder *rows)
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
  sl_jspsych_census_add (&state->census, form, record->repeat, first, second,
                         (const gint32 *) (gpointer) state->impossible->data,
                         state->impossible->len);
}

/* The record becomes a row. */
static void
append (SlJspsych *state, const SlJspsychRecord *record, SlBuilder *rows)
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
take_finished (SlJspsych *state, const SlJspsychPiece *piece)
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
  SlJspsychPiece *piece = *data;
  SlJspsych *state = user;
  SlIngest *ingest = state->source.ingest;
  g_autoptr (SlBuilder) rows = sl_builder_new (state->shape);
  guint n = piece->records->len;
  for (guint i = 0; i < n; i++)
    append (state, &g_array_index (piece->records, SlJspsychRecord, i), rows);
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

static const SlCsvHandler handler
    = { sl_jspsych_piece_new, sl_jspsych_piece_free, sl_jspsych_parse, sl_ingest_bad, emit };

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
read_file (SlJspsych *state, const char *path, gboolean first, GError **error)
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
mark_complete (SlJspsych *state)
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
          state->census.n[SL_CENSUS_UNFINISHED] += !complete;
        }
    }
}

/* The classes found are sorted, and become those of the table. */
static void
settle_classes (SlJspsych *state)
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
report (const SlJspsych *state)
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
read_and_write (SlJspsych *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  state->classes = sl_folded_new (ingest->classes, ingest->options->classes_from != NULL, error);
  state->known = ingest->classes != NULL;
  if (state->classes == NULL
      || !sl_answer_form_rules_init (&state->rules, ingest->options->replace_percent,
                                     (SlZeroPercent) ingest->options->zero_percent,
                                     (SlPercentScale) ingest->options->percent_scale, error))
    return FALSE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (state, ingest->files[i], i == 0, error))
      return FALSE;
  if (state->census.n[SL_CENSUS_ANSWERS] == 0)
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
  SlJspsych state = { .source = { ingest, NULL } };
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
