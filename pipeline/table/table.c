/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define KIND_KEY "softlabel.table"
#define CLASSES_KEY "softlabel.classes"
#define PROVENANCE_KEY "softlabel.provenance"

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
    if (!(kind->columns[i].flags & SL_COLUMN_OPTIONAL))
      sl_table_add (table, i);
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
  g_free (table->provenance);
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
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i) && strcmp (table->kind->columns[i].name, name) == 0)
      return i;
  return -1;
}

gint64
sl_table_batch_rows (const SlTable *table)
{
  static const int bytes[] = {
    [SL_TYPE_TEXT] = 16,    [SL_TYPE_CLASS] = 4, [SL_TYPE_CLASSES] = 24,
    [SL_TYPE_CHOICES] = 32, [SL_TYPE_LABEL] = 0, [SL_TYPE_BOOL] = 1,
    [SL_TYPE_INT32] = 4,    [SL_TYPE_INT64] = 8, [SL_TYPE_REAL] = 8,
  };
  gint64 row = 0;
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        SlType type = table->kind->columns[i].type;
        row += type == SL_TYPE_LABEL ? 8 * (gint64) table->n_classes : bytes[type];
      }
  gint64 rows = 1 << 16;
  while (rows > 16 && rows * row > 1 << 21)
    rows /= 2;
  return rows;
}

static GArrowDataType *
class_type (void)
{
  g_autoptr (GArrowDataType) index = GARROW_DATA_TYPE (garrow_int32_data_type_new ());
  g_autoptr (GArrowDataType) value = GARROW_DATA_TYPE (garrow_string_data_type_new ());
  return GARROW_DATA_TYPE (garrow_dictionary_data_type_new (index, value, FALSE));
}

static GArrowDataType *
list_of (GArrowDataType *type)
{
  g_autoptr (GArrowField) item = garrow_field_new_full ("item", type, FALSE);
  return GARROW_DATA_TYPE (garrow_list_data_type_new (item));
}

static GArrowDataType *
choice_type (void)
{
  g_autoptr (GArrowDataType) class = class_type ();
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowField) class_field = garrow_field_new_full ("class", class, FALSE);
  g_autoptr (GArrowField) percent_field = garrow_field_new_full ("percent", real, TRUE);
  g_autoptr (GList) fields = g_list_append (g_list_append (NULL, class_field), percent_field);
  return GARROW_DATA_TYPE (garrow_struct_data_type_new (fields));
}

GArrowDataType *
sl_type_to_arrow (SlType type, gint32 n_classes)
{
  g_autoptr (GArrowDataType) part = NULL;
  g_autoptr (GArrowField) item = NULL;
  switch (type)
    {
    case SL_TYPE_TEXT:
      return GARROW_DATA_TYPE (garrow_string_data_type_new ());
    case SL_TYPE_CLASS:
      return class_type ();
    case SL_TYPE_CLASSES:
      part = class_type ();
      return list_of (part);
    case SL_TYPE_CHOICES:
      part = choice_type ();
      return list_of (part);
    case SL_TYPE_LABEL:
      part = GARROW_DATA_TYPE (garrow_double_data_type_new ());
      item = garrow_field_new_full ("item", part, FALSE);
      return GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (item, n_classes));
    case SL_TYPE_BOOL:
      return GARROW_DATA_TYPE (garrow_boolean_data_type_new ());
    case SL_TYPE_INT32:
      return GARROW_DATA_TYPE (garrow_int32_data_type_new ());
    case SL_TYPE_INT64:
      return GARROW_DATA_TYPE (garrow_int64_data_type_new ());
    case SL_TYPE_REAL:
      return GARROW_DATA_TYPE (garrow_double_data_type_new ());
    }
  g_assert_not_reached ();
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

GArrowSchema *
sl_table_to_schema (const SlTable *table)
{
  g_autolist (GArrowField) fields = NULL;
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const SlColumnSpec *spec = &table->kind->columns[i];
        g_autoptr (GArrowDataType) type = sl_type_to_arrow (spec->type, table->n_classes);
        fields = g_list_append (
            fields,
            garrow_field_new_full (spec->name, type, (spec->flags & SL_COLUMN_NULLABLE) != 0));
      }
  g_autoptr (GArrowSchema) bare = garrow_schema_new (fields);
  g_autofree char *classes = classes_to_json (table);
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (metadata, (gpointer) KIND_KEY, (gpointer) table->kind->name);
  if (table->n_classes > 0)
    g_hash_table_insert (metadata, (gpointer) CLASSES_KEY, classes);
  if (table->provenance != NULL)
    g_hash_table_insert (metadata, (gpointer) PROVENANCE_KEY, table->provenance);
  return garrow_schema_with_metadata (bare, metadata);
}

static gboolean
bad_classes (GError **error, const char *what)
{
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "its metadata '" CLASSES_KEY "' %s", what);
  return FALSE;
}

/* A JSON array of distinct, non-empty texts. */
static gboolean
classes_from_json (const char *json, char ***classes, GError **error)
{
  g_autofree char *stripped = g_strstrip (g_strdup (json));
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (sl_json_array_depth (stripped) == 0
      || !json_parser_load_from_data (parser, stripped, -1, NULL)
      || json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_ARRAY (json_parser_get_root (parser)))
    return bad_classes (error, "is not a JSON array");
  if (!sl_json_has_fit_texts (stripped, strlen (stripped)))
    return bad_classes (error, "has a text that is not UTF-8, or has a NUL in it");
  JsonArray *array = json_node_get_array (json_parser_get_root (parser));
  guint n = json_array_get_length (array);
  if (n > MAX_CLASSES)
    return bad_classes (error, "has over a million classes");
  g_auto (GStrv) texts = g_new0 (char *, n + 1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      if (json_node_get_value_type (node) != G_TYPE_STRING)
        return bad_classes (error, "has a class that is not text");
      texts[i] = json_node_dup_string (node);
      if (texts[i][0] == '\0')
        return bad_classes (error, "has a class without a name");
      if (!g_hash_table_add (seen, texts[i]))
        return bad_classes (error, "names a class twice");
    }
  *classes = g_steal_pointer (&texts);
  return TRUE;
}

/* What the types of a column may be in a table from elsewhere; the reader makes them canonical. A column of nothing but missing
 * values has no type in pandas, which also keeps integers of which some are missing as reals. */
static gboolean
type_fits (SlType type, GArrowDataType *arrow)
{
  gboolean text = GARROW_IS_STRING_DATA_TYPE (arrow) || GARROW_IS_LARGE_STRING_DATA_TYPE (arrow)
                  || GARROW_IS_DICTIONARY_DATA_TYPE (arrow);
  gboolean list = GARROW_IS_LIST_DATA_TYPE (arrow) || GARROW_IS_LARGE_LIST_DATA_TYPE (arrow);
  gboolean nothing = GARROW_IS_NULL_DATA_TYPE (arrow);
  switch (type)
    {
    case SL_TYPE_TEXT:
    case SL_TYPE_CLASS:
      return text || nothing || GARROW_IS_INTEGER_DATA_TYPE (arrow);
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      return list;
    case SL_TYPE_LABEL:
      return list || GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (arrow);
    case SL_TYPE_BOOL:
      return nothing || GARROW_IS_BOOLEAN_DATA_TYPE (arrow);
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
    case SL_TYPE_REAL:
      return nothing || GARROW_IS_NUMERIC_DATA_TYPE (arrow) || GARROW_IS_DECIMAL_DATA_TYPE (arrow);
    }
  return FALSE;
}

static const char *const type_texts[] = {
  [SL_TYPE_TEXT] = "utf8",
  [SL_TYPE_CLASS] = "dictionary<int32, utf8>",
  [SL_TYPE_CLASSES] = "list<dictionary<int32, utf8>>",
  [SL_TYPE_CHOICES] = "list<struct<class: dictionary<int32, utf8>, percent: double>>",
  [SL_TYPE_LABEL] = "fixed_size_list<double>[number of classes]",
  [SL_TYPE_BOOL] = "bool",
  [SL_TYPE_INT32] = "int32",
  [SL_TYPE_INT64] = "int64",
  [SL_TYPE_REAL] = "double",
};

const char *
sl_type_name (SlType type)
{
  return type_texts[type];
}

/* Adds the columns of the kind that SCHEMA has to TABLE. */
static gboolean
match_columns (SlTable *table, GArrowSchema *schema, GError **error)
{
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    {
      const SlColumnSpec *spec = &table->kind->columns[i];
      int found = 0;
      for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
        {
          g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f);
          if (strcmp (garrow_field_get_name (field), spec->name) != 0)
            continue;
          GArrowDataType *type = garrow_field_get_data_type (field);
          g_autofree char *shown = garrow_data_type_to_string (type);
          found++;
          if (!type_fits (spec->type, type))
            {
              g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                           "column '%s' is %s; a table of %s has %s there", spec->name, shown,
                           table->kind->name, sl_type_name (spec->type));
              return FALSE;
            }
          sl_table_add (table, i);
        }
      if (found > 1 || (found == 0 && !(spec->flags & SL_COLUMN_OPTIONAL)))
        {
          g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                       found > 1 ? "it has column '%s' twice (a table of %s: `softlabel schema %s`)"
                                 : "it has no column '%s' (a table of %s: `softlabel schema %s`)",
                       spec->name, table->kind->name, table->kind->name);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
needs_classes (const SlTable *table)
{
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      switch (table->kind->columns[i].type)
        {
        case SL_TYPE_CLASS:
        case SL_TYPE_CLASSES:
        case SL_TYPE_CHOICES:
        case SL_TYPE_LABEL:
          return TRUE;
        default:
          break;
        }
  return FALSE;
}

SlTable *
sl_table_from_schema (GArrowSchema *schema, const SlKind *kind, const char *const *classes,
                      GError **error)
{
  g_autoptr (GHashTable) metadata = garrow_schema_has_metadata (schema)
                                        ? garrow_schema_get_metadata (schema)
                                        : g_hash_table_new (g_str_hash, g_str_equal);
  const char *kind_name = g_hash_table_lookup (metadata, KIND_KEY);
  const char *classes_json = g_hash_table_lookup (metadata, CLASSES_KEY);
  const char *provenance = g_hash_table_lookup (metadata, PROVENANCE_KEY);
  /* What the table says of itself goes first. */
  const SlKind *said = kind_name != NULL ? sl_kind_find (kind_name) : NULL;
  if (said != NULL)
    kind = said;
  if (kind == NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   kind_name != NULL
                       ? "it is a table of an unknown kind, '%s'"
                       : "its metadata does not say what kind of table it is (%s); "
                         "`softlabel cat --table KIND --classes A,B,C` writes that into it",
                   kind_name != NULL ? kind_name : KIND_KEY);
      return NULL;
    }
  g_auto (GStrv) named = NULL;
  if (classes_json != NULL && !classes_from_json (classes_json, &named, error))
    return NULL;
  g_autoptr (SlTable) table
      = sl_table_new (kind, named != NULL ? (const char *const *) named : classes);
  table->columns = 0;
  if (!match_columns (table, schema, error))
    return NULL;
  if (needs_classes (table) && table->n_classes == 0)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "its metadata does not name the classes (" CLASSES_KEY
                   "); `softlabel cat --classes A,B,C` writes them into it");
      return NULL;
    }
  table->provenance = g_strdup (provenance);
  return g_steal_pointer (&table);
}
