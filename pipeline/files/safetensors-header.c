/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a safetensors file: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
 * 24]}, ..., "__metadata__": {"key": "text", ...}}. The arrays lie one behind the other, in some
 * order, without gaps. */
#include "safetensors-private.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"

#include <json-glib/json-glib.h>
#include <string.h>

typedef struct
{
  SlSavedArray array;
  gsize begin, end;
} Entry;

static gboolean
refuse (const SlSafetensors *file, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s: %s; it is no safetensors file, or is damaged", file->path,
                             what);
}

/* MEMBER of OBJECT as at most MOST whole numbers, none below 0; -1 where it is none. */
static int
whole_numbers (JsonObject *object, const char *member, int most, gint64 *values)
{
  JsonNode *node = json_object_get_member (object, member);
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return -1;
  JsonArray *array = json_node_get_array (node);
  guint n = json_array_get_length (array);
  for (guint i = 0; i < n && n <= (guint) most; i++)
    {
      JsonNode *value = json_array_get_element (array, i);
      if (json_node_get_value_type (value) != G_TYPE_INT64 || json_node_get_int (value) < 0)
        return -1;
      values[i] = json_node_get_int (value);
    }
  return n <= (guint) most ? (int) n : -1;
}

static gboolean
find_type (JsonObject *object, SlSavedType *type)
{
  JsonNode *node = json_object_get_member (object, "dtype");
  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
    return FALSE;
  for (gsize t = 0; t < G_N_ELEMENTS (sl_saved_types); t++)
    if (strcmp (json_node_get_string (node), sl_saved_types[t].name) == 0)
      {
        *type = (SlSavedType) t;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_entry (SlSafetensors *file, const char *name, JsonNode *node, Entry *entry, GError **error)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return refuse (file, error, "its header says nothing of the array '%.200s'", name);
  JsonObject *object = json_node_get_object (node);
  gint64 offsets[2];
  SlSavedArray *array = &entry->array;
  if (!find_type (object, &array->type))
    return refuse (file, error, "the array '%.200s' is of a type that is not known", name);
  array->n_dims = whole_numbers (object, "shape", SL_SAVED_DIMS, array->dim);
  if (array->n_dims < 0 || whole_numbers (object, "data_offsets", 2, offsets) != 2
      || offsets[1] < offsets[0])
    return refuse (file, error, "the array '%.200s' has no sound shape and place", name);
  gsize bytes = sl_saved_types[array->type].width;
  for (int i = 0; i < array->n_dims; i++)
    if (!g_size_checked_mul (&bytes, bytes, (gsize) array->dim[i]))
      return refuse (file, error, "the array '%.200s' is larger than any", name);
  entry->begin = (gsize) offsets[0];
  entry->end = (gsize) offsets[1];
  if (entry->end - entry->begin != bytes)
    return refuse (file, error, "the array '%.200s' has a place for other than its numbers", name);
  array->name = g_strdup (name);
  g_ptr_array_add (file->names, (gpointer) array->name);
  return TRUE;
}

static gboolean
parse_metadata (SlSafetensors *file, JsonNode *node, GError **error)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return refuse (file, error, "its metadata are no texts by name");
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &name, &value))
    {
      if (json_node_get_value_type (value) != G_TYPE_STRING)
        return refuse (file, error, "its metadata '%.200s' is no text", name);
      g_hash_table_insert (file->metadata, g_strdup (name), json_node_dup_string (value));
    }
  return TRUE;
}

static int
compare_begin (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

/* The arrays, in the order of their places; data is the offset for now. */
static gboolean
place_arrays (SlSafetensors *file, GArray *entries, GError **error)
{
  g_array_sort (entries, compare_begin);
  file->n = entries->len;
  file->array = g_new0 (SlSavedArray, entries->len + 1);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      if (entry->begin != file->n_bytes)
        return refuse (file, error, "the array '%.200s' %s", entry->array.name,
                       entry->begin < file->n_bytes ? "lies over another one"
                                                    : "has a gap before it");
      file->array[i] = entry->array;
      file->array[i].data = GSIZE_TO_POINTER (entry->begin);
      file->n_bytes = entry->end;
    }
  return TRUE;
}

/* JSON-GLib keeps the last of two members of one name. */
static gboolean
parse_members (SlSafetensors *file, JsonObject *object, GError **error)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, TRUE, sizeof (Entry));
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &name, &node))
    {
      Entry entry = { 0 };
      if (strcmp (name, "__metadata__") == 0)
        {
          if (!parse_metadata (file, node, error))
            return FALSE;
          continue;
        }
      if (!parse_entry (file, name, node, &entry, error))
        return FALSE;
      g_array_append_val (entries, entry);
    }
  return place_arrays (file, entries, error);
}

gboolean
sl_safetensors_parse (SlSafetensors *file, const char *text, gsize n, GError **error)
{
  if (n == 0 || text[0] != '{' || memchr (text, '\0', n) != NULL
      || !sl_json_has_fit_texts (text, n))
    return refuse (file, error, "its header is no JSON text");
  g_autofree char *header = g_strndup (text, n);
  g_strchomp (header);
  g_autofree char *array = g_strdup_printf ("[%s]", header);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root
      = sl_json_array_depth (array) > 0 && json_parser_load_from_data (parser, array, -1, NULL)
            ? json_parser_get_root (parser)
            : NULL;
  if (root == NULL || !JSON_NODE_HOLDS_ARRAY (root)
      || json_array_get_length (json_node_get_array (root)) != 1)
    return refuse (file, error, "its header is no JSON object");
  JsonNode *only = json_array_get_element (json_node_get_array (root), 0);
  if (!JSON_NODE_HOLDS_OBJECT (only))
    return refuse (file, error, "its header is no JSON object");
  return parse_members (file, json_node_get_object (only), error);
}
