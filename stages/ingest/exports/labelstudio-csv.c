/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Label Studio's CSV: one annotation a row, none that was cancelled. Several choices are JSON text
 * in their field. */
#include "labelstudio.h"

#include "stages/ingest/readers/csv-answers.h"

static gboolean
begin (SlAnswers *answers, SlCsvAnswers *csv, GError **error)
{
  SlLabelStudio *state = answers->state;
  const SlIngestOptions *options = answers->ingest->options;
  const char *item = answers->ingest->columns[0];
  if (options->question == NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: the CSV does not tell the answer from the data: say with --question NAME "
                   "which column it is",
                   answers->file);
      return FALSE;
    }
  state->seconds = sl_csv_answers_column (csv, "lead_time");
  state->annotator = sl_csv_answers_column (csv, "annotator");
  if (state->annotator < 0 && options->annotator == NULL)
    return sl_csv_answers_needs (answers, csv, "annotator", &state->annotator, error);
  return sl_csv_answers_given (answers, csv, "--question", options->question, &state->answer, error)
         && sl_csv_answers_given (answers, csv, "--column item", item != NULL ? item : "id",
                                  &state->item, error);
}

static gboolean
take (SlAnswers *answers, SlCsvAnswers *csv, GError **error)
{
  const SlLabelStudio *state = answers->state;
  SlCell class = sl_csv_answers_cell (csv, state->answer);
  SlCell annotator = sl_csv_answers_cell (csv, state->annotator);
  if (class.n == 0)
    {
      sl_answers_leave_out (answers, "without an answer", NULL);
      return TRUE;
    }
  if (class.text[0] == '{' || class.text[0] == '[')
    return sl_answers_bad (answers, error, "an annotation has several choices; a vote is for one");
  SlAnswer answer = { .item = sl_csv_answers_cell (csv, state->item),
                      .annotator = sl_answers_annotator (answers, annotator),
                      .class = class,
                      .seconds = sl_csv_answers_number (csv, state->seconds) };
  return sl_answers_add (answers, &answer, error);
}

gboolean
sl_labelstudio_read_csv (SlAnswers *answers, SlSource *source, GError **error)
{
  static const SlCsvTake how = { .begin = begin, .take = take };
  return sl_csv_answers_read (answers, source, &how, NULL, error);
}
