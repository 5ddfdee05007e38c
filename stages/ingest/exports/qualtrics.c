/* SPDX-License-Identifier: GPL-3.0-or-later */
/* qualtrics: CSV or TSV of a survey, a row a respondent and a column a question. Three header rows:
 * the questions' ids, their texts, and {"ImportId": ...}; old exports lack the third. A question is
 * an item; the annotator is ResponseId, or the column that --column names. Previews and unfinished
 * responses are left out; so are columns of timing. The time is the whole survey's, so it is not
 * taken for an answer's. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  int annotator, status, finished;
  GArray *answers; /* of int: the columns of questions */
  int heading;     /* rows of the header that were met, of the first file's first row */
} Qualtrics;

static gboolean
is_about_time (const char *name)
{
  static const char *const ends[]
      = { "_Page Submit", "_First Click", "_Last Click", "_Click Count", "_DO", "_TEXT" };
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (name, ends[i]))
      return TRUE;
  return FALSE;
}

static gboolean
find_annotator (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Qualtrics *state = answers->state;
  const char *given = answers->ingest->columns[0];
  static const char *const names[] = { "ResponseId", "ResponseID", "V1" };
  if (given != NULL)
    return sl_csv_answers_given (answers, csv, "--column annotator", given, &state->annotator,
                                 error);
  state->annotator = -1;
  for (gsize i = 0; state->annotator < 0 && i < G_N_ELEMENTS (names); i++)
    state->annotator = sl_csv_answers_column (csv, names[i]);
  return state->annotator >= 0
         || sl_csv_answers_needs (answers, csv, "ResponseId", &state->annotator, error);
}

static void
clear (gpointer data)
{
  g_clear_pointer (&((Qualtrics *) data)->answers, g_array_unref);
}

static gboolean
begin (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Qualtrics *state = answers->state;
  const char *like = answers->ingest->options->columns_like;
  g_autoptr (GPatternSpec) pattern = g_pattern_spec_new (like != NULL ? like : "Q*");
  state->heading = 1;
  state->status = sl_csv_answers_column (csv, "Status");
  state->finished = sl_csv_answers_column (csv, "Finished");
  if (!find_annotator (answers, csv, error))
    return FALSE;
  clear (state);
  state->answers = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (g_pattern_spec_match_string (pattern, csv->csv->first[i])
        && (like != NULL || !is_about_time (csv->csv->first[i])))
      g_array_append_val (state->answers, i);
  if (state->answers->len > 0)
    return TRUE;
  return sl_error_bad_input (error,
                             "%s: no column fits %s: --columns PATTERN says which are questions",
                             answers->file, like != NULL ? like : "Q*");
}

/* The second row has the questions' texts; the third, in exports that are not old, ids of import.
 */
static gboolean
is_heading (Qualtrics *state, const SlCsvAnswers *csv)
{
  if (state->heading == 1)
    {
      state->heading = 2;
      return TRUE;
    }
  gboolean ids = state->heading == 2
                 && strstr (sl_csv_answers_cell (csv, state->annotator).text, "ImportId") != NULL;
  state->heading = 3;
  return ids;
}

static gboolean
is_one_of (SlCell cell, const char *const *words)
{
  for (; *words != NULL; words++)
    if (cell.n == strlen (*words) && g_ascii_strncasecmp (cell.text, *words, cell.n) == 0)
      return TRUE;
  return FALSE;
}

/* Whether the response is a respondent's, and came to its end. */
static gboolean
is_taken (SlAnswersReader *answers, const SlCsvAnswers *csv)
{
  static const char *const real[] = { "", "0", "IP Address", "Imported", "4", NULL };
  static const char *const whole[] = { "", "1", "true", NULL };
  const Qualtrics *state = answers->state;
  return (is_one_of (sl_csv_answers_cell (csv, state->status), real)
          || sl_answers_leave_out (answers, "preview, test or spam", "preview"))
         && (is_one_of (sl_csv_answers_cell (csv, state->finished), whole)
             || sl_answers_leave_out (answers, "response not finished", "unfinished"));
}

static gboolean
take (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Qualtrics *state = answers->state;
  SlCell annotator = sl_csv_answers_cell (csv, state->annotator);
  if (is_heading (state, csv) || !is_taken (answers, csv))
    return TRUE;
  for (guint i = 0; i < state->answers->len; i++)
    {
      int c = g_array_index (state->answers, int, i);
      const char *name = csv->csv->first[c];
      SlAnswer answer = { .item = { name, strlen (name) },
                          .annotator = annotator,
                          .class = sl_csv_answers_cell (csv, c),
                          .seconds = (double) NAN };
      if (answer.class.n == 0)
        {
          sl_answers_leave_out (answers, "cell empty, not answered or not shown", NULL);
          continue;
        }
      if (sl_cell_is (answer.class, "-99") && answers->ingest->options->missing == NULL)
        return sl_answers_bad (answers, error,
                               "-99 in column '%s' stands for a question that was seen but not "
                               "answered; --na -99 says so",
                               name);
      if (sl_class_texts_missing (&answers->ingest->class_texts, answer.class.text, answer.class.n))
        {
          sl_answers_leave_out (answers, "without an answer", NULL);
          continue;
        }
      if (!sl_answers_add (answers, &answer, error))
        return FALSE;
    }
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .csv = { .begin = begin, .take = take },
  .state_bytes = sizeof (Qualtrics),
  .clear = clear,
};

static const char *const statuses[] = { "preview", "unfinished", NULL };

const SlIngestFormat sl_ingest_qualtrics
    = { .roles = sl_role_annotator, .statuses = statuses, .answers = &format };
