/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials of any jsPsych survey, versions 6 to 8, CSV or JSON. The answer is in `response`: a class,
 * or one for each question, as {question: class} or [{"name": question, "value": class}]; up to 6.2
 * that is JSON in a text, also called `responses`. Which trials are answers --trial-type says;
 * without it, those that answer the question. A trial that ran out of time has none. */
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/readers/answers.h"
#include "jspsych.h"

static const SlColumnRole item_role = { "item", SL_NAMES (SL_ITEM_NAMES), FALSE, NULL };
static const SlColumnRole annotator_role
    = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES, "prolificp", "run"), FALSE, NULL };

typedef struct
{
  int type, response, item, annotator, seconds; /* columns of CSV; -1: not there */
} Trials;

/* An answer to one question. */
static gboolean
take_value (SlAnswersReader *answers, SlJson value, SlAnswer *answer, GError **error)
{
  char room[SL_JSON_ROOM];
  answer->class = sl_json_scalar (value, room);
  if (sl_json_type (value) == SL_JSON_NULL || (answer->class.text != NULL && answer->class.n == 0))
    return sl_answers_pass (answers, "without an answer");
  if (answer->class.text == NULL)
    return sl_answers_bad (answers, error, "the answer is a list or an object, and no class");
  return sl_answers_add (answers, answer, error);
}

/* The answers to several questions, of which one is wanted. */
static gboolean
take_questions (SlAnswersReader *answers, SlJson response, SlAnswer *answer, GError **error)
{
  gboolean named = sl_json_type (response) == SL_JSON_ARRAY, any = FALSE;
  for (SlJsonEach each = sl_json_each (response); sl_json_each_next (&each);)
    {
      gboolean wanted;
      SlCell name = named ? sl_json_text (sl_json_get (each.value, "name")) : each.key;
      if (name.text == NULL)
        return sl_answers_bad (answers, error, "the answer is a list, and no class");
      if (!sl_answers_question (answers, name, &wanted, error))
        return FALSE;
      any = any || wanted;
      if (wanted
          && !take_value (answers, named ? sl_json_get (each.value, "value") : each.value, answer,
                          error))
        return FALSE;
    }
  return any || answers->ingest->options->trial_type == NULL
         || sl_answers_pass (answers, "without an answer");
}

/* RESPONSE: the whole of it; TEXT: where that is one. */
static gboolean
take_response (SlAnswersReader *answers, SlJson response, SlCell text, SlAnswer *answer,
               GError **error)
{
  if (text.n > 0 && (text.text[0] == '{' || text.text[0] == '['))
    {
      SlJson inside;
      if (sl_json_parse_cell (answers->parser, text, &inside) == NULL)
        response = inside;
    }
  if (sl_json_type (response) == SL_JSON_OBJECT || sl_json_type (response) == SL_JSON_ARRAY)
    return take_questions (answers, response, answer, error);
  if (answers->ingest->options->question != NULL && answers->ingest->options->trial_type == NULL)
    return TRUE;
  if (text.n == 0 || sl_cell_is (text, "null"))
    return sl_answers_pass (answers, "without an answer");
  answer->class = text;
  return sl_answers_add (answers, answer, error);
}

static gboolean
is_wanted (const SlAnswersReader *answers, SlCell type)
{
  const char *given = answers->ingest->options->trial_type;
  return given == NULL || sl_cell_is (type, given);
}

/* A member of a trial that has a role: what --column names, or the first of a common name. */
static SlCell
member_of (SlJson trial, const char *given, const SlColumnRole *role, char room[SL_JSON_ROOM])
{
  if (given != NULL)
    return sl_json_scalar (sl_json_find (trial, given), room);
  for (SlJsonEach each = sl_json_each (trial); sl_json_each_next (&each);)
    {
      g_autofree char *name = g_strndup (each.key.text, each.key.n);
      if (sl_role_matches (role, name))
        return sl_json_scalar (each.value, room);
    }
  return (SlCell){ NULL, 0 };
}

static gboolean
take_json (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  char item[SL_JSON_ROOM], who[SL_JSON_ROOM], room[SL_JSON_ROOM];
  char *const *given = answers->ingest->columns;
  SlJson trial = record->value, response = sl_json_get (trial, "response");
  if (!is_wanted (answers, sl_json_text (sl_json_get (trial, "trial_type"))))
    return TRUE;
  if (sl_json_type (response) == SL_JSON_ABSENT)
    response = sl_json_get (trial, "responses");
  SlAnswer answer = {
    .item = member_of (trial, given[SL_JSPSYCH_ITEM], &item_role, item),
    .annotator = sl_answers_annotator (
        answers, member_of (trial, given[SL_JSPSYCH_ANNOTATOR], &annotator_role, who)),
    .seconds = sl_json_number (sl_json_get (trial, "rt")) / 1000,
  };
  return take_response (answers, response, sl_json_scalar (response, room), &answer, error);
}

/* The column of a role; -1 where there is none. */
static gboolean
find_column (SlAnswersReader *answers, SlCsvAnswers *csv, const SlColumnRole *role,
             const char *given, int *column, GError **error)
{
  *column = -1;
  if (given != NULL)
    {
      g_autofree char *option = g_strconcat ("--column ", role->role, NULL);
      return sl_csv_answers_given (answers, csv, option, given, column, error);
    }
  for (int i = csv->csv->n_fields - 1; i >= 0; i--)
    if (sl_role_matches (role, csv->csv->first[i]))
      *column = i;
  return TRUE;
}

static gboolean
begin_csv (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Trials *state = answers->state;
  char *const *given = answers->ingest->columns;
  state->seconds = sl_csv_answers_column (csv, "rt");
  state->response = sl_csv_answers_column (csv, "response");
  if (state->response < 0)
    state->response = sl_csv_answers_column (csv, "responses");
  return (state->response >= 0
          || sl_csv_answers_needs (answers, csv, "response", &state->response, error))
         && sl_csv_answers_needs (answers, csv, "trial_type", &state->type, error)
         && find_column (answers, csv, &item_role, given[SL_JSPSYCH_ITEM], &state->item, error)
         && find_column (answers, csv, &annotator_role, given[SL_JSPSYCH_ANNOTATOR],
                         &state->annotator, error);
}

static gboolean
take_csv (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const Trials *state = answers->state;
  if (!is_wanted (answers, sl_csv_answers_cell (csv, state->type)))
    return TRUE;
  SlAnswer answer
      = { .item = sl_csv_answers_cell (csv, state->item),
          .annotator = sl_answers_annotator (answers, sl_csv_answers_cell (csv, state->annotator)),
          .seconds = sl_csv_answers_number (csv, state->seconds) / 1000 };
  return take_response (answers, (SlJson){ 0 }, sl_csv_answers_cell (csv, state->response), &answer,
                        error);
}

gboolean
sl_jspsych_run_trials (SlIngest *ingest, GError **error)
{
  static const SlAnswersFormat format = {
    .columns = 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_SECONDS,
    .json = take_json,
    .csv = { .begin = begin_csv, .take = take_csv },
    .state_bytes = sizeof (Trials),
  };
  return sl_answers_run (ingest, &format, error);
}
