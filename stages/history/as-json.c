/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "as-json.h"

#include "pipeline/display/terminal.h"
#include "shell-words.h"

#include <string.h>

/* The display says which characters can be shown as they are; the escapes for the others are JSON's
 * own. */
static void
append_char (GString *out, gunichar c)
{
  char bytes[6];
  int n = g_unichar_to_utf8 (c, bytes);
  gsize start = out->len;
  sl_display_text (out, bytes, n);
  gboolean plain
      = out->len == start + (gsize) n && memcmp (out->str + start, bytes, (gsize) n) == 0;
  if (plain && c != '"' && c != '\\')
    return;
  g_string_truncate (out, start);
  if (plain)
    g_string_append_printf (out, "\\%c", (char) c);
  else if (c < 0x10000)
    g_string_append_printf (out, "\\u%04x", c);
  else
    g_string_append_printf (out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + (c & 0x3ff));
}

static void
append_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text = g_utf8_next_char (text))
    append_char (out, g_utf8_get_char (text));
  g_string_append_c (out, '"');
}

static void
append_value (GString *out, JsonNode *node)
{
  GType type = JSON_NODE_HOLDS_NULL (node) ? G_TYPE_NONE : json_node_get_value_type (node);
  g_autofree char *number
      = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE ? sl_recorded_text (node) : NULL;
  if (type == G_TYPE_STRING)
    append_string (out, json_node_get_string (node));
  else if (type == G_TYPE_BOOLEAN)
    g_string_append (out, json_node_get_boolean (node) ? "true" : "false");
  else
    g_string_append (out, number != NULL ? number : "null");
}

static void
append_break (GString *out, gboolean first, int indent)
{
  g_string_append (out, first ? "\n" : ",\n");
  sl_display_space (out, indent);
}

static void
append_array (GString *out, JsonArray *array, int indent)
{
  guint n = json_array_get_length (array);
  g_string_append_c (out, '[');
  for (guint i = 0; i < n; i++)
    {
      append_break (out, i == 0, indent + 2);
      sl_history_append_json (out, json_array_get_element (array, i), indent + 2);
    }
  if (n > 0)
    append_break (out, TRUE, indent);
  g_string_append_c (out, ']');
}

static void
append_object (GString *out, JsonObject *object, int indent)
{
  g_autoptr (GList) names = json_object_get_members (object);
  g_string_append_c (out, '{');
  for (GList *name = names; name != NULL; name = name->next)
    {
      append_break (out, name == names, indent + 2);
      append_string (out, name->data);
      g_string_append (out, ": ");
      sl_history_append_json (out, json_object_get_member (object, name->data), indent + 2);
    }
  if (names != NULL)
    append_break (out, TRUE, indent);
  g_string_append_c (out, '}');
}

void
sl_history_append_json (GString *out, JsonNode *node, int indent)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    append_array (out, json_node_get_array (node), indent);
  else if (JSON_NODE_HOLDS_OBJECT (node))
    append_object (out, json_node_get_object (node), indent);
  else
    append_value (out, node);
}
