/* SPDX-License-Identifier: GPL-3.0-or-later */
/* toloka: assignments of Toloka, TSV. The answer is in OUTPUT:Q, the annotator in
 * ASSIGNMENT:worker_id; the item is the only INPUT there is, or the one that --column names, or
 * ASSIGNMENT:task_id. Where GOLDEN:Q is not empty the row is a control task: its gold class, and an
 * attention check. Rows with a hint are training, and left out, as is what was not accepted. Times
 * are those of a page of several tasks, so they are not taken for an answer's. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  int item, annotator, answer, gold, hint, status;
} Toloka;

/* The only input is the item; where there are several it must be said, or be the task's number. */
static gboolean
find_item (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Toloka *state = answers->state;
  const char *given = answers->ingest->columns[0];
  g_autofree char *whole = given != NULL ? g_strconcat ("INPUT:", given, NULL) : NULL;
  if (given != NULL)
    {
      state->item = sl_csv_answers_column (csv, whole);
      return state->item >= 0
             || sl_csv_answers_given (answers, csv, "--column item", given, &state->item, error);
    }
  int n = 0;
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (g_str_has_prefix (csv->csv->first[i], "INPUT:"))
      {
        state->item = i;
        n++;
      }
  if (n != 1)
    state->item = sl_csv_answers_column (csv, "ASSIGNMENT:task_id");
  if (state->item >= 0)
    return TRUE;
  return sl_error_bad_input (
      error, "%s: %s: say which column is the item with --column item=NAME", answers->file,
      n == 0 ? "there is no column INPUT:… or ASSIGNMENT:task_id"
             : "there are several columns INPUT:… and no ASSIGNMENT:task_id");
}

static gboolean
has_confidence (const SlCsv *csv)
{
  for (int i = 0; i < csv->n_fields; i++)
    if (g_str_has_prefix (csv->first[i], "CONFIDENCE:"))
      return TRUE;
  return FALSE;
}

static gboolean
begin (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Toloka *state = answers->state;
  *state = (Toloka){ -1, -1, -1, -1, -1, -1 };
  for (int i = 0; i < csv->csv->n_fields; i++)
    {
      gboolean wanted;
      const char *name = csv->csv->first[i] + strlen ("OUTPUT:");
      if (!g_str_has_prefix (csv->csv->first[i], "OUTPUT:"))
        continue;
      if (!sl_answers_question (answers, (SlCell){ name, strlen (name) }, &wanted, error))
        return FALSE;
      if (!wanted)
        continue;
      g_autofree char *golden = g_strconcat ("GOLDEN:", name, NULL);
      state->answer = i;
      state->gold = sl_csv_answers_column (csv, golden);
    }
  if (sl_csv_answers_column (csv, "ASSIGNMENT:worker_id") < 0 && has_confidence (csv->csv))
    return sl_error_bad_input (error,
                               "%s: is of aggregated results, which do not name who answered: "
                               "download the assignments",
                               answers->file);
  state->hint = sl_csv_answers_column (csv, "HINT:text");
  state->status = sl_csv_answers_column (csv, "ASSIGNMENT:status");
  return (state->answer >= 0
          || sl_csv_answers_needs (answers, csv,
                                   answers->ingest->options->question != NULL
                                       ? answers->ingest->options->question
                                       : "OUTPUT:QUESTION",
                                   &state->answer, error))
         && sl_csv_answers_needs (answers, csv, "ASSIGNMENT:worker_id", &state->annotator, error)
         && find_item (answers, csv, error);
}

/* Whether work of this status is taken. */
static gboolean
is_taken (SlAnswersReader *answers, SlCell status)
{
  static const struct
  {
    const char *status, *why, *keep;
  } out[] = { { "REJECTED", "rejected", "rejected" },
              { "SKIPPED", "skipped", "skipped" },
              { "EXPIRED", "expired", "expired" },
              { "ACTIVE", "not submitted yet", "active" } };
  for (gsize i = 0; i < G_N_ELEMENTS (out); i++)
    if (sl_cell_is (status, out[i].status))
      return sl_answers_leave_out (answers, out[i].why, out[i].keep);
  return TRUE;
}

static gboolean
take (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const Toloka *state = answers->state;
  SlAnswer answer = { .item = sl_csv_answers_cell (csv, state->item),
                      .annotator = sl_csv_answers_cell (csv, state->annotator),
                      .class = sl_csv_answers_cell (csv, state->answer),
                      .gold = sl_csv_answers_cell (csv, state->gold),
                      .seconds = (double) NAN };
  answer.check = answer.gold.n > 0;
  if (!is_taken (answers, sl_csv_answers_cell (csv, state->status)))
    return TRUE;
  if (sl_csv_answers_cell (csv, state->hint).n > 0
      && !sl_answers_leave_out (answers, "training", "training"))
    return TRUE;
  if (answer.class.n > 0)
    return sl_answers_add (answers, &answer, error);
  sl_answers_leave_out (answers, "without an answer", NULL);
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns
  = 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_GOLD | 1u << SL_ANNOTATIONS_CHECK,
  .csv = { .begin = begin, .take = take },
  .state_bytes = sizeof (Toloka),
};

static const char *const statuses[]
    = { "rejected", "skipped", "expired", "active", "training", NULL };

const SlIngestFormat sl_ingest_toloka
    = { .roles = sl_role_item, .statuses = statuses, .answers = &format };
