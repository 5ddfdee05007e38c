/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features from CSV. A column is numeric if the first row behind the header has a number there, or
 * nothing; then it must have a number in every row. */
#include "table-csv.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "schemas/features.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/readers/row-format.h"
#include "examples-out.h"

#include <math.h>
#include <string.h>

#define MOST_NAMES 8 /* that a warning lists */

/* The index that pandas writes has no name in CSV, and one of its own in Parquet. */
#define ITEM                                                                                       \
  {                                                                                                \
    "item", SL_NAMES (SL_ITEM_NAMES), FALSE,                                                       \
        SL_NAMES (SL_ITEM_FALLBACK, "", "index", "unnamed0", "indexlevel0")                        \
  }
#define GOLD                                                                                       \
  {                                                                                                \
    "gold", SL_NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE,              \
        SL_NAMES ("label", "class", "target", "category", "y")                                     \
  }

const SlColumnRole sl_table_roles[]
    = { ITEM, GOLD, { "features", SL_NAMES ("features"), FALSE, NULL }, { 0 } };

const SlColumnRole sl_table_single_roles[] = { ITEM, GOLD, { 0 } };

gboolean
sl_table_check_item (const SlIngest *ingest, const SlCsv *csv, const int *column, GError **error)
{
  if (column[SL_TABLE_ITEM] >= 0 || ingest->columns[SL_TABLE_ITEM] != NULL)
    return TRUE;
  return sl_error_bad_input (
      error,
      "%s: no column is called item, image, id or the like: say which it is with --column "
      "item=NAME, or number the rows from 0 with --column item=",
      csv->name);
}

/* Names of columns for a message. */
typedef struct
{
  GString *text;
  int n;
} Names;

static void
add_name (Names *names, const char *name)
{
  if (names->n++ >= MOST_NAMES)
    return;
  g_autofree char *shown = sl_shown (name, strlen (name));
  g_string_append_printf (names->text, "%s'%s'", names->n > 1 ? ", " : "", shown);
}

static gboolean
fits (const char *pattern, const char *name)
{
  return pattern == NULL || strcmp (pattern, name) == 0 || g_pattern_match_simple (pattern, name);
}

/* Of columns that PATTERN fits, those of CELL. */
static void
pick (const SlCsv *csv, const SlCellKind *cell, const int *column, const char *pattern,
      SlCellKind wanted, GArray *picked)
{
  g_array_set_size (picked, 0);
  for (int i = 0; i < csv->n_fields; i++)
    if (i != column[SL_TABLE_ITEM] && i != column[SL_TABLE_GOLD] && cell[i] == wanted
        && fits (pattern, csv->first[i]))
      g_array_append_val (picked, i);
}

static gboolean
refuse (const SlCsv *csv, const GArray *picked, const char *pattern, GError **error)
{
  if (picked->len == 0 && pattern != NULL)
    return sl_error_bad_input (
        error, "%s: no column of numbers or of lists of numbers fits --column features=%s",
        csv->name, pattern);
  if (picked->len == 0)
    return sl_error_bad_input (
        error, "%s: it has no column of numbers, nor of lists of numbers, for the features",
        csv->name);
  const int *two = (const int *) (gpointer) picked->data;
  return sl_error_bad_input (error,
                             "%s: columns '%s' and '%s' are both of lists of numbers: say which "
                             "has the features with --column features=NAME",
                             csv->name, csv->first[two[0]], csv->first[two[1]]);
}

static void
tell (SlIngest *ingest, const SlCsv *csv, const int *column, const GArray *picked)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Names names = { text, 0 };
  for (int i = 0; i < csv->n_fields; i++)
    {
      gboolean used = i == column[SL_TABLE_ITEM] || i == column[SL_TABLE_GOLD];
      for (guint p = 0; !used && p < picked->len; p++)
        used = g_array_index (picked, int, p) == i;
      if (!used)
        add_name (&names, csv->first[i]);
    }
  if (names.n > 0)
    sl_run_warn (ingest->run, "%s: left out column%s %s%s", csv->name, names.n > 1 ? "s" : "",
                 text->str, names.n > MOST_NAMES ? ", …" : "");
  static const char *const roles[] = { "item", "gold" };
  for (int r = 0; r < 2; r++)
    if (column[r] >= 0)
      sl_run_note (ingest->run, "%s: column '%s' is the %s", csv->name, csv->first[column[r]],
                   roles[r]);
}

gboolean
sl_table_pick (SlIngest *ingest, const SlCsv *csv, const SlCellKind *cell, const int *column,
               GArray *picked, GError **error)
{
  const char *pattern = ingest->columns[SL_TABLE_FEATURES];
  pick (csv, cell, column, pattern, SL_CELL_LIST, picked);
  if (picked->len == 0)
    pick (csv, cell, column, pattern, SL_CELL_NUMBER, picked);
  else if (picked->len > 1)
    return refuse (csv, picked, pattern, error);
  if (picked->len == 0)
    return refuse (csv, picked, pattern, error);
  tell (ingest, csv, column, picked);
  return TRUE;
}

typedef struct
{
  SlExamplesOut out;
  char **names; /* of the columns that were picked in the first file */
  char *file;   /* the name of the latest file, for errors; it outlives its CSV */
} State;

static guint32
columns_of_table (const int *column)
{
  return column[SL_TABLE_GOLD] >= 0 ? 1u << SL_FEATURES_GOLD : 0;
}

static gboolean
find_cells (const SlRowReading *reading, SlCellKind *cell, GError **error)
{
  SlCsv *csv = reading->source.csv;
  g_autoptr (GPtrArray) fields = sl_csv_peek (csv, error);
  if (fields == NULL)
    return FALSE;
  for (int i = 0; i < csv->n_fields; i++)
    {
      g_autofree char *text = g_strstrip (g_strdup (i < (int) fields->len ? fields->pdata[i] : ""));
      double value;
      char room[64];
      const gsize n = strlen (text);
      const char *pointed
          = sl_with_point (reading->source.ingest->options->decimal_comma, text, n, room);
      gboolean number
          = n == 0 || sl_parse_real (pointed, (gssize) n, &value)
            || sl_class_texts_missing (&reading->source.ingest->class_texts, text, strlen (text));
      cell[i] = number ? SL_CELL_NUMBER : SL_CELL_OTHER;
    }
  return TRUE;
}

/* The columns of the first file, by their names, in another one. */
static gboolean
find_again (SlRowReading *reading, char *const *names, GError **error)
{
  const SlCsv *csv = reading->source.csv;
  g_array_set_size (reading->more, 0);
  for (; *names != NULL; names++)
    {
      int at = 0;
      while (at < csv->n_fields && strcmp (csv->first[at], *names) != 0)
        at++;
      if (at == csv->n_fields)
        return sl_error_bad_input (error, "%s: it has no column '%s', unlike the files before it",
                                   csv->name, *names);
      g_array_append_val (reading->more, at);
    }
  return TRUE;
}

/* Numbers as names of columns may be 0, 1, 2 ..., as pandas writes them; others are the first row
 * of a file without a header. */
static gboolean
check_header (const SlRowReading *reading, GError **error)
{
  const SlCsv *csv = reading->source.csv;
  gboolean numbers = TRUE, ordinals = TRUE;
  for (guint i = 0; i < reading->more->len; i++)
    {
      double value;
      const char *name = csv->first[g_array_index (reading->more, int, i)];
      numbers = numbers && sl_parse_real (name, -1, &value);
      ordinals = ordinals && numbers && value == floor (value);
    }
  return !numbers || ordinals
         || sl_error_bad_input (
             error,
             "%s: row 1 has numbers where the names of columns are wanted: put a header before it",
             csv->name);
}

static gboolean
find_more (SlRowReading *reading, gboolean first, GError **error)
{
  State *state = reading->format->data;
  SlIngest *ingest = reading->source.ingest;
  const SlCsv *csv = reading->source.csv;
  g_free (state->file);
  state->file = g_strdup (csv->name);
  if (!sl_table_check_item (ingest, csv, reading->column, error))
    return FALSE;
  if (state->names != NULL)
    return find_again (reading, state->names, error);
  g_autofree SlCellKind *cell = g_new (SlCellKind, csv->n_fields);
  if (!find_cells (reading, cell, error)
      || !sl_table_pick (ingest, csv, cell, reading->column, reading->more, error)
      || !check_header (reading, error))
    return FALSE;
  guint n = reading->more->len;
  state->names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    state->names[i] = g_strdup (csv->first[g_array_index (reading->more, int, i)]);
  const gint64 dim[] = { n };
  if (!sl_table_set_tensor (reading->shape, SL_FEATURES_X, SL_NUMBER_FLOAT32, 1, dim, error))
    return FALSE;
  if (!sl_row_has (reading, SL_TABLE_GOLD))
    sl_row_no_classes (reading);
  return TRUE;
}

static void
check (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  const State *state = reading->format->data;
  if (sl_row_has (reading, SL_TABLE_ITEM))
    sl_fields_check_there (records, reading->place[SL_TABLE_ITEM], "item",
                           reading->source.ingest->class_texts.trim);
  for (guint c = 0; c < reading->more->len; c++)
    {
      float *to = piece->numbers + (gsize) c * piece->room;
      for (guint32 r = 0; r < records->n; r++)
        {
          double value;
          sl_fields_number (records, reading->first_more + (int) c, r, state->names[c], &value);
          to[r] = (float) value;
          if (isnan (value))
            sl_csv_rows_bad (records, r, "%s is missing; all numbers of an example must be there",
                             state->names[c]);
          else if (isinf (to[r]))
            sl_csv_rows_bad (records, r, "%s is %.9g, which is too large for single precision",
                             state->names[c], value);
        }
    }
}

static void
code (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  if (sl_row_has (reading, SL_TABLE_GOLD))
    sl_fields_classes (records, reading->place[SL_TABLE_GOLD], "gold class", piece->coder, FALSE,
                       sl_row_codes (piece, SL_TABLE_GOLD));
}

static void
add (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  guint n_numbers = reading->more->len;
  if (sl_row_has (reading, SL_TABLE_ITEM))
    sl_row_add_texts (reading, records, SL_TABLE_ITEM, SL_FEATURES_ITEM, piece);
  else
    for (guint32 r = 0; r < records->n; r++)
      sl_builder_text (piece->rows, SL_FEATURES_ITEM, "", 0);
  float *x = sl_builder_tensors (piece->rows, SL_FEATURES_X, records->n);
  for (guint32 r = 0; r < records->n; r++)
    for (guint c = 0; c < n_numbers; c++)
      *x++ = piece->numbers[(gsize) c * piece->room + r];
  if (sl_row_has (reading, SL_TABLE_GOLD))
    sl_builder_classes (piece->rows, SL_FEATURES_GOLD, sl_row_codes (piece, SL_TABLE_GOLD),
                        records->n);
}

static gboolean
start (SlRowReading *reading, GError **error)
{
  State *state = reading->format->data;
  const gint64 dim[] = { reading->more->len };
  return sl_examples_start (&state->out, state->file, SL_NUMBER_FLOAT32, 1, dim,
                            sl_row_has (reading, SL_TABLE_GOLD), error);
}

/* The rows go once through a builder of the table, which knows the classes. */
static gboolean
put (SlRowReading *reading, SlBuilder *rows, const guint8 *left_out, GError **error)
{
  State *state = reading->format->data;
  g_autoptr (SlBuilder) builder = sl_builder_new (reading->source.ingest->table);
  gint64 n = sl_builder_rows (rows);
  for (gint64 first = 0; first < n;)
    {
      first = sl_builder_append (builder, rows, first, n);
      g_autoptr (SlBatch) batch = sl_builder_take (builder, error);
      if (batch == NULL
          || !sl_examples_add_batch (&state->out, batch, state->file, -1,
                                     sl_row_has (reading, SL_TABLE_ITEM), error))
        return FALSE;
    }
  sl_builder_clear (rows);
  return TRUE;
}

gboolean
sl_ingest_table_csv (SlIngest *ingest, GError **error)
{
  static const int class_columns[] = { SL_FEATURES_GOLD, -1 };
  State state = { 0 };
  const SlRowFormat format = {
    .kind = &sl_features,
    .roles = sl_table_single_roles,
    .n_roles = SL_TABLE_FEATURES,
    .named = TRUE,
    .class_columns = class_columns,
    .gold_column = -1,
    .class_role = SL_TABLE_GOLD,
    .columns = columns_of_table,
    .check = check,
    .code = code,
    .add = add,
    .find_more = find_more,
    .start = start,
    .put = put,
    .data = &state,
  };
  gboolean ok
      = sl_examples_init (&state.out, ingest, error) && sl_row_format_run (&format, ingest, error);
  sl_examples_clear (&state.out);
  g_strfreev (state.names);
  g_free (state.file);
  return ok;
}
