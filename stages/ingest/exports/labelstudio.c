/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labelstudio: Label Studio's exports JSON (an array of tasks, or a task a file) and JSON_MIN (an
 * array of annotations, flat).
 *
 * In JSON an annotation holds results; an answer is the one of type "choices" with the question's
 * name in `from_name`. What was cancelled, and what has no choice, is no vote; an annotation marked
 * as ground truth tells the gold class. In JSON_MIN the answer is a member by the question's name.
 * CSV has the same rows. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  int item, annotator, answer, seconds; /* columns of CSV; -1: not there */
} LabelStudio;

/* The task's id, or the part of its data that --column names. */
static SlCell
item_of (const SlAnswersReader *answers, SlJson task, char room[SL_JSON_ROOM])
{
  const char *key = answers->ingest->columns[0];
  if (key == NULL)
    key = "id";
  SlJson value = answers->ingest->columns[0] != NULL
                     ? sl_json_find (sl_json_get (task, "data"), key)
                     : (SlJson){ 0 };
  return sl_json_scalar (sl_json_type (value) != SL_JSON_ABSENT ? value : sl_json_find (task, key),
                         room);
}

/* A number, an e-mail address, or an object that has both. */
static SlCell
annotator_of (SlJson value, char room[SL_JSON_ROOM])
{
  if (sl_json_type (value) != SL_JSON_OBJECT)
    return sl_json_scalar (value, room);
  SlCell email = sl_json_text (sl_json_get (value, "email"));
  return email.n > 0 ? email : sl_json_scalar (sl_json_get (value, "id"), room);
}

typedef enum
{
  NONE,  /* no answer */
  OTHER, /* something, and no choice */
  ONE,
  BAD, /* and the record is done with */
  FAILED,
} Found;

static Found
refuse (SlAnswersReader *answers, GError **error, const char *why)
{
  return sl_answers_bad (answers, error, "%s", why) ? BAD : FAILED;
}

/* The one choice of a list of them. */
static Found
choice_of (SlAnswersReader *answers, SlJson choices, SlCell *class, GError **error)
{
  gsize n = sl_json_length (choices);
  if (answers->ingest->options->multi_label != NULL)
    {
      answers->set = choices;
      return ONE;
    }
  if (n > 1)
    {
      g_autofree char *why
          = g_strdup_printf ("an annotation has %" G_GSIZE_FORMAT " choices; a vote is for one", n);
      return refuse (answers, error, why);
    }
  SlJsonEach each = sl_json_each (choices);
  if (!sl_json_each_next (&each))
    return NONE;
  *class = sl_json_text (each.value);
  return class->text != NULL ? ONE : refuse (answers, error, "a choice is not a text");
}

/* Whether RESULT is a choice, or, where it is asked for by name, a rating: which *VALUE becomes. */
static gboolean
is_answer (const SlAnswersReader *answers, SlJson result, SlJson *value)
{
  const char *question = answers->ingest->options->question;
  SlCell type = sl_json_text (sl_json_get (result, "type"));
  gboolean rating = sl_cell_is (type, "rating") && question != NULL
                    && sl_cell_is (sl_json_text (sl_json_get (result, "from_name")), question);
  *value = sl_json_get (sl_json_get (result, "value"), rating ? "rating" : "choices");
  return rating || sl_cell_is (type, "choices");
}

/* Whether VALUE, of a choice, is about a part of the item: it then says which. */
static gboolean
is_of_region (SlJson value)
{
  static const char *const parts[] = { "start", "end", "x", "points", "startOffset", "sequence" };
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (sl_json_type (sl_json_get (value, parts[i])) != SL_JSON_ABSENT)
      return TRUE;
  return FALSE;
}

/* The answer to the question among the results of an annotation; its text may be in ROOM. */
static Found
find_choice (SlAnswersReader *answers, SlJson annotation, SlCell *class, char room[SL_JSON_ROOM],
             GError **error)
{
  Found found = NONE;
  for (SlJsonEach each = sl_json_each (sl_json_get (annotation, "result"));
       sl_json_each_next (&each);)
    {
      gboolean wanted;
      SlCell name = sl_json_text (sl_json_get (each.value, "from_name"));
      SlCell one;
      SlJson value;
      if (!is_answer (answers, each.value, &value))
        {
          found = found == NONE ? OTHER : found;
          continue;
        }
      if (name.text == NULL)
        return refuse (answers, error, "a choice has no text `from_name`, the question's name");
      if (!sl_answers_question (answers, name, &wanted, error))
        return FAILED;
      if (!wanted)
        continue;
      if (is_of_region (sl_json_get (each.value, "value")))
        return refuse (answers, error, "a choice is about a region of the item, not all of it");
      Found here = ONE;
      if (sl_json_type (value) == SL_JSON_NUMBER)
        one = sl_json_scalar (value, room);
      else
        here = choice_of (answers, value, &one, error);
      if (here == BAD || here == FAILED)
        return here;
      if (here == ONE && found == ONE)
        return refuse (answers, error, "an annotation answers the question twice, as in regions");
      if (here == ONE)
        *class = one;
      found = here == ONE ? ONE : found;
    }
  return found;
}

static gboolean
is_cancelled (SlJson annotation)
{
  return sl_json_is_true (sl_json_get (annotation, "was_cancelled"))
         || sl_json_is_true (sl_json_get (annotation, "skipped"));
}

static gboolean
is_gold (const SlAnswersReader *answers, SlJson annotation)
{
  return sl_json_is_true (sl_json_get (annotation, "ground_truth"));
}

/* An annotation that is a vote becomes a row. */
static gboolean
take_annotation (SlAnswersReader *answers, SlJson annotation, SlAnswer *answer, GError **error)
{
  char room[SL_JSON_ROOM], rating[SL_JSON_ROOM];
  if (sl_json_type (annotation) != SL_JSON_OBJECT)
    {
      sl_answers_leave_out (answers, "annotation given by its number alone", NULL);
      return TRUE;
    }
  if (is_cancelled (annotation) && !sl_answers_leave_out (answers, "cancelled", "cancelled"))
    return TRUE;
  if (is_gold (answers, annotation) && !sl_answers_leave_out (answers, "ground truth", "gold"))
    return TRUE;
  Found found = find_choice (answers, annotation, &answer->class, rating, error);
  if (found == NONE || found == OTHER)
    sl_answers_leave_out (
        answers, found == NONE ? "without an answer" : "without a choice, as boxes and ratings are",
        NULL);
  if (found != ONE)
    return found != FAILED;
  answer->annotator = sl_answers_annotator (
      answers, annotator_of (sl_json_get (annotation, "completed_by"), room));
  answer->seconds = sl_json_number (sl_json_get (annotation, "lead_time"));
  answers->answer_value = annotation;
  return sl_answers_add (answers, answer, error);
}

static gboolean
take_task (SlAnswersReader *answers, SlJson task, SlJson annotations, GError **error)
{
  char room[SL_JSON_ROOM], rating[SL_JSON_ROOM];
  SlAnswer answer = { .item = item_of (answers, task, room), .seconds = (double) NAN };
  for (SlJsonEach each = sl_json_each (annotations); sl_json_each_next (&each);)
    if (is_gold (answers, each.value) && !is_cancelled (each.value)
        && answers->ingest->options->multi_label == NULL)
      {
        Found found = find_choice (answers, each.value, &answer.gold, rating, error);
        if (found == BAD || found == FAILED)
          return found == BAD;
      }
  for (SlJsonEach each = sl_json_each (annotations); sl_json_each_next (&each);)
    if (!take_annotation (answers, each.value, &answer, error))
      return FALSE;
  return TRUE;
}

/* An annotation of JSON_MIN: the question is whichever member --question names. */
static gboolean
take_flat (SlAnswersReader *answers, SlJson record, GError **error)
{
  char item[SL_JSON_ROOM], who[SL_JSON_ROOM];
  const char *question = answers->ingest->options->question;
  SlAnswer answer = { .item = item_of (answers, record, item) };
  if (question == NULL)
    return sl_error_bad_input (error,
                               "%s: JSON_MIN does not tell the answer from the data: say with "
                               "--question NAME which member it is",
                               answers->file);
  SlJson value = sl_json_get (record, question);
  SlJson choices = sl_json_get (value, "choices");
  Found found = ONE;
  if (sl_json_type (choices) == SL_JSON_ARRAY || sl_json_type (value) == SL_JSON_ARRAY)
    found = choice_of (answers, sl_json_type (choices) == SL_JSON_ARRAY ? choices : value,
                       &answer.class, error);
  else
    answer.class = sl_json_text (value);
  if (found == NONE || (found == ONE && answer.class.n == 0))
    {
      sl_answers_leave_out (answers, "without an answer", NULL);
      return TRUE;
    }
  if (found != ONE)
    return found == BAD;
  answer.annotator
      = sl_answers_annotator (answers, annotator_of (sl_json_get (record, "annotator"), who));
  answer.seconds = sl_json_number (sl_json_get (record, "lead_time"));
  return sl_answers_add (answers, &answer, error);
}

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  SlJson task = record->value, annotations = sl_json_get (task, "annotations");
  if (sl_json_type (annotations) == SL_JSON_ABSENT)
    annotations = sl_json_get (task, "completions");
  if (sl_json_type (annotations) == SL_JSON_ARRAY)
    return take_task (answers, task, annotations, error);
  if (sl_json_type (sl_json_get (task, "annotation_id")) != SL_JSON_ABSENT
      || sl_json_type (sl_json_get (task, "annotator")) != SL_JSON_ABSENT)
    return take_flat (answers, task, error);
  return sl_answers_bad (answers, error,
                         "not a task of Label Studio: it has no array `annotations`");
}

/* The CSV has the rows of JSON_MIN, none that was cancelled. Several choices are JSON text in their
 * field. */
static gboolean
begin_csv (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  LabelStudio *state = answers->state;
  const SlIngestOptions *options = answers->ingest->options;
  const char *item = answers->ingest->columns[0];
  if (options->question == NULL)
    return sl_error_bad_input (error,
                               "%s: the CSV does not tell the answer from the data: say with "
                               "--question NAME which column it is",
                               answers->file);
  state->seconds = sl_csv_answers_column (csv, "lead_time");
  state->annotator = sl_csv_answers_column (csv, "annotator");
  if (state->annotator < 0 && options->annotator == NULL)
    return sl_csv_answers_needs (answers, csv, "annotator", &state->annotator, error);
  return sl_csv_answers_given (answers, csv, "--question", options->question, &state->answer, error)
         && sl_csv_answers_given (answers, csv, "--column item", item != NULL ? item : "id",
                                  &state->item, error);
}

static gboolean
take_csv (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const LabelStudio *state = answers->state;
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

static const SlAnswersFormat format = {
  .columns
  = 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_GOLD | 1u << SL_ANNOTATIONS_SECONDS,
  .json = take,
  .csv = { .begin = begin_csv, .take = take_csv },
  .state_bytes = sizeof (LabelStudio),
};

static const char *const statuses[] = { "cancelled", "gold", NULL };

const SlIngestFormat sl_ingest_labelstudio
    = { .roles = sl_role_item, .statuses = statuses, .answers = &format };
