/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shell-words.h"

#include "pipeline/base/error.h"
#include "pipeline/display/terminal.h"

#include <math.h>
#include <string.h>

gboolean
sl_history_malformed (GError **error)
{
  return sl_error_bad_input (error, "its history is not in the form that softlabel writes");
}

void
sl_shell_word (GString *out, const char *text)
{
  static const char plain[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+@%^";
  g_autoptr (GString) shown = g_string_new (NULL);
  sl_display_text (shown, text, -1);
  gboolean escaped = strcmp (shown->str, text) != 0;
  if (!escaped && *text != '\0' && strspn (text, plain) == strlen (text))
    {
      g_string_append (out, text);
      return;
    }
  g_string_append (out, escaped ? "$'" : "'");
  for (const char *c = text; !escaped && *c != '\0'; c++)
    g_string_append_printf (out, *c == '\'' ? "'\\''" : "%c", *c);
  for (const char *c = text; escaped && *c != '\0'; c = g_utf8_next_char (c))
    if (*c == '\'' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else
      sl_display_text (out, c, g_utf8_next_char (c) - c);
  g_string_append_c (out, '\'');
}

char *
sl_shell_value (JsonNode *node)
{
  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING)
    return json_node_dup_string (node);
  if (type == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  if (type != G_TYPE_DOUBLE)
    return NULL;
  double value = json_node_get_double (node);
  if (!isfinite (value))
    return NULL;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  for (int precision = 15; precision <= 17; precision++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", precision);
      g_ascii_formatd (digits, sizeof digits, format, value);
      if (g_ascii_strtod (digits, NULL) == value)
        break;
    }
  return g_strdup (digits);
}

gboolean
sl_shell_option (GString *out, const char *name, JsonNode *node, GError **error)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *value = json_array_get_element (array, i);
          if (JSON_NODE_HOLDS_ARRAY (value))
            return sl_history_malformed (error);
          if (!sl_shell_option (out, name, value, error))
            return FALSE;
        }
      return TRUE;
    }
  gboolean flag = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN;
  if (JSON_NODE_HOLDS_NULL (node) || (flag && !json_node_get_boolean (node)))
    return TRUE;
  g_autofree char *text = flag ? NULL : sl_shell_value (node);
  g_autofree char *word = g_strconcat ("--", name, NULL);
  g_string_append_c (out, ' ');
  sl_shell_word (out, word);
  if (flag)
    return TRUE;
  if (text == NULL)
    return sl_history_malformed (error);
  /* A value that begins with a dash would be taken for an option. */
  g_string_append_c (out, *text == '-' ? '=' : ' ');
  sl_shell_word (out, text);
  return TRUE;
}

void
sl_shell_file (GString *out, const char *name)
{
  g_string_append_c (out, ' ');
  /* A name that begins with a dash would be taken for an option. */
  g_autofree char *safe = g_strconcat (*name == '-' && name[1] != '\0' ? "./" : "", name, NULL);
  sl_shell_word (out, safe);
}
