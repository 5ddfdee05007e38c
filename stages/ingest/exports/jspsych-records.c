/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a jsPsych export as records: what a row says, in its own words; and how many of them are
 * unusual. */
#include "pipeline/base/shown-text.h"
#include "jspsych.h"
#include "schemas/annotations.h"
#include "stages/ingest/readers/field-values.h"

#include <math.h>
#include <string.h>

static void
record_clear (gpointer data)
{
  SlJspsychRecord *record = data;
  sl_answer_form_clear (&record->form);
  g_free (record->item);
  g_free (record->annotator);
  g_free (record->gold);
}

gpointer
sl_jspsych_piece_new (gpointer data)
{
  SlJspsychPiece *piece = g_new0 (SlJspsychPiece, 1);
  piece->state = data;
  piece->parser = sl_json_parser_new ();
  piece->records = g_array_new (FALSE, TRUE, sizeof (SlJspsychRecord));
  g_array_set_clear_func (piece->records, record_clear);
  piece->finished = g_ptr_array_new_with_free_func (g_free);
  return piece;
}

void
sl_jspsych_piece_free (gpointer data)
{
  SlJspsychPiece *piece = data;
  sl_json_parser_free (piece->parser);
  g_array_unref (piece->records);
  g_ptr_array_unref (piece->finished);
  g_free (piece);
}

/* The field of a role; NULL where the file has no such column. */
static char *
field (const SlJspsychPiece *piece, const SlCsvRows *rows, int role, guint32 r)
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
check_class (const SlJspsych *state, const char *name, SlCsvRows *rows, guint32 r)
{
  if (!state->known || name == NULL || name[0] == '\0'
      || sl_folded_code (state->classes, name, FALSE) >= 0)
    return;
  g_autofree char *shown = sl_shown (name, strlen (name));
  sl_csv_rows_bad (rows, r, "'%s' is not one of the classes", shown);
}

/* The classes that the record names are among the given ones. */
static void
check_classes (const SlJspsych *state, const SlJspsychRecord *record, SlCsvRows *rows, guint32 r)
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
parse_answer (SlJspsychPiece *piece, SlCsvRows *rows, guint32 r, gint32 trial, double seconds)
{
  const SlJspsych *state = piece->state;
  SlJspsychRecord record = { .trial = trial, .seconds = seconds };
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
is_type (const SlJspsychPiece *piece, const SlCsvRows *rows, guint32 r, const char *type)
{
  gsize n;
  const char *text = sl_csv_field (rows, piece->state->place[SL_JSPSYCH_TYPE], r, &n);
  return n == strlen (type) && memcmp (text, type, n) == 0;
}

void
sl_jspsych_parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  SlJspsychPiece *piece = data;
  const SlJspsych *state = user;
  sl_csv_rows_drop_bad (rows);
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

static const char *const texts[SL_CENSUS_N] = {
  [SL_CENSUS_ANSWERS] = "answers",
  [SL_CENSUS_REPEATS] = "repeats",
  [SL_CENSUS_REPLACED] = "percents replaced (--replace-percent)",
  [SL_CENSUS_UNREADABLE] = "percents that are no number",
  [SL_CENSUS_OUTSIDE] = "a percent outside 0 to 100",
  [SL_CENSUS_ZERO] = "first percent 0 or absent",
  [SL_CENSUS_NO_SECOND] = "second class none",
  [SL_CENSUS_SECOND_WITHOUT_PERCENT] = "second class chosen, its percent absent",
  [SL_CENSUS_PERCENT_WITHOUT_SECOND] = "second class none, its percent typed",
  [SL_CENSUS_SAME_CLASS] = "second class same as the first",
  [SL_CENSUS_SECOND_ZERO] = "second class chosen with percent 0",
  [SL_CENSUS_SECOND_ABOVE] = "second percent above the first",
  [SL_CENSUS_FIRST_IMPOSSIBLE] = "first class ticked impossible",
  [SL_CENSUS_SECOND_IMPOSSIBLE] = "second class ticked impossible",
  [SL_CENSUS_EITHER_IMPOSSIBLE] = "either class ticked impossible",
  [SL_CENSUS_SUM_BELOW] = "percents sum to less than 100",
  [SL_CENSUS_SUM_EQUAL] = "percents sum to 100",
  [SL_CENSUS_SUM_ABOVE] = "percents sum to more than 100",
  [SL_CENSUS_UNFINISHED] = "answers of sessions that did not reach their end",
};

static gboolean
is_among (const gint32 *codes, guint n, gint32 code)
{
  for (guint i = 0; i < n; i++)
    if (codes[i] == code)
      return TRUE;
  return FALSE;
}

static double
or_zero (double percent)
{
  return isnan (percent) ? 0 : percent;
}

void
sl_jspsych_census_add (SlJspsychCensus *census, const SlAnswerForm *form, gboolean repeat,
                       gint32 first, gint32 second, const gint32 *ruled_out, guint n_ruled_out)
{
  gboolean unreadable = form->typed == SL_PERCENT_UNREADABLE,
           unreadable2 = form->percent2 == SL_PERCENT_UNREADABLE;
  double percent = unreadable ? (double) NAN : form->typed,
         percent2 = unreadable2 ? (double) NAN : form->percent2;
  double sum = or_zero (percent) + or_zero (percent2);
  gboolean impossible = is_among (ruled_out, n_ruled_out, first);
  gboolean impossible2 = second >= 0 && is_among (ruled_out, n_ruled_out, second);
  gint64 *n = census->n;
  n[SL_CENSUS_ANSWERS]++;
  n[SL_CENSUS_REPEATS] += repeat != FALSE;
  n[SL_CENSUS_REPLACED] += form->n_replaced;
  n[SL_CENSUS_UNREADABLE] += unreadable + unreadable2;
  n[SL_CENSUS_OUTSIDE] += percent < 0 || percent > 100 || percent2 < 0 || percent2 > 100;
  n[SL_CENSUS_ZERO] += or_zero (percent) == 0 && !unreadable;
  n[SL_CENSUS_NO_SECOND] += second < 0;
  n[SL_CENSUS_SECOND_WITHOUT_PERCENT] += second >= 0 && isnan (percent2) && !unreadable2;
  n[SL_CENSUS_PERCENT_WITHOUT_SECOND] += form->percent2_alone;
  n[SL_CENSUS_SAME_CLASS] += second == first;
  n[SL_CENSUS_SECOND_ZERO] += percent2 == 0;
  n[SL_CENSUS_SECOND_ABOVE] += percent2 > percent;
  n[SL_CENSUS_FIRST_IMPOSSIBLE] += impossible;
  n[SL_CENSUS_SECOND_IMPOSSIBLE] += impossible2;
  n[SL_CENSUS_EITHER_IMPOSSIBLE] += impossible || impossible2;
  n[SL_CENSUS_SUM_BELOW] += sum < 100;
  n[SL_CENSUS_SUM_EQUAL] += sum == 100;
  n[SL_CENSUS_SUM_ABOVE] += sum > 100;
}

void
sl_jspsych_census_tell (const SlJspsychCensus *census, gint32 n_annotators, gint32 n_items,
                        SlRun *run)
{
  sl_run_note (run, "annotators: %d", n_annotators);
  sl_run_note (run, "items: %d", n_items);
  for (int i = 0; i < SL_CENSUS_N; i++)
    sl_run_note (run, "%s: %" G_GINT64_FORMAT, texts[i], census->n[i]);
}
