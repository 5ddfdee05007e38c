/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include "json-value.h"
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

/* ---- of values (json-value.h): what needs no C++ ---- */

const char *
sl_json_parse_text (SlJsonParser *parser, const char *text, SlJson *value)
{
  const char *wrong = "there is no memory for it";
  if (parser != NULL)
    wrong = sl_json_parse_cell (parser, (SlCell){ text, strlen (text) }, value);
  for (const char *at = text; wrong == NULL && (at = strchr (at, '\\')) != NULL; at += 2)
    if (g_str_has_prefix (at, "\\u0000"))
      wrong = SL_JSON_BAD_ESCAPE;
  if (wrong != NULL)
    *value = (SlJson){ NULL, 0 };
  return wrong;
}

SlJson
sl_json_get (SlJson value, const char *name)
{
  return sl_json_get_cell (value, (SlCell){ name, strlen (name) });
}

gboolean
sl_json_is_scalar (SlJson value)
{
  SlJsonType type = sl_json_type (value);
  return type == SL_JSON_BOOL || type == SL_JSON_NUMBER || type == SL_JSON_TEXT;
}

gsize
sl_json_length (SlJson value)
{
  gsize n = 0;
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
    n++;
  return n;
}

int
sl_json_depth (SlJson value)
{
  int depth = 0;
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
    {
      const int inner = sl_json_depth (each.value);
      depth = MAX (depth, inner);
    }
  return depth + (sl_json_type (value) == SL_JSON_ARRAY || sl_json_type (value) == SL_JSON_OBJECT);
}

gboolean
sl_json_equal (SlJson a, SlJson b)
{
  SlJsonType type = sl_json_type (a);
  if (type != sl_json_type (b) || sl_json_length (a) != sl_json_length (b))
    return FALSE;
  if (sl_json_is_scalar (a))
    {
      char room[SL_JSON_ROOM], other_room[SL_JSON_ROOM];
      SlCell text = sl_json_scalar (a, room), other = sl_json_scalar (b, other_room);
      return text.n == other.n && memcmp (text.text, other.text, text.n) == 0;
    }
  SlJsonEach one = sl_json_each (a), other = sl_json_each (b);
  while (sl_json_each_next (&one) && sl_json_each_next (&other))
    if (!sl_json_equal (one.value,
                        type == SL_JSON_OBJECT ? sl_json_get_cell (b, one.key) : other.value))
      return FALSE;
  return TRUE;
}
