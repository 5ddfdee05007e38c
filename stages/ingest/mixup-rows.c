/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mixup-rows.h"

#include "pipeline/base/shown-text.h"
#include "values.h"

#include <math.h>
#include <string.h>

#define N_TEXTS (SL_MIXTURES_SECOND + 1)
#define N_SHARES (SL_MIXUP_N_ROLES - SL_MIXTURES_LAMBDA)

typedef struct
{
  SlMixupRows *rows;
  SlCoder *coder;
  GArray *found; /* of gint32: the code in `found` for each of the coder's own */
} Piece;

static gpointer
piece_new (gpointer data)
{
  const SlMixupFile *state = data;
  Piece *piece = g_new0 (Piece, 1);
  piece->rows = g_new0 (SlMixupRows, 1);
  piece->coder = sl_coder_new (state->classes.known, &state->source.ingest->class_texts);
  piece->found = g_array_new (FALSE, FALSE, sizeof (gint32));
  return piece;
}

void
sl_mixup_rows_free (SlMixupRows *rows)
{
  for (int t = 0; t < N_TEXTS; t++)
    {
      g_free (rows->text[t].offset);
      g_free (rows->text[t].data);
    }
  for (int s = 0; s < N_SHARES; s++)
    g_free (rows->share[s]);
  g_free (rows->codes[0]);
  g_free (rows->codes[1]);
  g_free (rows);
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  sl_mixup_rows_free (piece->rows);
  sl_coder_free (piece->coder);
  g_array_unref (piece->found);
  g_free (piece);
}

/* Room for the N rows of another block. */
static void
reserve (const SlMixupFile *state, SlMixupRows *rows, gsize n)
{
  if (rows->n + n <= rows->room)
    return;
  rows->room = MAX (rows->n + n, rows->room * 3 / 2);
  for (int t = 0; t < N_TEXTS; t++)
    if (state->place[t] >= 0)
      {
        rows->text[t].offset = g_renew (gint32, rows->text[t].offset, rows->room + 1);
        rows->text[t].offset[0] = 0;
      }
  for (int s = 0; s < N_SHARES; s++)
    if (state->place[SL_MIXTURES_LAMBDA + s] >= 0)
      rows->share[s] = g_renew (double, rows->share[s], rows->room);
  for (int c = 0; c < 2; c++)
    rows->codes[c] = g_renew (gint32, rows->codes[c], rows->room);
}

/* Whether all shares are what a share can be, and those that must be there are. */
static void
read_shares (const SlMixupFile *state, SlCsvRows *csv, SlMixupRows *rows)
{
  static const char *const names[N_SHARES] = { "lambda", "human share", "confidence" };
  for (int s = 0; s < N_SHARES; s++)
    {
      int place = state->place[SL_MIXTURES_LAMBDA + s];
      if (place < 0)
        continue;
      double *share = rows->share[s] + rows->n;
      sl_values_numbers (csv, place, names[s], share);
      for (guint32 r = 0; r < csv->n; r++)
        if (share[r] < 0 || share[r] > 1)
          sl_csv_rows_bad (csv, r, "%s is %.9g; it lies between 0 and 1", names[s], share[r]);
        else if (isnan (share[r]) && s + SL_MIXTURES_LAMBDA != SL_MIXTURES_CONFIDENCE)
          sl_csv_rows_bad (csv, r, "%s is missing", names[s]);
    }
}

/* Texts that must be there, and two classes that differ. */
static void
check_texts (const SlMixupFile *state, SlCsvRows *csv)
{
  static const char *const names[]
      = { "item", "annotator", "first item", "second item", "first class", "second class" };
  for (gsize t = 0; t < G_N_ELEMENTS (names); t++)
    if (state->place[t] >= 0)
      sl_values_check_there (csv, state->place[t], names[t],
                             state->source.ingest->class_texts.trim);
  for (guint32 r = 0; r < csv->n; r++)
    {
      gsize n, n_other;
      const char *first = sl_csv_field (csv, state->place[SL_MIXTURES_FIRST_CLASS], r, &n);
      const char *second = sl_csv_field (csv, state->place[SL_MIXTURES_SECOND_CLASS], r, &n_other);
      if (n > 0 && n == n_other && memcmp (first, second, n) == 0)
        {
          g_autofree char *shown = sl_shown (first, n);
          sl_csv_rows_bad (csv, r, "both classes are '%s'", shown);
        }
    }
}

static void
parse (SlCsvRows *csv, gpointer data, gpointer user)
{
  Piece *piece = data;
  const SlMixupFile *state = user;
  SlMixupRows *rows = piece->rows;
  reserve (state, rows, csv->n);
  /* As in the format `long`: the classes come last, so that a bad row does not teach its own; values lie at the places of their
   * rows, hence are read again when rows have been dropped. */
  do
    {
      do
        {
          check_texts (state, csv);
          read_shares (state, csv, rows);
        }
      while (sl_csv_rows_drop_bad (csv));
      sl_values_classes (csv, state->place[SL_MIXTURES_FIRST_CLASS], "first class", piece->coder,
                         TRUE, rows->codes[0] + rows->n);
      sl_values_classes (csv, state->place[SL_MIXTURES_SECOND_CLASS], "second class", piece->coder,
                         TRUE, rows->codes[1] + rows->n);
    }
  while (sl_csv_rows_drop_bad (csv));
  for (int t = 0; t < N_TEXTS; t++)
    if (state->place[t] >= 0)
      sl_texts_append_spans (&rows->text[t], rows->n, csv->data, csv->start[state->place[t]],
                             csv->end[state->place[t]], csv->n);
  rows->n += csv->n;
}

static void
clear (SlMixupRows *rows)
{
  rows->n = 0;
  for (int t = 0; t < N_TEXTS; t++)
    rows->text[t].used = 0;
}

void
sl_mixup_rows_recode (SlMixupRows *rows, const gint32 *code)
{
  for (int c = 0; c < 2; c++)
    for (gsize i = 0; i < rows->n; i++)
      rows->codes[c][i] = code[rows->codes[c][i]];
}

gboolean
sl_mixup_rows_write (const SlMixupRows *rows, SlIngest *ingest, GError **error)
{
  SlBuilder *builder = ingest->builder;
  for (gsize from = 0, n; from < rows->n; from += n)
    {
      n = MIN (rows->n - from, (gsize) sl_builder_room (builder));
      for (int t = 0; t < N_TEXTS; t++)
        if (rows->text[t].offset != NULL)
          sl_builder_texts (builder, t, (SlText){ rows->text[t].offset, rows->text[t].data },
                            (gint64) from, (gint64) n);
      for (int c = 0; c < 2; c++)
        sl_builder_classes (builder, SL_MIXTURES_FIRST_CLASS + c, rows->codes[c] + from,
                            (gint64) n);
      for (int s = 0; s < N_SHARES; s++)
        for (gsize i = from; rows->share[s] != NULL && i < from + n; i++)
          sl_builder_real (builder, SL_MIXTURES_LAMBDA + s, rows->share[s][i]);
      if (!sl_writer_write_built (ingest->run->out, builder, FALSE, error))
        return FALSE;
    }
  ingest->n_rows += (gint64) rows->n;
  return TRUE;
}

/* Until the classes are known. */
static gboolean
put_aside (SlMixupFile *state, Piece *piece, GError **error)
{
  SlMixupRows *rows = piece->rows;
  if (!sl_class_search_add (&state->classes, piece->coder, piece->found, TRUE))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: over %d different classes in columns %d and %d: are they the classes? "
                   "(--column first_class=NAME,second_class=NAME says which columns are)",
                   state->source.csv->name, SL_MAX_CLASSES,
                   state->column[SL_MIXTURES_FIRST_CLASS] + 1,
                   state->column[SL_MIXTURES_SECOND_CLASS] + 1);
      return FALSE;
    }
  sl_mixup_rows_recode (rows, (const gint32 *) (gpointer) piece->found->data);
  gsize bytes
      = rows->room * (N_TEXTS * sizeof (gint32) + 2 * sizeof (gint32) + N_SHARES * sizeof (double));
  for (int t = 0; t < N_TEXTS; t++)
    bytes += rows->text[t].room;
  g_ptr_array_add (state->waiting, rows);
  piece->rows = g_new0 (SlMixupRows, 1);
  return sl_run_claim (state->source.ingest->run, bytes,
                       "the answers until all their classes are known (with --classes none need "
                       "to wait)",
                       error);
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  Piece *piece = *data;
  SlMixupFile *state = user;
  sl_ingest_progress (state->source.ingest, (gint64) piece->rows->n);
  if (state->classes.known == NULL)
    return put_aside (state, piece, error);
  gboolean ok = sl_mixup_rows_write (piece->rows, state->source.ingest, error);
  clear (piece->rows);
  return ok;
}

const SlCsvHandler sl_mixup_handler = { piece_new, piece_free, parse, sl_ingest_bad, emit };
