/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "key-parts.h"

#include "pipeline/base/json-value.h"

#include <string.h>

static void
add_members (GHashTable *parts, const char *prefix, SlJson object)
{
  SlJsonEach each = sl_json_each (object);
  while (sl_json_each_next (&each))
    {
      g_autofree char *whole = g_strconcat (prefix, each.key.text, NULL);
      g_autofree char *below = g_strconcat (whole, ".", NULL);
      if (sl_json_type (each.value) == SL_JSON_OBJECT)
        add_members (parts, below, each.value);
      else
        g_hash_table_insert (parts, g_steal_pointer (&whole), sl_json_to_string (each.value));
    }
}

GHashTable *
sl_key_parts (const char *key)
{
  GHashTable *parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson object;
  if (sl_json_parse_text (parser, key, &object) == NULL && sl_json_type (object) == SL_JSON_OBJECT)
    add_members (parts, "", object);
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
