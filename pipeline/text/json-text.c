/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made-source.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/error.h"
#include "pipeline/table/types/types.h"
#include "json-reader.h"

#define RECORDS_LOOKED_AT 1000
#define TEXT_BYTES (1 << 18)

typedef struct
{
  SlJsonReader *reader;
  GHashTable *columns; /* names to numbers from 1 */
  GPtrArray *names;    /* of char * */
  GPtrArray *cells;    /* of GString *, of the record at hand; NULL: empty */
  gboolean begun;
} JsonText;

static void
cell_free (gpointer cell)
{
  if (cell != NULL)
    g_string_free (cell, TRUE);
}

static void
json_text_free (gpointer data)
{
  JsonText *json = data;
  sl_json_reader_free (json->reader);
  g_hash_table_unref (json->columns);
  g_ptr_array_unref (json->names);
  g_ptr_array_unref (json->cells);
  g_free (json);
}

/* BETWEEN: what separates members of VALUE, if it has any. INSIDE: it is a member itself. */
static void
append_value (GString *cell, SlJson value, const char *between, gboolean inside)
{
  char room[SL_JSON_ROOM];
  SlCell scalar = sl_json_scalar (value, room);
  if (scalar.text != NULL)
    {
      if (inside)
        sl_csv_append_member (cell, scalar.text, scalar.n);
      else
        g_string_append_len (cell, scalar.text, (gssize) scalar.n);
      return;
    }
  gboolean first = TRUE;
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
    {
      if (sl_json_type (each.value) == SL_JSON_NULL)
        continue;
      if (!first)
        g_string_append (cell, between);
      first = FALSE;
      append_value (cell, each.value, ":", TRUE);
    }
}

static gboolean
fail (const JsonText *json, const SlJsonRecord *record, const char *what, GError **error)
{
  return sl_error_bad_input (error, "%s: row %" G_GINT64_FORMAT ": %s",
                             sl_json_reader_name (json->reader), record->number, what);
}

/* The number of the column NAME, most often NEXT; -1: a new one, when it is too late for that. */
static int
column_of (JsonText *json, const char *name, int next)
{
  if (next < (int) json->names->len && strcmp (json->names->pdata[next], name) == 0)
    return next;
  int column = GPOINTER_TO_INT (g_hash_table_lookup (json->columns, name));
  if (column > 0 || json->begun)
    return column - 1;
  char *own = g_strdup (name);
  g_ptr_array_add (json->names, own);
  g_hash_table_insert (json->columns, own, GINT_TO_POINTER ((int) json->names->len));
  return (int) json->names->len - 1;
}

/* The members of OBJECT become cells; PREFIX stands before their names, unless it is NULL. */
static gboolean
read_members (JsonText *json, const SlJsonRecord *record, SlJson object, const char *prefix,
              GError **error)
{
  int column = -1;
  for (SlJsonEach each = sl_json_each (object); sl_json_each_next (&each);)
    {
      g_autofree char *prefixed = prefix != NULL ? g_strconcat (prefix, each.key.text, NULL) : NULL;
      const char *name = prefixed != NULL ? prefixed : each.key.text;
      if (sl_json_type (each.value) == SL_JSON_OBJECT)
        {
          g_autofree char *inner = g_strconcat (name, ".", NULL);
          if (!read_members (json, record, each.value, inner, error))
            return FALSE;
          continue;
        }
      column = column_of (json, name, column + 1);
      if (column < 0 && sl_json_type (each.value) == SL_JSON_NULL)
        continue;
      if (column < 0)
        {
          g_autofree char *what = g_strdup_printf (
              "the member '%s' is in none of the first %d records, which are the columns", name,
              RECORDS_LOOKED_AT);
          return fail (json, record, what, error);
        }
      while (json->cells->len <= (guint) column)
        g_ptr_array_add (json->cells, NULL);
      if (json->cells->pdata[column] == NULL)
        json->cells->pdata[column] = g_string_new (NULL);
      append_value (json->cells->pdata[column], each.value, "|", FALSE);
    }
  return TRUE;
}

/* Appends the next record as a line, without its newline; *MORE: there was one. */
static gboolean
append_record (JsonText *json, GString *text, gboolean *more, GError **error)
{
  const SlJsonRecord *record;
  for (guint i = 0; i < json->cells->len; i++)
    if (json->cells->pdata[i] != NULL)
      g_string_truncate (json->cells->pdata[i], 0);
  if (!sl_json_reader_next (json->reader, &record, error))
    return FALSE;
  *more = record != NULL;
  if (record == NULL)
    return TRUE;
  if (sl_json_type (record->value) != SL_JSON_OBJECT)
    return fail (json, record, "not an object", error);
  if (!read_members (json, record, record->value, NULL, error))
    return FALSE;
  for (guint i = 0; i < json->cells->len; i++)
    {
      const GString *cell = json->cells->pdata[i];
      if (i > 0)
        g_string_append_c (text, ',');
      if (cell != NULL)
        sl_csv_append_field (text, cell->str, cell->len);
    }
  return TRUE;
}

/* The header can be written when the first records have been seen: until then their lines may lack
 * fields at the end. */
static gboolean
append_first (JsonText *json, GString *text, GError **error)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (cell_free);
  g_autoptr (GArray) width = g_array_new (FALSE, FALSE, sizeof (guint));
  gboolean more = TRUE;
  while (more && lines->len < RECORDS_LOOKED_AT)
    {
      GString *line = g_string_new (NULL);
      g_ptr_array_add (lines, line);
      if (!append_record (json, line, &more, error))
        return FALSE;
      guint n = MAX (json->cells->len, 1);
      g_array_append_val (width, n);
    }
  guint n_lines = more ? lines->len : lines->len - 1;
  for (guint i = 0; i < json->names->len; i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      sl_csv_append_field (text, json->names->pdata[i], strlen (json->names->pdata[i]));
    }
  g_string_append_c (text, '\n');
  for (guint i = 0; i < n_lines; i++)
    {
      const GString *line = lines->pdata[i];
      g_string_append_len (text, line->str, (gssize) line->len);
      for (guint c = g_array_index (width, guint, i); c < json->names->len; c++)
        g_string_append_c (text, ',');
      g_string_append_c (text, '\n');
    }
  while (json->cells->len < json->names->len)
    g_ptr_array_add (json->cells, NULL);
  json->begun = TRUE;
  return TRUE;
}

static gboolean
more (gpointer data, GString *text, GError **error)
{
  JsonText *json = data;
  gboolean there = TRUE;
  if (!json->begun)
    return append_first (json, text, error);
  while (there && text->len < TEXT_BYTES)
    {
      if (!append_record (json, text, &there, error))
        return FALSE;
      if (there)
        g_string_append_c (text, '\n');
    }
  return TRUE;
}

static gint64
taken (gpointer data)
{
  const JsonText *json = data;
  return sl_json_reader_done (json->reader);
}

SlSource *
sl_source_new_json_text (SlSource *source, GError **error)
{
  static const SlSourceMaker maker = { more, json_text_free, taken };
  g_autofree char *name = g_strdup (source->name);
  SlJsonReader *reader = sl_json_reader_new (source, FALSE, error);
  if (reader == NULL)
    return NULL;
  JsonText *json = g_new0 (JsonText, 1);
  json->reader = reader;
  json->columns = g_hash_table_new (g_str_hash, g_str_equal);
  json->names = g_ptr_array_new_with_free_func (g_free);
  json->cells = g_ptr_array_new_with_free_func (cell_free);
  return sl_source_new_made (name, &maker, json);
}
