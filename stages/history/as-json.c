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
append_break (GString *out, gboolean first, int indent)
{
  g_string_append (out, first ? "\n" : ",\n");
  sl_display_space (out, indent);
}

void
sl_history_append_json (GString *out, SlJson value, int indent)
{
  SlJsonType type = sl_json_type (value);
  gboolean object = type == SL_JSON_OBJECT;
  if (!object && type != SL_JSON_ARRAY)
    {
      g_autofree char *number = type == SL_JSON_NUMBER ? sl_recorded_text (value) : NULL;
      if (type == SL_JSON_TEXT)
        append_string (out, sl_json_c_str (value));
      else if (type == SL_JSON_BOOL)
        g_string_append (out, sl_json_is_true (value) ? "true" : "false");
      else
        g_string_append (out, number != NULL ? number : "null");
      return;
    }
  gboolean first = TRUE;
  g_string_append_c (out, object ? '{' : '[');
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each); first = FALSE)
    {
      append_break (out, first, indent + 2);
      if (object)
        {
          append_string (out, each.key.text);
          g_string_append (out, ": ");
        }
      sl_history_append_json (out, each.value, indent + 2);
    }
  if (!first)
    append_break (out, TRUE, indent);
  g_string_append_c (out, object ? '}' : ']');
}
