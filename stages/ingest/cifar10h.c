/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cifar10h: cifar10h-raw.csv, the single answers behind CIFAR-10H (Peterson, Battleday, Griffiths & Russakovsky 2019). An item is an
 * image's index in CIFAR-10's test set; attention checks, whose index is -99999, are other images, and go by their file names. */
#include "schemas/annotations.h"
#include "stages/common/column-names.h"
#include "formats.h"
#include "values.h"

#include <math.h>
#include <string.h>

enum
{
  ANNOTATOR,
  TRIAL,
  CHECK,
  GOLD,
  CLASS,
  INDEX,
  FILE_NAME,
  TIME,
  N_ROLES,
};

static const SlColumnRole roles[] = {
  [ANNOTATOR] = { "annotator_id", SL_NAMES ("annotator"), TRUE, NULL },
  [TRIAL] = { "trial_index", SL_NAMES ("trialindex"), TRUE, NULL },
  [CHECK] = { "is_attn_check", SL_NAMES ("isattncheck"), TRUE, NULL },
  [GOLD] = { "true_category", SL_NAMES ("truecategory"), TRUE, NULL },
  [CLASS] = { "chosen_category", SL_NAMES ("chosencategory"), TRUE, NULL },
  [INDEX] = { "cifar10_test_test_idx", SL_NAMES ("cifar10testtestidx"), TRUE, NULL },
  [FILE_NAME] = { "image_filename", SL_NAMES ("imagefilename"), TRUE, NULL },
  [TIME] = { "reaction_time", SL_NAMES ("reactiontime"), TRUE, NULL },
  [N_ROLES] = { 0 },
};

static const char *const cifar10_classes[]
    = { "airplane", "automobile", "bird", "cat",   "deer", "dog",
        "frog",     "horse",      "ship", "truck", NULL };

static const guint32 table_columns = 1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_ANNOTATOR
                                     | 1u << SL_ANNOTATIONS_CLASS | 1u << SL_ANNOTATIONS_GOLD
                                     | 1u << SL_ANNOTATIONS_CHECK | 1u << SL_ANNOTATIONS_TRIAL
                                     | 1u << SL_ANNOTATIONS_SECONDS;

typedef struct
{
  SlIngestCsv source;
  SlIntern *known;
} Cifar;

typedef struct
{
  SlIngestAnswers *answers;
  SlCoder *coder;
} Piece;

static gpointer
piece_new (gpointer data)
{
  const Cifar *state = data;
  Piece *piece = g_new0 (Piece, 1);
  piece->answers = sl_ingest_answers_new (table_columns);
  piece->coder = sl_coder_new (state->known, NULL);
  return piece;
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  sl_ingest_answers_free (piece->answers);
  sl_coder_free (piece->coder);
  g_free (piece);
}

/* The values of row R that are numbers, from row answers->n + R on. */
static void
read_numbers (SlCsvRows *rows, guint32 r, SlIngestAnswers *answers)
{
  gsize row = answers->n + r;
  double check, index, trial, time;
  sl_values_number (rows, CHECK, r, "is_attn_check", &check);
  sl_values_number (rows, INDEX, r, "cifar10_test_test_idx", &index);
  sl_values_number (rows, TRIAL, r, "trial_index", &trial);
  sl_values_number (rows, TIME, r, "reaction_time", &time);
  answers->check[row] = check == 1 || index < 0;
  if (!answers->check[row] && !(index == floor (index) && index < 1e9))
    sl_csv_rows_bad (rows, r, "cifar10_test_test_idx is not an index");
  answers->trial[row] = trial >= 0 && trial <= G_MAXINT32 ? (gint32) trial : -1;
  /* In milliseconds; what is not known is -99999 here too. */
  answers->seconds[row] = time >= 0 ? time / 1000 : (double) NAN;
}

static void
read_values (SlCsvRows *rows, Piece *piece)
{
  SlIngestAnswers *answers = piece->answers;
  sl_values_check_there (rows, ANNOTATOR, "annotator", FALSE);
  sl_values_check_there (rows, CLASS, "class", FALSE);
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n;
      read_numbers (rows, r, answers);
      sl_csv_field (rows, FILE_NAME, r, &n);
      if (answers->check[answers->n + r] && n == 0)
        sl_csv_rows_bad (rows, r, "the file name of an attention check is empty");
    }
  sl_values_classes (rows, CLASS, "class", piece->coder, TRUE, answers->first + answers->n);
  sl_values_classes (rows, GOLD, "true class", piece->coder, FALSE, answers->gold + answers->n);
}

static void
parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  Piece *piece = data;
  SlIngestAnswers *answers = piece->answers;
  sl_ingest_answers_reserve (answers, rows->n);
  do
    read_values (rows, piece);
  while (sl_csv_rows_drop_bad (rows));
  sl_texts_append_spans (&answers->annotator, answers->n, rows->data, rows->start[ANNOTATOR],
                         rows->end[ANNOTATOR], rows->n);
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n, row = answers->n++;
      const char *text = sl_csv_field (rows, answers->check[row] ? FILE_NAME : INDEX, r, &n);
      if (!answers->check[row] && n > 2 && memcmp (text + n - 2, ".0", 2) == 0)
        n -= 2;
      sl_texts_append (&answers->item, row, text, n);
    }
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  Piece *piece = *data;
  Cifar *state = user;
  sl_ingest_progress (state->source.ingest, (gint64) piece->answers->n);
  gboolean ok = sl_ingest_write (state->source.ingest, piece->answers, error);
  sl_ingest_answers_clear (piece->answers);
  return ok;
}

static const SlCsvHandler handler = { piece_new, piece_free, parse, sl_ingest_bad, emit };

static gboolean
read_file (Cifar *state, const char *path, GError **error)
{
  int column[N_ROLES];
  g_autoptr (SlCsv) csv = sl_ingest_open (state->source.ingest, path, error);
  state->source.csv = csv;
  return csv != NULL
         && sl_columns_find (csv, roles, state->source.ingest->columns, SL_HEADER_YES, column,
                             error)
         && sl_ingest_each (&state->source, column, N_ROLES, &handler, error);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  Cifar state = { .source = { ingest, NULL } };
  if (ingest->classes == NULL)
    ingest->classes = g_strdupv ((char **) cifar10_classes);
  state.known = sl_classes_intern (ingest->classes);
  gboolean ok = sl_ingest_start (ingest, &sl_annotations, table_columns, error);
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    ok = read_file (&state, ingest->files[i], error);
  sl_intern_free (state.known);
  return ok;
}

const SlIngestFormat sl_ingest_cifar10h = {
  .kind = &sl_annotations,
  .roles = roles,
  .uses = SL_NAMES ("column"),
  .run = run,
};
