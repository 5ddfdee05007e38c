/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include "number-text.h"

#include <math.h>
#include <string.h>

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

void
sl_json_text_or_null (GString *json, const char *text)
{
  if (text != NULL)
    sl_json_string (json, text, -1);
  else
    g_string_append (json, "null");
}

void
sl_json_text_member (GString *json, const char *name, const char *text)
{
  sl_json_member (json, name);
  sl_json_text_or_null (json, text);
}

void
sl_json_flag_member (GString *json, const char *name, gboolean flag)
{
  sl_json_member (json, name);
  g_string_append (json, flag ? "true" : "false");
}

void
sl_json_integer_member (GString *json, const char *name, gint64 value)
{
  sl_json_member (json, name);
  g_string_append_printf (json, "%" G_GINT64_FORMAT, value);
}
