/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "long.h"
#include "values.h"

typedef struct
{
  SlIngestAnswers *answers;
  SlCoder *coder, *gold_coder; /* of answers, and of gold classes */
  GArray *found, *gold_found;  /* of gint32: for each of their own codes that in classes.found */
  SlPercentCounts percents;
} Piece;

static gpointer
piece_new (gpointer data)
{
  const SlLong *state = data;
  Piece *piece = g_new0 (Piece, 1);
  piece->answers = sl_ingest_answers_new (state->columns);
  const SlClassTexts *texts = &state->source.ingest->class_texts;
  piece->coder = sl_coder_new (state->classes.known, texts);
  piece->gold_coder = sl_coder_new (state->classes.known, texts);
  piece->found = g_array_new (FALSE, FALSE, sizeof (gint32));
  piece->gold_found = g_array_new (FALSE, FALSE, sizeof (gint32));
  return piece;
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  sl_ingest_answers_free (piece->answers);
  sl_coder_free (piece->coder);
  sl_coder_free (piece->gold_coder);
  g_array_unref (piece->found);
  g_array_unref (piece->gold_found);
  g_free (piece);
}

/* All that can be wrong with the rows but their class names; bad rows are marked. */
static void
read_values (const SlLong *state, SlCsvRows *rows, SlIngestAnswers *answers,
             SlPercentCounts *percents)
{
  const SlIngestOptions *options = state->source.ingest->options;
  gboolean trim = state->source.ingest->class_texts.trim;
  SlPercentScale scale = (SlPercentScale) options->percent_scale;
  const int *place = state->place;
  gsize n = answers->n;
  sl_values_check_there (rows, place[SL_LONG_ITEM], "item", trim);
  sl_values_check_there (rows, place[SL_LONG_CLASS], "class", FALSE);
  if (sl_long_has (state, SL_LONG_ANNOTATOR))
    sl_values_check_there (rows, place[SL_LONG_ANNOTATOR], "annotator", trim);
  if (answers->percent != NULL)
    {
      *percents = (SlPercentCounts){ 0 };
      sl_values_percents (rows, place[SL_LONG_PERCENT], "percent", scale, answers->percent + n,
                          percents);
      sl_values_percents (rows, place[SL_LONG_PERCENT2], "second percent", scale,
                          answers->percent2 + n, percents);
    }
  if (answers->seconds != NULL)
    sl_values_numbers (rows, place[SL_LONG_SECONDS], "time", answers->seconds + n);
  if (answers->count != NULL)
    sl_values_integers (rows, place[SL_LONG_COUNT], "count", 1, SL_COUNT_MOST, answers->count + n);
}

static void
read_classes (const SlLong *state, SlCsvRows *rows, Piece *piece)
{
  const int *place = state->place;
  SlIngestAnswers *answers = piece->answers;
  gsize n = answers->n;
  sl_values_classes (rows, place[SL_LONG_CLASS], "class", piece->coder, TRUE, answers->first + n);
  if (answers->second != NULL)
    sl_values_classes (rows, place[SL_LONG_CLASS2], "second class", piece->coder, FALSE,
                       answers->second + n);
  if (answers->gold != NULL)
    sl_values_classes (rows, place[SL_LONG_GOLD], "gold class", piece->gold_coder, FALSE,
                       answers->gold + n);
  if (answers->impossible_end != NULL)
    sl_values_class_lists (rows, place[SL_LONG_IMPOSSIBLE], "impossible class", piece->coder,
                           answers);
}

static void
parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  Piece *piece = data;
  const SlLong *state = user;
  SlIngestAnswers *answers = piece->answers;
  SlPercentCounts percents = { 0 };
  sl_ingest_answers_reserve (answers, rows->n);
  /* A row without the rest must not teach its class: so the classes come last. Values lie at the places of their rows,
   * hence are read again when rows have been dropped. */
  do
    {
      do
        read_values (state, rows, answers, &percents);
      while (sl_csv_rows_drop_bad (rows));
      read_classes (state, rows, piece);
    }
  while (sl_csv_rows_drop_bad (rows));
  sl_percent_counts_add (&piece->percents, &percents);
  if (state->source.ingest->rehearsal)
    return;
  sl_texts_append_spans (&answers->item, answers->n, rows->data,
                         rows->start[state->place[SL_LONG_ITEM]],
                         rows->end[state->place[SL_LONG_ITEM]], rows->n);
  if (sl_long_has (state, SL_LONG_ANNOTATOR))
    sl_texts_append_spans (&answers->annotator, answers->n, rows->data,
                           rows->start[state->place[SL_LONG_ANNOTATOR]],
                           rows->end[state->place[SL_LONG_ANNOTATOR]], rows->n);
  answers->n += rows->n;
}

/* The coder's own codes become those of all pieces. */
static gboolean
merge_classes (SlLong *state, Piece *piece, GError **error)
{
  SlClassSearch *classes = &state->classes;
  gboolean few = sl_class_search_add (classes, piece->coder, piece->found, TRUE)
                 && sl_class_search_add (classes, piece->gold_coder, piece->gold_found, FALSE);
  sl_ingest_answers_recode (piece->answers, (const gint32 *) (gpointer) piece->found->data,
                            (const gint32 *) (gpointer) piece->gold_found->data);
  if (few)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: over %d different answers in column %d: is it the class? (--column class=NAME "
               "says which column is)",
               state->source.csv->name, SL_MAX_CLASSES, state->column[SL_LONG_CLASS] + 1);
  return FALSE;
}

/* The rows wait until the classes are known. */
static gboolean
put_aside (SlLong *state, Piece *piece, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  SlIngestAnswers *answers = g_steal_pointer (&piece->answers);
  piece->answers = sl_ingest_answers_new (state->columns);
  sl_ingest_answers_shrink (answers);
  g_ptr_array_add (state->waiting, answers);
  return sl_run_claim (
      ingest->run, sl_ingest_answers_bytes (answers),
      "the answers of a pipe until all their classes are known (with --classes, or from a "
      "file, none need to wait)",
      error);
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  Piece *piece = *data;
  SlLong *state = user;
  SlIngest *ingest = state->source.ingest;
  sl_ingest_progress (ingest, (gint64) piece->answers->n);
  sl_percent_counts_add (&ingest->percents, &piece->percents);
  piece->percents = (SlPercentCounts){ 0 };
  if (state->classes.known == NULL)
    return merge_classes (state, piece, error)
           && (ingest->rehearsal || put_aside (state, piece, error));
  gboolean ok = sl_ingest_write (ingest, piece->answers, error);
  sl_ingest_answers_clear (piece->answers);
  return ok;
}

const SlCsvHandler sl_long_handler = { piece_new, piece_free, parse, sl_ingest_bad, emit };
