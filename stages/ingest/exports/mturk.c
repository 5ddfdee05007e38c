/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mturk: batch results of Amazon Mechanical Turk, CSV. The item is HITId, or the Input that
 * --column names. The answer to a question Q is in the column Answer.Q or Answer.Q.label; or the
 * one of Answer.Q.VALUE that is true; or in Answer.taskAnswers, JSON. The last columns, Approve and
 * Reject, need not be there. Rejected work is left out. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#define TASK_ANSWERS "Answer.taskAnswers"

enum
{
  ITEM,
  GOLD,
};

static const SlColumnRole roles[] = {
  [ITEM] = { "item", (const char *const[]){ "item", NULL }, FALSE, NULL },
  [GOLD] = { "gold", (const char *const[]){ "gold", NULL }, FALSE, NULL },
  { 0 },
};

typedef struct
{
  int item, annotator, gold, seconds, status, rejected;
  int answer;     /* the column of the class; -1: that is the name of one of `ticks` */
  GArray *ticks;  /* of int: columns Answer.Q.VALUE */
  gsize value_at; /* where VALUE begins in their names */
  gboolean json;
} Mturk;

/* The column NAME, with PREFIX before it or without. */
static gboolean
find_with_prefix (SlAnswersReader *answers, SlCsvAnswers *csv, const char *option,
                  const char *prefix, const char *name, int *column, GError **error)
{
  g_autofree char *whole = g_strconcat (prefix, name, NULL);
  *column = sl_csv_answers_column (csv, whole);
  return *column >= 0 || sl_csv_answers_given (answers, csv, option, name, column, error);
}

/* The question's part of a header Answer.Q or Answer.Q.VALUE. */
static SlCell
question_of (const char *header)
{
  const char *name = header + strlen ("Answer.");
  const char *dot = strchr (name, '.');
  return (SlCell){ name, dot != NULL ? (gsize) (dot - name) : strlen (name) };
}

static void
clear (gpointer data)
{
  g_clear_pointer (&((Mturk *) data)->ticks, g_array_unref);
}

/* The columns of the question that is meant. */
static gboolean
find_answer (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Mturk *state = answers->state;
  char **header = csv->csv->first;
  state->answer = -1;
  clear (state);
  state->ticks = g_array_new (FALSE, FALSE, sizeof (int));
  state->json = sl_csv_answers_column (csv, TASK_ANSWERS) >= 0;
  if (state->json)
    return sl_csv_answers_needs (answers, csv, TASK_ANSWERS, &state->answer, error);
  for (int i = 0; i < csv->csv->n_fields; i++)
    {
      gboolean wanted;
      if (!g_str_has_prefix (header[i], "Answer."))
        continue;
      SlCell question = question_of (header[i]);
      if (!sl_answers_question (answers, question, &wanted, error))
        return FALSE;
      if (!wanted)
        continue;
      const char *value = question.text + question.n;
      if (value[0] == '\0' || strcmp (value, ".label") == 0)
        state->answer = i;
      else
        g_array_append_val (state->ticks, i);
      state->value_at = strlen ("Answer.") + question.n + 1;
    }
  return state->answer >= 0 || state->ticks->len > 0
         || sl_csv_answers_needs (answers, csv,
                                  answers->ingest->options->question != NULL
                                      ? answers->ingest->options->question
                                      : "Answer.QUESTION",
                                  &state->answer, error);
}

static gboolean
begin (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Mturk *state = answers->state;
  char *const *given = answers->ingest->columns;
  state->seconds = sl_csv_answers_column (csv, "WorkTimeInSeconds");
  state->status = sl_csv_answers_column (csv, "AssignmentStatus");
  state->rejected = sl_csv_answers_column (csv, "RejectionTime");
  state->gold = -1;
  return sl_csv_answers_needs (answers, csv, "WorkerId", &state->annotator, error)
         && (given[ITEM] == NULL ? sl_csv_answers_needs (answers, csv, "HITId", &state->item, error)
                                 : find_with_prefix (answers, csv, "--column item", "Input.",
                                                     given[ITEM], &state->item, error))
         && (given[GOLD] == NULL
             || find_with_prefix (answers, csv, "--column gold", "Input.", given[GOLD],
                                  &state->gold, error))
         && find_answer (answers, csv, error);
}

static gboolean
is_true (SlCell cell)
{
  return cell.n == 4 && g_ascii_strncasecmp (cell.text, "true", 4) == 0;
}

/* The value whose box is ticked; *N are. */
static SlCell
ticked (const Mturk *state, const SlCsvAnswers *csv, guint *n)
{
  SlCell class = { "", 0 };
  *n = 0;
  for (guint i = 0; i < state->ticks->len; i++)
    {
      int c = g_array_index (state->ticks, int, i);
      if (!is_true (sl_csv_answers_cell (csv, c)))
        continue;
      const char *value = csv->csv->first[c] + state->value_at;
      class = (SlCell){ value, strlen (value) };
      ++*n;
    }
  return class;
}

/* From taskAnswers, an array of one object. */
static gboolean
find_in_json (SlAnswersReader *answers, SlCell text, SlCell *class, guint *n,
              char room[SL_JSON_ROOM], const char **wrong, GError **error)
{
  SlJson value;
  *n = 0;
  *wrong = sl_json_parse_cell (answers->parser, text, &value);
  if (*wrong != NULL)
    return TRUE;
  SlJsonEach element = sl_json_each (value);
  if (sl_json_type (value) == SL_JSON_ARRAY)
    value = sl_json_each_next (&element) ? element.value : (SlJson){ 0 };
  *wrong = sl_form_wrong (value);
  if (*wrong != NULL)
    return TRUE;
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
    {
      gboolean wanted;
      if (!sl_answers_question (answers, each.key, &wanted, error))
        return FALSE;
      if (wanted)
        *class = sl_form_class (each.value, n, room);
    }
  return TRUE;
}

static gboolean
is_rejected (const Mturk *state, const SlCsvAnswers *csv)
{
  return sl_cell_is (sl_csv_answers_cell (csv, state->status), "Rejected")
         || sl_csv_answers_cell (csv, state->rejected).n > 0;
}

static gboolean
take (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const Mturk *state = answers->state;
  char room[SL_JSON_ROOM];
  guint n = 1;
  const char *wrong = NULL;
  SlAnswer answer = { .item = sl_csv_answers_cell (csv, state->item),
                      .annotator = sl_csv_answers_cell (csv, state->annotator),
                      .class = sl_csv_answers_cell (csv, state->answer),
                      .gold = sl_csv_answers_cell (csv, state->gold),
                      .seconds = sl_csv_answers_number (csv, state->seconds) };
  if (is_rejected (state, csv) && !sl_answers_leave_out (answers, "rejected", "rejected"))
    return TRUE;
  if (state->json && !find_in_json (answers, answer.class, &answer.class, &n, room, &wrong, error))
    return FALSE;
  if (wrong != NULL)
    return sl_answers_bad (answers, error, TASK_ANSWERS ": %s", wrong);
  if (state->answer < 0)
    answer.class = ticked (state, csv, &n);
  if (n > 1)
    return sl_answers_bad (answers, error, "%u boxes are ticked; a vote is for one", n);
  if (n == 0 || answer.class.n == 0)
    {
      sl_answers_leave_out (answers, "without an answer", NULL);
      return TRUE;
    }
  return sl_answers_add (answers, &answer, error);
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_SECONDS,
  .csv = { .may_lack = 2, .begin = begin, .take = take },
  .state_bytes = sizeof (Mturk),
  .clear = clear,
};

static const char *const statuses[] = { "rejected", NULL };

const SlIngestFormat sl_ingest_mturk = { .roles = roles, .statuses = statuses, .answers = &format };
