/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/json.h"
#include "class-values.h"
#include "schema-keys.h"
#include "tag-columns.h"
#include "types/types.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

/* More classes than this are taken for a mistake: a column of free text, say. */
#define MAX_CLASSES (1 << 20)

const SlKind *
sl_kind_find (const char *name)
{
  for (int i = 0; sl_kinds[i] != NULL; i++)
    if (strcmp (sl_kinds[i]->name, name) == 0)
      return sl_kinds[i];
  return NULL;
}

SlTable *
sl_table_new (const SlKind *kind, const char *const *classes)
{
  static const char *const none[] = { NULL };
  SlTable *table = g_new0 (SlTable, 1);
  table->ref_count = 1;
  table->kind = kind;
  table->classes = g_strdupv ((char **) (classes != NULL ? classes : none));
  table->n_classes = (gint32) g_strv_length (table->classes);
  for (int i = 0; kind->columns[i].name != NULL; i++)
    {
      table->spec[i] = kind->columns[i];
      if (!(kind->columns[i].flags & SL_COLUMN_OPTIONAL))
        sl_table_add (table, i);
    }
  return table;
}

SlTable *
sl_table_ref (SlTable *table)
{
  g_atomic_int_inc (&table->ref_count);
  return table;
}

void
sl_table_unref (SlTable *table)
{
  if (!g_atomic_int_dec_and_test (&table->ref_count))
    return;
  g_strfreev (table->classes);
  g_free (table->values);
  g_free (table->provenance);
  sl_tags_clear (&table->tags);
  g_free (table);
}

void
sl_table_add (SlTable *table, int column)
{
  table->columns |= 1u << column;
}

gboolean
sl_table_has (const SlTable *table, int column)
{
  return (table->columns >> column) & 1;
}

gint32
sl_table_class (const SlTable *table, const char *name, gssize length)
{
  gsize n = length < 0 ? strlen (name) : (gsize) length;
  for (gint32 i = 0; i < table->n_classes; i++)
    if (strlen (table->classes[i]) == n && memcmp (table->classes[i], name, n) == 0)
      return i;
  return -1;
}

gint32 *
sl_table_class_map (const SlTable *table, char *const *classes, gint32 n)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  for (gint32 k = 0; k < n; k++)
    g_hash_table_insert (numbers, classes[k], GINT_TO_POINTER (k + 1));
  gint32 *map = g_new (gint32, MAX (table->n_classes, 1));
  for (gint32 k = 0; k < table->n_classes; k++)
    map[k] = GPOINTER_TO_INT (g_hash_table_lookup (numbers, table->classes[k])) - 1;
  return map;
}

int
sl_table_column (const SlTable *table, const char *name)
{
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i) && strcmp (table->spec[i].name, name) == 0)
      return i;
  return -1;
}

void
sl_table_take_columns (SlTable *table, const SlTable *from, guint32 wanted)
{
  table->columns = from->columns & wanted;
  memcpy (table->spec, from->spec, sizeof table->spec);
  memcpy (table->tensor, from->tensor, sizeof table->tensor);
}

gboolean
sl_table_columns_equal (const SlTable *a, const SlTable *b, int *different)
{
  for (int i = 0; a->spec[i].name != NULL || b->spec[i].name != NULL; i++)
    if (g_strcmp0 (a->spec[i].name, b->spec[i].name) != 0
        || sl_table_has (a, i) != sl_table_has (b, i)
        || (sl_table_has (a, i) && !sl_tensor_equal (&a->tensor[i], &b->tensor[i])))
      {
        if (different != NULL)
          *different = i;
        return FALSE;
      }
  return TRUE;
}

gboolean
sl_table_set_tensor (SlTable *table, int column, SlNumber number, int n_dims, const gint64 *dim,
                     GError **error)
{
  g_assert (table->spec[column].type == SL_TYPE_TENSOR);
  return sl_tensor_init (&table->tensor[column], number, n_dims, dim, error);
}

gboolean
sl_table_is_settled (const SlTable *table)
{
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i) && table->tensor[i].n_dims > 0 && table->tensor[i].size == 0)
      return FALSE;
  return TRUE;
}

/* The length of the first list of ARRAY, which has rows. */
static gint64
first_length (GArrowArray *array)
{
  g_autoptr (GArrowArray) first
      = GARROW_IS_LARGE_LIST_ARRAY (array)
            ? garrow_large_list_array_get_value (GARROW_LARGE_LIST_ARRAY (array), 0)
            : garrow_list_array_get_value (GARROW_LIST_ARRAY (array), 0);
  return garrow_array_get_length (first);
}

gboolean
sl_table_settle (SlTable *table, GArrowRecordBatch *batch, GError **error)
{
  for (int i = 0; table->spec[i].name != NULL; i++)
    {
      SlTensor *tensor = &table->tensor[i];
      if (!sl_table_has (table, i) || tensor->n_dims == 0 || tensor->size > 0
          || garrow_record_batch_get_n_rows (batch) == 0)
        continue;
      const char *name = table->spec[i].name;
      g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (batch);
      g_autoptr (GArrowArray) array = garrow_record_batch_get_column_data (
          batch, garrow_schema_get_field_index (schema, name));
      /* The offsets are looked into before they are used. */
      if (array == NULL || !garrow_array_validate_full (array, NULL))
        return sl_error_row (error, 1, "column '%s' is damaged", name);
      gint64 length = first_length (array);
      g_autoptr (GError) problem = NULL;
      if (!sl_tensor_init (tensor, tensor->number, 1, &length, &problem))
        return sl_error_row (error, 1, "column '%s': %s", name, problem->message);
    }
  return TRUE;
}

gint64
sl_table_batch_rows (const SlTable *table)
{
  gint64 row = 0, least = 16;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        row += sl_type_bytes (table, i);
        /* A large image fills a batch by itself. */
        if (table->spec[i].type == SL_TYPE_TENSOR)
          least = 1;
      }
  gint64 rows = 1 << 16;
  while (rows > least && rows * row > 1 << 21)
    rows /= 2;
  return rows;
}

GArrowDataType *
sl_table_column_type (const SlTable *table, int column)
{
  return sl_type_of (table, column)->arrow (table, column);
}

static char *
classes_to_json (const SlTable *table)
{
  GString *json = g_string_new ("[");
  for (gint32 i = 0; i < table->n_classes; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      sl_json_string (json, table->classes[i], -1);
    }
  g_string_append_c (json, ']');
  return g_string_free (json, FALSE);
}

static GArrowField *
to_field (const SlTable *table, int column)
{
  const SlColumnSpec *spec = &table->spec[column];
  const SlTypeRow *row = sl_type_of (table, column);
  g_autoptr (GArrowDataType) type = row->arrow (table, column);
  g_autoptr (GArrowField) field
      = garrow_field_new_full (spec->name, type, (spec->flags & SL_COLUMN_NULLABLE) != 0);
  if (row->metadata == NULL)
    return g_steal_pointer (&field);
  g_autoptr (GHashTable) metadata = row->metadata (table, column);
  return garrow_field_with_metadata (field, metadata);
}

GArrowSchema *
sl_table_to_schema (const SlTable *table)
{
  g_autolist (GArrowField) fields = NULL;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      fields = g_list_append (fields, to_field (table, i));
  g_autoptr (GArrowSchema) bare = garrow_schema_new (fields);
  g_autofree char *classes = classes_to_json (table);
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (metadata, (gpointer) SL_KEY_KIND, (gpointer) table->kind->name);
  if (table->n_classes > 0)
    g_hash_table_insert (metadata, (gpointer) SL_KEY_CLASSES, classes);
  if (table->provenance != NULL)
    g_hash_table_insert (metadata, (gpointer) SL_KEY_PROVENANCE, table->provenance);
  g_autofree char *tags = sl_tags_to_json (&table->tags);
  if (tags != NULL)
    g_hash_table_insert (metadata, (gpointer) SL_KEY_TAGS, tags);
  g_autofree char *values = sl_values_to_json (table->values, table->n_classes);
  if (values != NULL)
    g_hash_table_insert (metadata, (gpointer) SL_KEY_VALUES, values);
  return garrow_schema_with_metadata (bare, metadata);
}

static gboolean
bad_classes (GError **error, const char *what)
{
  return sl_error_bad_input (error, "its metadata '" SL_KEY_CLASSES "' %s", what);
}

gboolean
sl_classes_from_json (const char *json, char ***classes, GError **error)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson array;
  const char *wrong = sl_json_parse_text (parser, json, &array);
  if (g_strcmp0 (wrong, SL_JSON_BAD_ESCAPE) == 0 || g_strcmp0 (wrong, SL_JSON_NOT_UTF8) == 0)
    return bad_classes (error, "has a text that is not UTF-8, or has a NUL in it");
  if (wrong != NULL || sl_json_type (array) != SL_JSON_ARRAY)
    return bad_classes (error, "is not a JSON array");
  gsize n = sl_json_length (array), i = 0;
  if (n > MAX_CLASSES)
    return bad_classes (error, "has over a million classes");
  g_auto (GStrv) texts = g_new0 (char *, n + 1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (SlJsonEach each = sl_json_each (array); sl_json_each_next (&each); i++)
    {
      texts[i] = g_strdup (sl_json_c_str (each.value));
      if (texts[i] == NULL)
        return bad_classes (error, "has a class that is not text");
      if (texts[i][0] == '\0')
        return bad_classes (error, "has a class without a name");
      if (!g_hash_table_add (seen, texts[i]))
        return bad_classes (error, "names a class twice");
    }
  *classes = g_steal_pointer (&texts);
  return TRUE;
}

/* Adds column I of the kind, which is FIELD in a table from elsewhere. */
static gboolean
add_column (SlTable *table, int i, GArrowField *field, GError **error)
{
  const SlTypeRow *row = sl_type_of (table, i);
  GArrowDataType *type = garrow_field_get_data_type (field);
  if (!row->fits (type))
    {
      g_autofree char *shown = garrow_data_type_to_string (type);
      return sl_error_bad_input (error, "column '%s' is %s; a table of %s has %s there",
                                 table->spec[i].name, shown, table->kind->name, row->name);
    }
  sl_table_add (table, i);
  return row->learn == NULL || row->learn (table, i, field, error);
}

/* Adds the columns of the kind that SCHEMA has to TABLE. */
static gboolean
match_columns (SlTable *table, GArrowSchema *schema, GError **error)
{
  for (int i = 0; table->spec[i].name != NULL; i++)
    {
      const SlColumnSpec *spec = &table->spec[i];
      int found = 0;
      for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
        {
          g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f);
          if (strcmp (garrow_field_get_name (field), spec->name) != 0)
            continue;
          found++;
          if (!add_column (table, i, field, error))
            return FALSE;
        }
      if (found > 1 || (found == 0 && !(spec->flags & SL_COLUMN_OPTIONAL)))
        return sl_error_bad_input (
            error,
            found > 1 ? "it has column '%s' twice (a table of %s: `softlabel schema %s`)"
                      : "it has no column '%s' (a table of %s: `softlabel schema %s`)",
            spec->name, table->kind->name, table->kind->name);
    }
  return TRUE;
}

static gboolean
needs_classes (const SlTable *table)
{
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i) && sl_type_of (table, i)->map != NULL)
      return TRUE;
  return FALSE;
}

SlTable *
sl_table_from_schema (GArrowSchema *schema, const SlKind *kind, const char *const *classes,
                      GError **error)
{
  g_autoptr (GHashTable) metadata = garrow_schema_has_metadata (schema)
                                        ? garrow_schema_get_metadata (schema)
                                        : g_hash_table_new (g_str_hash, g_str_equal);
  const char *kind_name = g_hash_table_lookup (metadata, SL_KEY_KIND);
  const char *classes_json = g_hash_table_lookup (metadata, SL_KEY_CLASSES);
  const char *provenance = g_hash_table_lookup (metadata, SL_KEY_PROVENANCE);
  const char *tags = g_hash_table_lookup (metadata, SL_KEY_TAGS);
  const char *values = g_hash_table_lookup (metadata, SL_KEY_VALUES);
  /* What the table says of itself goes first. */
  const SlKind *said = kind_name != NULL ? sl_kind_find (kind_name) : NULL;
  if (said != NULL)
    kind = said;
  if (kind == NULL)
    {
      sl_error_bad_input (error,
                          kind_name != NULL
                              ? "it is a table of an unknown kind, '%s'"
                              : "its metadata does not say what kind of table it is (%s): "
                                "`softlabel ingest` reads what other programs wrote; where it has "
                                "the columns of `softlabel schema KIND`, `softlabel cat --table "
                                "KIND --classes A,B,C` is enough",
                          kind_name != NULL ? kind_name : SL_KEY_KIND);
      return NULL;
    }
  g_auto (GStrv) named = NULL;
  if (classes_json != NULL && !sl_classes_from_json (classes_json, &named, error))
    return NULL;
  g_autoptr (SlTable) table
      = sl_table_new (kind, named != NULL ? (const char *const *) named : classes);
  table->columns = 0;
  if (!sl_tag_columns_find (table, schema, error) || !match_columns (table, schema, error))
    return NULL;
  if (needs_classes (table) && table->n_classes == 0)
    {
      sl_error_bad_input (error, "its metadata does not name the classes (" SL_KEY_CLASSES
                                 "); `softlabel cat --classes A,B,C` writes them into it");
      return NULL;
    }
  table->provenance = g_strdup (provenance);
  if (tags != NULL && !sl_tags_from_json (&table->tags, tags, error))
    return NULL;
  if (values != NULL
      && (table->values = sl_values_from_json (values, table->n_classes, error)) == NULL)
    return NULL;
  return g_steal_pointer (&table);
}
