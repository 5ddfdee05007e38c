/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cifar10h: cifar10h-raw.csv, the single answers behind CIFAR-10H (Peterson, Battleday, Griffiths & Russakovsky 2019). An item is an
 * image's index in CIFAR-10's test set; attention checks, whose index is -99999, are other images, and go by their file names. */
#include "ingest.h"
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

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const SlColumnRole roles[] = {
  [ANNOTATOR] = { "annotator_id", NAMES ("annotator"), TRUE },
  [TRIAL] = { "trial_index", NAMES ("trialindex"), TRUE },
  [CHECK] = { "is_attn_check", NAMES ("isattncheck"), TRUE },
  [GOLD] = { "true_category", NAMES ("truecategory"), TRUE },
  [CLASS] = { "chosen_category", NAMES ("chosencategory"), TRUE },
  [INDEX] = { "cifar10_test_test_idx", NAMES ("cifar10testtestidx"), TRUE },
  [FILE_NAME] = { "image_filename", NAMES ("imagefilename"), TRUE },
  [TIME] = { "reaction_time", NAMES ("reactiontime"), TRUE },
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
  char **given; /* by --column */
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
  piece->coder = sl_coder_new (state->known);
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
  sl_values_check_there (rows, ANNOTATOR, "annotator");
  sl_values_check_there (rows, CLASS, "class");
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n;
      read_numbers (rows, r, answers);
      sl_csv_field (rows, FILE_NAME, r, &n);
      if (answers->check[answers->n + r] && n == 0)
        sl_csv_rows_bad (rows, r, "the file name of an attention check is empty");
    }
  sl_values_classes (rows, CLASS, "class", piece->coder, answers->first + answers->n);
  sl_values_classes (rows, GOLD, "true class", piece->coder, answers->gold + answers->n);
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
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  state->source.csv = csv;
  return csv != NULL && sl_columns_find (csv, roles, state->given, SL_HEADER_YES, column, error)
         && sl_ingest_each (&state->source, column, N_ROLES, &handler, error);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  Cifar state = { .source = { ingest, NULL } };
  if (ingest->classes == NULL)
    ingest->classes = g_strdupv ((char **) cifar10_classes);
  state.known = sl_classes_intern (ingest->classes);
  state.given = sl_columns_parse (roles, ingest->options->columns, error);
  gboolean ok = state.given != NULL && sl_ingest_start (ingest, table_columns, error);
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    ok = read_file (&state, ingest->files[i], error);
  sl_intern_free (state.known);
  sl_columns_free (state.given, roles);
  return ok;
}

const SlIngestFormat sl_ingest_cifar10h = {
  .roles = roles,
  .uses = NAMES ("column"),
  .run = run,
};
