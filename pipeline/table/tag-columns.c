/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tag-columns.h"

#include "class-values.h"

#include "pipeline/base/error.h"
#include "carray.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

const SlColumnSpec sl_tag_spec
    = { SL_TAG_PREFIX "KEY", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
        "the value of the tag KEY, of each tag that a row has" };

const SlColumnSpec sl_attribute_spec
    = { SL_ATTRIBUTE_PREFIX "NAME", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
        "the annotator's NAME, of each attribute of annotators that a row has" };

static gboolean
is_attribute (const char *key)
{
  return g_str_has_prefix (key, SL_ATTRIBUTE_PREFIX) && key[strlen (SL_ATTRIBUTE_PREFIX)] != '\0';
}

const char *
sl_tag_key_of (const char *name)
{
  const char *key = is_attribute (name)                      ? name
                    : g_str_has_prefix (name, SL_TAG_PREFIX) ? name + strlen (SL_TAG_PREFIX)
                                                             : "";
  return sl_tags_is_key (key) && (key == name || !is_attribute (key)) ? key : NULL;
}

const char *
sl_tag_column_name (const char *key)
{
  g_autofree char *name = g_strconcat (is_attribute (key) ? "" : SL_TAG_PREFIX, key, NULL);
  /* Names stay for good: there are no more than a run meets keys. */
  return g_intern_string (name);
}

char *
sl_attribute_parse (const char *option, const char *text, const char **column, GError **error)
{
  const gsize n = strcspn (text, "=");
  g_autofree char *name = g_strndup (text, n);
  g_autofree char *key = g_strconcat (
      g_str_has_prefix (name, SL_ATTRIBUTE_PREFIX) ? "" : SL_ATTRIBUTE_PREFIX, name, NULL);
  *column = text[n] == '=' ? text + n + 1 : text;
  if (sl_tag_key_of (key) != NULL && **column != '\0')
    return g_steal_pointer (&key);
  if (**column == '\0' && n > 0)
    {
      sl_error_usage (error, "--%s: '%s' names no column to read", option, text);
      return NULL;
    }
  sl_error_usage (error,
                  "--%s: '%s' is no name for an attribute, which has letters, digits and _ - . "
                  "alone: NAME=%s",
                  option, name, name);
  return NULL;
}

int
sl_table_first_tag (const SlTable *table)
{
  int first = 0;
  while (table->kind->columns[first].name != NULL)
    first++;
  return first;
}

const char *
sl_tag_column_key (const SlTable *table, int column)
{
  return sl_tag_key_of (table->spec[column].name);
}

int
sl_table_tag_column (const SlTable *table, const char *key)
{
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    if (strcmp (sl_tag_column_key (table, c), key) == 0)
      return c;
  return -1;
}

int
sl_table_attribute (const SlTable *table, const char *source, const char *name, GError **error)
{
  g_autofree char *key = g_strconcat (SL_ATTRIBUTE_PREFIX, name, NULL);
  g_autoptr (GString) all = g_string_new (NULL);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      const char *own = table->spec[c].name;
      if (!sl_table_has (table, c) || !is_attribute (own))
        continue;
      if (strcmp (own, key) == 0 || strcmp (own, name) == 0)
        return c;
      g_string_append_printf (all, "%s%s", all->len > 0 ? ", " : "",
                              own + strlen (SL_ATTRIBUTE_PREFIX));
    }
  if (all->len == 0)
    g_string_assign (all, "none: `softlabel ingest --annotator-columns` reads them, and `softlabel "
                          "join --by annotator` brings them");
  sl_error_bad_input (error, "%s: annotators have no '%s'; of their attributes the table has %s",
                      source, name, all->str);
  return -1;
}

gboolean
sl_tag_column_is_told (const SlTable *table, int column)
{
  return column >= sl_table_first_tag (table)
         && sl_tags_get (&table->tags, sl_tag_column_key (table, column)) != NULL;
}

gboolean
sl_table_add_tag_column (SlTable *table, const char *key, GError **error)
{
  if (sl_table_tag_column (table, key) >= 0)
    return TRUE;
  int c = sl_table_first_tag (table), n = c;
  while (table->spec[n].name != NULL)
    n++;
  while (c < n && strcmp (sl_tag_column_key (table, c), key) < 0)
    c++;
  if (n == SL_MAX_COLUMNS)
    return sl_error_bad_input (error,
                               "a table of %s has room for %d tags, which are its columns, and no "
                               "more; --tag KEY= takes one off",
                               table->kind->name, SL_MAX_COLUMNS - sl_table_first_tag (table));
  memmove (table->spec + c + 1, table->spec + c, (gsize) (n - c) * sizeof *table->spec);
  table->spec[c] = is_attribute (key) ? sl_attribute_spec : sl_tag_spec;
  table->spec[c].name = sl_tag_column_name (key);
  guint32 below = (1u << c) - 1;
  table->columns = (table->columns & below) | 1u << c | (table->columns & ~below) << 1;
  return TRUE;
}

gboolean
sl_table_add_tag_columns (SlTable *table, const SlTable *from, GError **error)
{
  for (int c = sl_table_first_tag (from); from->spec[c].name != NULL; c++)
    if (sl_table_has (from, c)
        && !sl_table_add_tag_column (table, sl_tag_column_key (from, c), error))
      return FALSE;
  return TRUE;
}

void
sl_table_drop_tag_columns (SlTable *table)
{
  int first = sl_table_first_tag (table);
  table->columns &= (1u << first) - 1;
  memset (table->spec + first, 0, sizeof table->spec - (gsize) first * sizeof *table->spec);
}

static gboolean
has_tag_columns (const SlTable *table)
{
  return table->spec[sl_table_first_tag (table)].name != NULL;
}

gboolean
sl_tag_columns_find (SlTable *table, GArrowSchema *schema, GError **error)
{
  for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f);
      const char *key = sl_tag_key_of (garrow_field_get_name (field));
      if (key != NULL && !sl_table_add_tag_column (table, key, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_tag_columns_check (const SlBatch *batch, GError **error)
{
  const SlTable *table = batch->table;
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      const char *all = sl_tags_get (&table->tags, sl_tag_column_key (table, c));
      gsize length, n = all != NULL ? strlen (all) : 0;
      for (gint64 i = 0; all != NULL && i < batch->n_rows; i++)
        {
          const char *own = sl_text_get (batch->column[c].text, i, &length);
          if (length != n || memcmp (own, all, n) != 0)
            return sl_error_row (error, batch->first_row + i + 1,
                                 "%s is not '%s', as the metadata 'softlabel.tags' have it for "
                                 "all rows",
                                 table->spec[c].name, all);
        }
    }
  return TRUE;
}

SlTable *
sl_tag_columns_header (SlTable *table, const SlTags *given, GError **error)
{
  if (!table->kind->tags_in_rows && !has_tag_columns (table))
    return sl_table_ref (table);
  g_autoptr (SlTable) header = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (header, table, table->columns);
  sl_table_drop_tag_columns (header);
  header->provenance = g_strdup (table->provenance);
  sl_tags_copy (&header->tags, &table->tags);
  sl_table_set_values (header, table->values);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      const char *key = sl_tag_column_key (table, c), *now = sl_tags_get (given, key);
      /* What is given for all rows needs no column, but in kinds that have one of each tag. */
      gboolean taken_off = now != NULL && (*now == '\0' || !table->kind->tags_in_rows);
      if (sl_table_has (table, c) && !taken_off && !sl_table_add_tag_column (header, key, error))
        return NULL;
    }
  for (int t = 0; table->kind->tags_in_rows && t < table->tags.n; t++)
    if (!sl_table_add_tag_column (header, table->tags.tag[t].key, error))
      return NULL;
  return g_steal_pointer (&header);
}

GArrowArray *
sl_texts_repeat (const char *value, gint64 n, GError **error)
{
  gsize length = value != NULL ? strlen (value) : 0;
  if (length > 0 && n > SL_BATCH_FULL / (gint64) length)
    {
      sl_error_bad_input (error, "a batch has too many rows for the tag '%s'", value);
      return NULL;
    }
  gint32 *offset = sl_buffer_new ((gsize) (n + 1) * sizeof *offset);
  char *text = sl_buffer_new ((gsize) n * length);
  for (gint64 i = 0; i < n; i++)
    {
      offset[i] = (gint32) (i * (gint64) length);
      memcpy (text + (gsize) i * length, value != NULL ? value : "", length);
    }
  offset[n] = (gint32) (n * (gint64) length);
  struct ArrowArray array;
  sl_carray_init (&array, n, 3, 0);
  sl_carray_set (&array, 1, offset);
  sl_carray_set (&array, 2, text);
  if (value == NULL)
    {
      g_autofree guint8 *none = g_malloc0 ((gsize) MAX (n, 1));
      gint64 n_clear;
      sl_carray_set (&array, 0, sl_bits_new (none, n, &n_clear));
      array.null_count = n_clear;
    }
  g_autoptr (GArrowDataType) type = GARROW_DATA_TYPE (garrow_string_data_type_new ());
  return garrow_array_import (&array, type, error);
}

static GArrowArray *
values_of (const SlBatch *batch, const SlTable *table, int column, GError **error)
{
  if (column < sl_table_first_tag (table))
    return g_object_ref (batch->column[column].array);
  const char *key = sl_tag_column_key (table, column), *all = sl_tags_get (&table->tags, key);
  int own = sl_table_tag_column (batch->table, key);
  if (all == NULL && own >= 0 && sl_table_has (batch->table, own))
    return g_object_ref (batch->column[own].array);
  return sl_texts_repeat (all != NULL ? all : sl_tags_get (&batch->table->tags, key), batch->n_rows,
                          error);
}

SlBatch *
sl_tag_columns_fill (SlBatch *batch, SlTable *table, GError **error)
{
  if (batch->table == table
      || (!table->kind->tags_in_rows && !has_tag_columns (batch->table) && !has_tag_columns (table))
      || (sl_table_columns_equal (batch->table, table, NULL)
          && sl_tags_equal (&batch->table->tags, &table->tags)))
    return sl_batch_ref (batch);
  g_autolist (GArrowArray) columns = NULL;
  for (int c = 0; table->spec[c].name != NULL; c++)
    {
      GArrowArray *values = sl_table_has (table, c) ? values_of (batch, table, c, error) : NULL;
      if (values != NULL)
        columns = g_list_append (columns, values);
      else if (sl_table_has (table, c))
        return NULL;
    }
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autoptr (GArrowRecordBatch) filled
      = garrow_record_batch_new (schema, (guint32) batch->n_rows, columns, error);
  return filled != NULL ? sl_batch_new (table, filled, batch->first_row, error) : NULL;
}
