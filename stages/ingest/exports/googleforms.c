/* SPDX-License-Identifier: GPL-3.0-or-later */
/* googleforms: the CSV of a form, or of the sheet behind it: a row a respondent, `Timestamp` first,
 * then a column a question, headed by its text. A question is an item; where several are headed the
 * same, the column's position follows, "What is it? #3". The annotator is the column that --column
 * names, an e-mail address or user name if the form asked for one, else the row. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  int annotator;    /* -1: the row */
  GArray *answers;  /* of int: the columns of questions */
  GPtrArray *items; /* of char *: what each of those is called */
} GoogleForms;

static gboolean
find_annotator (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  static const char *const names[] = { "Email Address", "Email", "Username", "E-mail Address" };
  GoogleForms *state = answers->state;
  const char *given = answers->ingest->columns[0];
  state->annotator = -1;
  if (given != NULL)
    return sl_csv_answers_given (answers, csv, "--column annotator", given, &state->annotator,
                                 error);
  for (gsize i = 0; state->annotator < 0 && i < G_N_ELEMENTS (names); i++)
    state->annotator = sl_csv_answers_column (csv, names[i]);
  return TRUE;
}

static gboolean
is_alone (const SlCsvAnswers *csv, int column)
{
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (i != column && strcmp (csv->csv->first[i], csv->csv->first[column]) == 0)
      return FALSE;
  return TRUE;
}

static void
clear (gpointer data)
{
  GoogleForms *state = data;
  g_clear_pointer (&state->answers, g_array_unref);
  g_clear_pointer (&state->items, g_ptr_array_unref);
}

static gboolean
begin (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  GoogleForms *state = answers->state;
  const char *like = answers->ingest->options->columns_like;
  g_autoptr (GPatternSpec) pattern = like != NULL ? g_pattern_spec_new (like) : NULL;
  if (!find_annotator (answers, csv, error))
    return FALSE;
  clear (state);
  state->answers = g_array_new (FALSE, FALSE, sizeof (int));
  state->items = g_ptr_array_new_with_free_func (g_free);
  for (int i = 1; i < csv->csv->n_fields; i++)
    {
      const char *text = csv->csv->first[i];
      if (i == state->annotator || text[0] == '\0' || strcmp (text, "Score") == 0
          || (pattern != NULL && !g_pattern_spec_match_string (pattern, text)))
        continue;
      g_array_append_val (state->answers, i);
      g_ptr_array_add (state->items, is_alone (csv, i) ? g_strdup (text)
                                                       : g_strdup_printf ("%s #%d", text, i + 1));
    }
  if (state->answers->len > 0)
    return TRUE;
  return sl_error_bad_input (error, "%s: there are no columns of questions%s", answers->file,
                             pattern != NULL ? " that --columns fits" : "");
}

static gboolean
take (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const GoogleForms *state = answers->state;
  char row[24];
  SlCell number = { row, (gsize) g_snprintf (row, sizeof row, "%" G_GINT64_FORMAT, answers->row) };
  for (guint i = 0; i < state->answers->len; i++)
    {
      const char *item = state->items->pdata[i];
      SlAnswer answer
          = { .item = { item, strlen (item) },
              .annotator
              = state->annotator >= 0 ? sl_csv_answers_cell (csv, state->annotator) : number,
              .class = sl_csv_answers_cell (csv, g_array_index (state->answers, int, i)),
              .seconds = (double) NAN };
      if (answer.class.n == 0)
        sl_answers_leave_out (answers, "cell empty", NULL);
      else if (!sl_answers_add (answers, &answer, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
begin_file (SlAnswersReader *answers, GError **error)
{
  return answers->path == answers->ingest->files[0] || answers->ingest->columns[0] != NULL
         || sl_error_bad_input (error,
                                "%s: respondents may go by their rows, so there can be one file "
                                "only; --column annotator=NAME says who they are",
                                answers->file);
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .csv = { .begin = begin, .take = take },
  .state_bytes = sizeof (GoogleForms),
  .clear = clear,
  .begin_file = begin_file,
};

const SlIngestFormat sl_ingest_googleforms = { .roles = sl_role_annotator, .answers = &format };
