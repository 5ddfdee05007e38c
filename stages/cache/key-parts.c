/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "key-parts.h"

#include <json-glib/json-glib.h>
#include <string.h>

static void
add_members (GHashTable *parts, const char *prefix, JsonObject *object)
{
  g_autoptr (GList) names = json_object_get_members (object);
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *node = json_object_get_member (object, name->data);
      g_autofree char *whole = g_strconcat (prefix, name->data, NULL);
      if (JSON_NODE_HOLDS_OBJECT (node))
        {
          g_autofree char *below = g_strconcat (whole, ".", NULL);
          add_members (parts, below, json_node_get_object (node));
        }
      else
        g_hash_table_insert (parts, g_steal_pointer (&whole), json_to_string (node, FALSE));
    }
}

GHashTable *
sl_key_parts (const char *key)
{
  GHashTable *parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (json_parser_load_from_data (parser, key, -1, NULL)
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    add_members (parts, "", json_node_get_object (json_parser_get_root (parser)));
  return parts;
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

guint
sl_key_differences (GHashTable *one, GHashTable *other, GPtrArray *list)
{
  guint n = 0;
  GHashTableIter iter;
  gpointer name, value;
  g_hash_table_iter_init (&iter, one);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (g_strcmp0 (g_hash_table_lookup (other, name), value) != 0 && ++n > 0 && list != NULL)
      g_ptr_array_add (list, name);
  g_hash_table_iter_init (&iter, other);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!g_hash_table_contains (one, name) && ++n > 0 && list != NULL)
      g_ptr_array_add (list, name);
  if (list != NULL)
    g_ptr_array_sort (list, by_text);
  return n;
}
