/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include "cxx.h"

#include <math.h>
#include <string.h>

/* JSON-GLib's parser calls itself for what is nested, until the stack ends. */
#define MAX_DEPTH 100

void
sl_json_string (GString *json, const char *text, gssize length)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;
  g_string_append_c (json, '"');
  for (gsize i = 0; i < n; i++)
    {
      guchar c = (guchar) text[i];
      if (c == '"' || c == '\\')
        g_string_append_printf (json, "\\%c", c);
      else if (c == '\n')
        g_string_append (json, "\\n");
      else if (c == '\t')
        g_string_append (json, "\\t");
      else if (c < 0x20 || c == 0x7f)
        g_string_append_printf (json, "\\u%04x", c);
      else
        g_string_append_c (json, (char) c);
    }
  g_string_append_c (json, '"');
}

void
sl_json_real (GString *json, double value)
{
  char text[SL_REAL_CHARS];
  if (isfinite (value))
    g_string_append_len (json, text, (gssize) sl_format_real (text, value));
  else
    g_string_append (json, "null");
}

void
sl_json_member (GString *json, const char *name)
{
  if (json->str[json->len - 1] != '{')
    g_string_append_c (json, ',');
  sl_json_string (json, name, -1);
  g_string_append_c (json, ':');
}

gboolean
sl_json_is_array (const char *text)
{
  int depth = 0;
  gboolean in_text = FALSE;
  for (const char *c = text; text[0] == '[' && *c != '\0'; c++)
    if (in_text)
      {
        if (*c == '\\' && c[1] != '\0')
          c++;
        else if (*c == '"')
          in_text = FALSE;
      }
    else if (*c == '"')
      in_text = TRUE;
    else if (*c == '[' || *c == '{')
      {
        if (++depth > MAX_DEPTH)
          return FALSE;
      }
    else if (*c == ']' || *c == '}')
      {
        if (--depth == 0)
          return c[1] == '\0';
      }
    else if (*c == '/' || *c == '\'')
      return FALSE;
  return FALSE;
}
