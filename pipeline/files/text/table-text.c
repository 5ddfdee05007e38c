/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-text.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/process/stdin-again.h"
#include "pipeline/files/reader.h"
#include "pipeline/table/carray.h"
#include "pipeline/table/types/types.h"
#include "pipeline/text/made-source.h"

#include <arrow-glib/arrow-glib.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One column of a batch, or what is inside of one. */
typedef struct Column
{
  GArrowType type;       /* of a number, a list or a struct; GARROW_TYPE_STRING: TEXT is there */
  struct ArrowArray own; /* its buffers */
  gint64 length;         /* of lists of one length */
  struct Column *inside; /* members of a list: one; of a struct: each */
  int n_inside;
} Column;

typedef struct
{
  SlReader *reader;
  GArrowSchema *schema;
  GArrowRecordBatch *first; /* read, but not made text of yet; or NULL */
  GArray *columns;          /* of int: those that have texts */
  gboolean begun;
  gint64 bytes;      /* of the file */
  gint64 rows;       /* read */
  gint64 stdin_from; /* where it begins in a file that is standard input; -1: it is none */
} TableText;

static void
column_clear (Column *column)
{
  for (int i = 0; i < column->n_inside; i++)
    column_clear (&column->inside[i]);
  g_free (column->inside);
  sl_carray_release (&column->own);
}

static gboolean prepare (GArrowArray *array, Column *column);

static gboolean
prepare_inside (GArrowArray *array, Column *column)
{
  g_autoptr (GArrowArray) values = NULL;
  g_autolist (GArrowArray) fields = NULL;
  if (GARROW_IS_STRUCT_ARRAY (array))
    fields = garrow_struct_array_get_fields (GARROW_STRUCT_ARRAY (array));
  else if (GARROW_IS_LIST_ARRAY (array))
    values = garrow_list_array_get_values (GARROW_LIST_ARRAY (array));
  else if (GARROW_IS_LARGE_LIST_ARRAY (array))
    values = garrow_large_list_array_get_values (GARROW_LARGE_LIST_ARRAY (array));
  else
    {
      GArrowFixedSizeListArray *lists = GARROW_FIXED_SIZE_LIST_ARRAY (array);
      values = garrow_fixed_size_list_array_get_values (lists);
      column->length = garrow_fixed_size_list_array_get_list_size (lists);
    }
  if (values != NULL)
    fields = g_list_prepend (fields, g_steal_pointer (&values));
  column->inside = g_new0 (Column, g_list_length (fields));
  for (const GList *field = fields; field != NULL; field = field->next)
    if (!prepare (field->data, &column->inside[column->n_inside++]))
      return FALSE;
  return sl_carray_export (array, &column->own, NULL);
}

static gboolean
prepare_cast (GArrowArray *array, GArrowDataType *type, Column *column)
{
  g_autoptr (GArrowArray) cast = garrow_array_cast (array, type, NULL, NULL);
  return cast != NULL && prepare (cast, column);
}

/* Makes COLUMN, which is empty, of ARRAY; FALSE where that has no text. */
static gboolean
prepare (GArrowArray *array, Column *column)
{
  column->type = garrow_array_get_value_type (array);
  switch (column->type)
    {
    case GARROW_TYPE_DOUBLE:
    case GARROW_TYPE_FLOAT:
    case GARROW_TYPE_STRING:
      return sl_carray_export (array, &column->own, NULL);
    case GARROW_TYPE_NA:
      return TRUE;
    case GARROW_TYPE_LIST:
    case GARROW_TYPE_LARGE_LIST:
    case GARROW_TYPE_FIXED_SIZE_LIST:
    case GARROW_TYPE_STRUCT:
      return prepare_inside (array, column);
    case GARROW_TYPE_DICTIONARY:
      {
        g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (array);
        g_autoptr (GArrowDataType) values
            = garrow_dictionary_data_type_get_value_data_type (GARROW_DICTIONARY_DATA_TYPE (type));
        return prepare_cast (array, values, column);
      }
    case GARROW_TYPE_BINARY:
    case GARROW_TYPE_LARGE_BINARY:
    case GARROW_TYPE_FIXED_SIZE_BINARY:
      return FALSE;
    default:
      {
        g_autoptr (GArrowDataType) text = GARROW_DATA_TYPE (garrow_string_data_type_new ());
        return prepare_cast (array, text, column);
      }
    }
}

static gboolean
is_missing (const Column *column, gint64 row)
{
  const gint64 at = column->own.offset + row;
  const guint8 *there = column->type != GARROW_TYPE_NA ? column->own.buffers[0] : NULL;
  return column->type == GARROW_TYPE_NA || (there != NULL && (there[at / 8] >> at % 8 & 1) == 0);
}

/* The text of ROW, which is there, of a column of texts. */
static const char *
text_of (const Column *column, gint64 row, gsize *n)
{
  const gint32 *offset = (const gint32 *) column->own.buffers[1] + column->own.offset + row;
  *n = (gsize) (offset[1] - offset[0]);
  return (const char *) column->own.buffers[2] + offset[0];
}

static void append (const Column *column, gint64 row, gboolean inside, GString *out);

static void
append_range (const Column *values, gint64 from, gint64 to, GString *out)
{
  for (gint64 i = from; i < to; i++)
    {
      if (i > from)
        g_string_append_c (out, '|');
      append (values, i, TRUE, out);
    }
}

/* What is missing is NaN in pandas where it is null elsewhere. SINGLE: the shortest text is that of
 * a number of single precision. */
static void
append_real (double value, gboolean single, GString *out)
{
  char text[SL_REAL_CHARS];
  if (isnan (value))
    return;
  gboolean whole = fabs (value) < 0x1p53 && value == floor (value);
  gsize n
      = single && !whole ? sl_format_float32 (text, (float) value) : sl_format_name (text, value);
  g_string_append_len (out, text, (gssize) n);
}

static void
append_struct (const Column *column, gint64 row, GString *out)
{
  gboolean any = FALSE;
  for (int i = 0; i < column->n_inside; i++)
    {
      const Column *field = &column->inside[i];
      if (is_missing (field, row))
        continue;
      if (any)
        g_string_append_c (out, ':');
      any = TRUE;
      append (field, row, TRUE, out);
    }
}

/* Appends the text of ROW; nothing where it is missing. INSIDE: of a list or struct. */
static void
append (const Column *column, gint64 row, gboolean inside, GString *out)
{
  const gint64 at = column->own.offset + row;
  if (is_missing (column, row))
    return;
  const void *values = column->own.n_buffers > 1 ? column->own.buffers[1] : NULL;
  const gint32 *offset = values;
  const gint64 *large = values;
  switch (column->type)
    {
    case GARROW_TYPE_DOUBLE:
      append_real (((const double *) values)[at], FALSE, out);
      return;
    case GARROW_TYPE_FLOAT:
      append_real ((double) ((const float *) values)[at], TRUE, out);
      return;
    case GARROW_TYPE_LIST:
      append_range (column->inside, offset[at], offset[at + 1], out);
      return;
    case GARROW_TYPE_LARGE_LIST:
      append_range (column->inside, large[at], large[at + 1], out);
      return;
    case GARROW_TYPE_FIXED_SIZE_LIST:
      append_range (column->inside, at * column->length, (at + 1) * column->length, out);
      return;
    case GARROW_TYPE_STRUCT:
      append_struct (column, row, out);
      return;
    default:
      break;
    }
  gsize n;
  const char *text = text_of (column, row, &n);
  if (inside)
    sl_csv_append_member (out, text, n);
  else
    g_string_append_len (out, text, (gssize) n);
}

/* Appends to COLUMNS those of SCHEMA that have texts. */
static void
find_columns (GArrowSchema *schema, GArray *columns)
{
  for (int i = 0; i < (int) garrow_schema_n_fields (schema); i++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, (guint) i);
      g_autoptr (GArrowChunkedArray) none
          = garrow_chunked_array_new_empty (garrow_field_get_data_type (field), NULL);
      g_autoptr (GArrowArray) array
          = none != NULL ? garrow_chunked_array_get_chunk (none, 0) : NULL;
      Column column = { .n_inside = 0 };
      if (array != NULL && prepare (array, &column))
        g_array_append_val (columns, i);
      column_clear (&column);
    }
}

static gboolean
append_header (TableText *table, GString *text)
{
  for (guint c = 0; c < table->columns->len; c++)
    {
      const int i = g_array_index (table->columns, int, c);
      g_autoptr (GArrowField) field = garrow_schema_get_field (table->schema, (guint) i);
      const char *name = garrow_field_get_name (field);
      if (c > 0)
        g_string_append_c (text, ',');
      sl_csv_append_field (text, name, strlen (name));
    }
  g_string_append_c (text, '\n');
  table->begun = TRUE;
  return TRUE;
}

/* ROW as a field; CELL is room for one that is made. */
static void
append_field (const Column *column, gint64 row, GString *cell, GString *text)
{
  if (column->type == GARROW_TYPE_STRING)
    {
      gsize n = 0;
      const char *own = is_missing (column, row) ? "" : text_of (column, row, &n);
      sl_csv_append_field (text, own, n);
      return;
    }
  g_string_truncate (cell, 0);
  append (column, row, FALSE, cell);
  sl_csv_append_field (text, cell->str, cell->len);
}

static gboolean
append_batch (const TableText *table, GArrowRecordBatch *batch, GString *text)
{
  const guint n = table->columns->len;
  const gint64 rows = garrow_record_batch_get_n_rows (batch);
  g_autofree Column *columns = g_new0 (Column, n);
  g_autoptr (GString) cell = g_string_new (NULL);
  gboolean ok = garrow_record_batch_validate_full (batch, NULL);
  for (guint c = 0; ok && c < n; c++)
    {
      g_autoptr (GArrowArray) array
          = garrow_record_batch_get_column_data (batch, g_array_index (table->columns, int, c));
      ok = prepare (array, &columns[c]);
    }
  for (gint64 row = 0; ok && row < rows; row++)
    {
      for (guint c = 0; c < n; c++)
        {
          if (c > 0)
            g_string_append_c (text, ',');
          append_field (&columns[c], row, cell, text);
        }
      g_string_append_c (text, '\n');
    }
  for (guint c = 0; c < n; c++)
    column_clear (&columns[c]);
  return ok;
}

static gboolean
more (gpointer data, GString *text, GError **error)
{
  TableText *table = data;
  if (!table->begun)
    return append_header (table, text);
  while (text->len == 0)
    {
      g_autoptr (GArrowRecordBatch) raw = g_steal_pointer (&table->first);
      if (raw == NULL && !sl_reader_next_raw (table->reader, &raw, error))
        return FALSE;
      if (raw == NULL)
        return TRUE;
      table->rows += garrow_record_batch_get_n_rows (raw);
      if (!append_batch (table, raw, text))
        return sl_error_bad_input (error, "%s: is damaged", sl_reader_name (table->reader));
    }
  return TRUE;
}

static void
table_free (gpointer data)
{
  TableText *table = data;
  sl_reader_free (table->reader);
  if (table->stdin_from >= 0)
    (void) lseek (STDIN_FILENO, table->stdin_from, SEEK_SET);
  g_object_unref (table->schema);
  g_clear_object (&table->first);
  g_array_unref (table->columns);
  g_free (table);
}

static gint64
taken (gpointer data)
{
  const TableText *table = data;
  gint64 done, whole;
  sl_reader_position (table->reader, &done, &whole);
  done = MAX (done, table->rows); /* of Parquet, rows */
  double share = whole > 0 ? (double) done / (double) whole : 0;
  return (gint64) (share * (double) table->bytes);
}

static const SlSourceMaker maker = { more, table_free, taken };

SlSource *
sl_table_text_open (const char *path, int threads, GError **error)
{
  GArrowSchema *schema = NULL;
  gint64 stdin_from = strcmp (path, "-") == 0 ? lseek (STDIN_FILENO, 0, SEEK_CUR) : -1;
  SlReader *reader = sl_reader_open_raw (path, threads, &schema, error);
  if (reader == NULL)
    return NULL;
  TableText *table = g_new0 (TableText, 1);
  table->reader = reader;
  table->stdin_from = stdin_from;
  struct stat info;
  table->bytes = stat (path, &info) == 0 ? info.st_size : 0;
  table->schema = schema;
  table->columns = g_array_new (FALSE, FALSE, sizeof (int));
  find_columns (schema, table->columns);
  return sl_source_new_made (sl_reader_name (reader), &maker, table);
}

gboolean
sl_table_text_fits (SlSource *source, gboolean *fits, GError **error)
{
  static const char *const starts[] = { "PAR1", "ARROW1", "\xff\xff\xff\xff" };
  *fits = FALSE;
  for (gsize i = 0; !*fits && i < G_N_ELEMENTS (starts); i++)
    if (!sl_source_begins (source, starts[i], strlen (starts[i]), fits, error))
      return FALSE;
  return TRUE;
}

SlSource *
sl_table_text_new (SlSource *source, int threads, GError **error)
{
  g_autoptr (SlSource) own = source;
  if (!sl_source_can_reopen (own->path))
    {
      if (strcmp (own->path, "-") != 0)
        {
          sl_error_bad_input (error,
                              "%s: is a table of Arrow or Parquet behind the name of a pipe: pipe "
                              "it to standard input, or name a file",
                              own->name);
          return NULL;
        }
      sl_stdin_unread (own->head, own->n_head);
    }
  return sl_table_text_open (own->path, threads, error);
}

/* The texts of an ordered dictionary, in its order; NULL where column FIELD is none. */
static char **
dictionary_names (TableText *table, int field)
{
  g_autoptr (GArrowField) its = garrow_schema_get_field (table->schema, (guint) field);
  GArrowDataType *type = garrow_field_get_data_type (its);
  if (!GARROW_IS_DICTIONARY_DATA_TYPE (type)
      || !garrow_dictionary_data_type_is_ordered (GARROW_DICTIONARY_DATA_TYPE (type)))
    return NULL;
  /* What cannot be read is told when it is read on. */
  if (table->first == NULL && !sl_reader_next_raw (table->reader, &table->first, NULL))
    return NULL;
  g_autoptr (GArrowArray) array
      = table->first != NULL ? garrow_record_batch_get_column_data (table->first, field) : NULL;
  g_autoptr (GArrowArray) names
      = array != NULL && garrow_array_validate_full (array, NULL)
            ? garrow_dictionary_array_get_dictionary (GARROW_DICTIONARY_ARRAY (array))
            : NULL;
  Column column = { .n_inside = 0 };
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  gboolean ok = names != NULL && prepare (names, &column);
  for (gint64 i = 0; ok && i < garrow_array_get_length (names); i++)
    {
      g_autoptr (GString) name = g_string_new (NULL);
      append (&column, i, FALSE, name);
      g_strv_builder_add (all, name->str);
    }
  column_clear (&column);
  return ok ? g_strv_builder_end (all) : NULL;
}

char **
sl_table_text_classes (SlSource *source, const char *column)
{
  TableText *table = sl_source_made_by (source, &maker);
  char **classes = NULL;
  g_autoptr (GHashTable) metadata = garrow_schema_has_metadata (table->schema)
                                        ? garrow_schema_get_metadata (table->schema)
                                        : NULL;
  const char *own = metadata != NULL ? g_hash_table_lookup (metadata, "softlabel.classes") : NULL;
  if (own != NULL)
    (void) sl_classes_from_json (own, &classes, NULL);
  int field = column != NULL ? garrow_schema_get_field_index (table->schema, column) : -1;
  return classes == NULL && field >= 0 ? dictionary_names (table, field) : classes;
}
