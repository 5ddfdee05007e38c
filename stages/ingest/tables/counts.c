/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counts: a matrix of votes, count[n_items][n_classes], as CIFAR-10H has it (Peterson, Battleday,
 * Griffiths & Russakovsky 2019): a NumPy array or CSV. One row per item and class with votes; the
 * rows of the matrix are the items 0, 1, 2 ... */
#include "pipeline/base/number-text.h"
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "stages/common/files/npy.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/ingestion.h"
#include "stages/ingest/readers/array-file.h"
#include "stages/ingest/readers/field-values.h"

typedef struct
{
  SlIngestCsv source;
  gint32 n_classes; /* of the table, once it has begun */
  gint64 n_items;   /* rows of the matrix so far, bad ones counted in */
} Counts;

/* Begins the table unless it has begun. Its classes are those given, or NAMES[n], or, where NAMES
 * is NULL, 0, 1 ... n - 1. */
static gboolean
start (Counts *state, gint64 n, char *const *names, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  if (ingest->table != NULL)
    return TRUE;
  if (n > SL_MAX_CLASSES)
    return sl_error_bad_input (error,
                               "%" G_GINT64_FORMAT " columns are too many for classes (at most %d)",
                               n, SL_MAX_CLASSES);
  if (ingest->classes == NULL)
    {
      ingest->classes = g_new0 (char *, n + 1);
      for (gint64 i = 0; i < n; i++)
        ingest->classes[i]
            = names != NULL ? g_strdup (names[i]) : g_strdup_printf ("%" G_GINT64_FORMAT, i);
    }
  state->n_classes = (gint32) g_strv_length (ingest->classes);
  return sl_ingest_start (
      ingest, &sl_annotations,
      1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_CLASS | 1u << SL_ANNOTATIONS_COUNT, error);
}

/* COUNT votes for the class CODE of an item become a row of ROWS. */
static void
add_votes (SlBuilder *rows, const char *item, gsize n, gint32 code, gint64 count)
{
  sl_builder_text (rows, SL_ANNOTATIONS_ITEM, item, n);
  sl_builder_class (rows, SL_ANNOTATIONS_CLASS, code);
  sl_builder_int (rows, SL_ANNOTATIONS_COUNT, count);
}

/* ---- counts from a NumPy array ---- */

/* What is wrong with a row of the matrix, whose values lie STEP bytes apart; NULL: nothing. */
static char *
find_fault (const SlIngest *ingest, const SlNpy *npy, const guint8 *row, gsize step)
{
  gboolean any = FALSE;
  for (gint64 c = 0; c < npy->dim[1]; c++)
    {
      gint64 count;
      const char *wrong = sl_npy_count (sl_npy_value (npy, row + (gsize) c * step), &count);
      if (wrong != NULL)
        return g_strdup_printf ("the count of class '%s' %s", ingest->classes[c], wrong);
      any = any || count > 0;
    }
  return any ? NULL : g_strdup ("no votes at all");
}

/* The row becomes rows of ROWS, or a bad one. */
static gboolean
take_row (Counts *state, const SlArrayFile *file, const guint8 *row, SlBuilder *rows,
          GError **error)
{
  SlIngest *ingest = state->source.ingest;
  const SlNpy *npy = &file->npy;
  gsize step = sl_array_file_stride (file, 1);
  char item[24];
  gsize length = (gsize) g_snprintf (item, sizeof item, "%" G_GINT64_FORMAT, state->n_items++);
  g_autofree char *fault = find_fault (ingest, npy, row, step);
  for (gint64 c = 0; fault == NULL && c < npy->dim[1]; c++)
    {
      gint64 count;
      sl_npy_count (sl_npy_value (npy, row + (gsize) c * step), &count);
      if (count > 0)
        add_votes (rows, item, length, (gint32) c, count);
    }
  if (fault == NULL)
    return TRUE;
  g_autoptr (GString) record = g_string_new (NULL);
  for (gint64 c = 0; c < npy->dim[1]; c++)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];
      g_string_append_printf (
          record, "%s%s", c > 0 ? "," : "",
          g_ascii_formatd (text, sizeof text, "%.15g", sl_npy_value (npy, row + (gsize) c * step)));
    }
  return sl_rejected_rows_add (&ingest->rejected, file->source->name, state->n_items - 1, fault,
                               record->str, record->len, error);
}

static gboolean
check_shape (Counts *state, const SlArrayFile *file, GError **error)
{
  const char *name = file->source->name;
  const SlNpy *npy = &file->npy;
  if (npy->n_dims != 2)
    return sl_error_bad_input (
        error, "%s: the array has %s than two dimensions; counts have two: items and classes", name,
        npy->n_dims < 2 ? "fewer" : "more");
  if (!start (state, npy->dim[1], NULL, error))
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  return npy->dim[1] == state->n_classes
         || sl_error_bad_input (
             error, "%s: the array has %" G_GINT64_FORMAT " columns, but there are %d classes",
             name, npy->dim[1], state->n_classes);
}

static gboolean
read_npy (Counts *state, SlSource *source, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  g_auto (SlArrayFile) file = { 0 };
  const guint8 *first;
  gsize step;
  gint64 n;
  if (!sl_array_file_open (&file, ingest->run, source, error) || !check_shape (state, &file, error))
    return FALSE;
  g_autoptr (SlBuilder) rows = sl_builder_new (ingest->table);
  for (;;)
    {
      if (!sl_array_file_next (&file, ingest->run, &first, &step, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;
      for (gint64 i = 0; i < n; i++)
        if (!take_row (state, &file, first + (gsize) i * step, rows, error)
            || (sl_builder_room (rows) == 0 && !sl_ingest_put (ingest, rows, NULL, error)))
          return FALSE;
      if (!sl_ingest_put (ingest, rows, NULL, error))
        return FALSE;
    }
}

/* ---- counts from CSV ---- */

/* With or without a header of class names. A first column headed item, or not
 * headed at all, names the items. */
static const SlColumnRole item_role
    = { "item", SL_NAMES ("", "item", "task", "question", "example", "image", "img"), FALSE, NULL };

#define WRITE_BYTES (1 << 26) /* of items */

typedef struct
{
  SlIngestCsv source;
  Counts *counts;
  gboolean named; /* the first column names the items */
  int n;          /* columns of counts */
  gint32 *code;   /* [n]: the class that each counts */
  gint64 n_bad;   /* of the block at hand */
} Csv;

typedef struct
{
  gint64 record; /* of the block: among the good ones if they have names, else among all */
  gint64 count;
  gint32 code;
} Votes;

/* The name of a record is kept once, and repeated for each of its classes only as they are
 * written. */
typedef struct
{
  GArray *votes;    /* of Votes */
  GString *names;   /* of the good records, one behind the other */
  GArray *name_end; /* of gsize */
  gint64 n_records; /* good ones of the block so far */
  GArray *count;    /* of gint64: those of the records at hand, [n][n records] */
} Piece;

static gpointer
piece_new (gpointer data)
{
  Piece *piece = g_new0 (Piece, 1);
  piece->votes = g_array_new (FALSE, FALSE, sizeof (Votes));
  piece->names = g_string_new (NULL);
  piece->name_end = g_array_new (FALSE, FALSE, sizeof (gsize));
  piece->count = g_array_new (FALSE, FALSE, sizeof (gint64));
  return piece;
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  g_array_unref (piece->votes);
  g_string_free (piece->names, TRUE);
  g_array_unref (piece->name_end);
  g_array_unref (piece->count);
  g_free (piece);
}

static void
read_values (const Csv *csv, SlCsvRows *rows, gint64 *count)
{
  if (csv->named)
    sl_fields_check_there (rows, 0, "item", FALSE);
  for (int c = 0; c < csv->n; c++)
    {
      g_autofree char *shown = NULL;
      const char *name = csv->source.ingest->classes[csv->code[c]];
      shown = g_strdup_printf ("count of class '%s'", name);
      sl_fields_integers (rows, c + csv->named, shown, 0, SL_COUNT_MOST,
                          count + (gsize) c * rows->n);
    }
  for (guint32 r = 0; r < rows->n; r++)
    {
      gboolean any = FALSE;
      for (int c = 0; c < csv->n; c++)
        any = any || count[(gsize) c * rows->n + r] != 0;
      if (!any)
        sl_csv_rows_bad (rows, r, "no votes at all");
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *) a, second = *(const guint32 *) b;
  return (first > second) - (first < second);
}

/* Where the block's bad records begin, so far. */
static GArray *
bad_places (const SlCsvRows *rows)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < rows->dropped->len; i++)
    g_array_append_val (places, g_array_index (rows->dropped, SlCsvBad, i).record);
  g_array_sort (places, compare_places);
  return places;
}

static void
append (const Csv *csv, const SlCsvRows *rows, guint32 r, gint64 record, Piece *piece)
{
  for (int c = 0; c < csv->n; c++)
    {
      Votes votes
          = { record, g_array_index (piece->count, gint64, (gsize) c * rows->n + r), csv->code[c] };
      if (votes.count > 0)
        g_array_append_val (piece->votes, votes);
    }
  if (!csv->named)
    return;
  gsize n;
  const char *name = sl_csv_field (rows, 0, r, &n);
  g_string_append_len (piece->names, name, (gssize) n);
  g_array_append_val (piece->name_end, piece->names->len);
}

static void
parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  Piece *piece = data;
  const Csv *csv = user;
  do
    {
      g_array_set_size (piece->count, rows->n * (guint) csv->n);
      read_values (csv, rows, (gint64 *) (gpointer) piece->count->data);
    }
  while (sl_csv_rows_drop_bad (rows));
  g_autoptr (GArray) bad = bad_places (rows);
  guint n_bad = 0;
  for (guint32 r = 0; r < rows->n; r++)
    {
      while (n_bad < bad->len && g_array_index (bad, guint32, n_bad) < rows->record[r])
        n_bad++;
      append (csv, rows, r, piece->n_records + (csv->named ? 0 : n_bad), piece);
      piece->n_records++;
    }
}

static gboolean
bad (gint64 row, const char *reason, const char *record, gsize length, gpointer user,
     GError **error)
{
  Csv *csv = user;
  csv->n_bad++;
  return sl_ingest_bad (row, reason, record, length, user, error);
}

/* The name of a record's item; one without a name is numbered, in NUMBER. */
static const char *
item_of (const Csv *csv, const Piece *piece, gint64 record, char number[24], gsize *n)
{
  if (!csv->named)
    {
      *n = (gsize) g_snprintf (number, 24, "%" G_GINT64_FORMAT, csv->counts->n_items + record);
      return number;
    }
  gsize start = record > 0 ? g_array_index (piece->name_end, gsize, record - 1) : 0;
  *n = g_array_index (piece->name_end, gsize, record) - start;
  return piece->names->str + start;
}

static gboolean
write_votes (const Csv *csv, const Piece *piece, GError **error)
{
  SlIngest *ingest = csv->source.ingest;
  g_autoptr (SlBuilder) rows = sl_builder_new (ingest->table);
  gsize bytes = 0; /* of items in ROWS */
  for (guint i = 0; i < piece->votes->len; i++)
    {
      const Votes *votes = &g_array_index (piece->votes, Votes, i);
      char number[24];
      gsize n;
      const char *item = item_of (csv, piece, votes->record, number, &n);
      add_votes (rows, item, n, votes->code, votes->count);
      bytes += n;
      if (bytes < WRITE_BYTES && i + 1 < piece->votes->len)
        continue;
      if (!sl_ingest_put (ingest, rows, NULL, error))
        return FALSE;
      bytes = 0;
    }
  return TRUE;
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  Piece *piece = *data;
  Csv *csv = user;
  gboolean ok = write_votes (csv, piece, error);
  sl_ingest_progress (csv->source.ingest, (gint64) piece->votes->len);
  csv->counts->n_items += piece->n_records + csv->n_bad;
  piece->n_records = csv->n_bad = 0;
  g_array_set_size (piece->votes, 0);
  g_array_set_size (piece->name_end, 0);
  g_string_truncate (piece->names, 0);
  return ok;
}

static const SlCsvHandler handler = { piece_new, piece_free, parse, bad, emit };

static gboolean
fail (const SlCsv *csv, GError **error, const char *what, const char *name)
{
  return sl_error_bad_input (error, "%s: %s%s%s%s", csv->name, name != NULL ? "column '" : "",
                             name != NULL ? name : "", name != NULL ? "' " : "", what);
}

static gboolean
ask (const SlCsv *csv, const char *row, GError **error)
{
  return sl_error_bad_input (
      error, "%s: row 1, %s, may be a header or counts: say --header yes or --header no", csv->name,
      row);
}

/* Whether the first row is a header: auto takes it for one if none of it is a number, and for
 * counts if all of it is. */
static gboolean
has_header (const SlCsv *csv, SlHeader asked, gboolean *header, GError **error)
{
  int n_numbers = 0, n_ordinals = 0;
  for (int i = 0; i < csv->n_fields; i++)
    {
      double value;
      g_autofree char *cell = g_strstrip (g_strdup (csv->first[i]));
      gboolean number = sl_parse_real (cell, -1, &value);
      n_numbers += number;
      n_ordinals += number && value == i;
    }
  *header = asked == SL_HEADER_AUTO ? n_numbers == 0 : asked == SL_HEADER_YES;
  if (asked != SL_HEADER_AUTO || n_numbers == 0)
    return TRUE;
  /* No item is called "item". */
  if (csv->first[0][0] != '\0' && sl_role_matches (&item_role, csv->first[0]))
    return *header = TRUE;
  if (n_numbers < csv->n_fields)
    return ask (csv, "where some but not all cells are numbers", error);
  if (n_ordinals == csv->n_fields && csv->n_fields > 1)
    return ask (csv, "which is 0, 1, 2 ...", error);
  return TRUE;
}

/* Which class each column counts; begins the table. */
static gboolean
find_classes (Csv *state, SlCsv *csv, gboolean header, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  state->named = header && csv->n_fields > 1 && sl_role_matches (&item_role, csv->first[0]);
  state->n = csv->n_fields - state->named;
  state->code = g_new (gint32, state->n);
  char **names = header ? csv->first + state->named : NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (int c = 0; names != NULL && c < state->n; c++)
    if (names[c][0] == '\0' || !g_hash_table_add (seen, names[c]))
      return fail (csv, error,
                   names[c][0] == '\0' ? "has no name: a class is wanted" : "is there twice",
                   names[c]);
  if (!start (state->counts, state->n, names, error))
    {
      g_prefix_error (error, "%s: ", csv->name);
      return FALSE;
    }
  if (names == NULL && state->n != state->counts->n_classes)
    return fail (csv, error, "it has not as many columns as there are classes", NULL);
  for (int c = 0; c < state->n; c++)
    {
      state->code[c] = names != NULL ? sl_table_class (ingest->table, names[c], -1) : c;
      if (state->code[c] < 0)
        return fail (csv, error, "is not one of the classes", names[c]);
    }
  return TRUE;
}

static gboolean
read_csv (Counts *counts, SlSource *source, GError **error)
{
  g_autoptr (SlCsv) csv = sl_ingest_open_source (counts->source.ingest, source, error);
  gboolean header;
  if (csv == NULL
      || !has_header (csv, (SlHeader) counts->source.ingest->options->header, &header, error))
    return FALSE;
  Csv state = { .source = { counts->source.ingest, csv }, .counts = counts };
  gboolean ok = find_classes (&state, csv, header, error);
  if (ok)
    {
      g_autofree int *columns = g_new (int, csv->n_fields);
      for (int i = 0; i < csv->n_fields; i++)
        columns[i] = i;
      if (header)
        sl_csv_skip_first (csv);
      ok = sl_ingest_each (&state.source, columns, csv->n_fields, &handler, error);
    }
  g_free (state.code);
  return ok;
}

static gboolean
read_file (Counts *state, const char *path, GError **error)
{
  g_autoptr (SlSource) source = sl_source_open (path, error);
  gboolean npy;
  if (source == NULL || !sl_source_begins (source, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES, &npy, error))
    return FALSE;
  return (npy ? read_npy : read_csv) (state, g_steal_pointer (&source), error);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  Counts state = { .source = { ingest, NULL } };
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (&state, ingest->files[i], error))
      return FALSE;
  return TRUE;
}

const SlIngestFormat sl_ingest_counts = {
  .run = run,
};
