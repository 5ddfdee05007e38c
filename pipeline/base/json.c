/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json.h"

#include "number-text.h"

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

void
sl_json_text_or_null (GString *json, const char *text)
{
  if (text != NULL)
    sl_json_string (json, text, -1);
  else
    g_string_append (json, "null");
}

int
sl_json_array_depth (const char *text)
{
  int depth = 0, deepest = 0;
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
          return 0;
        deepest = MAX (deepest, depth);
      }
    else if (*c == ']' || *c == '}')
      {
        if (--depth == 0)
          return c[1] == '\0' ? deepest : 0;
      }
    else if (*c == '/' || *c == '\'')
      return 0;
  return 0;
}

/* The code unit of the escape \uXXXX at TEXT[n]; -1 where there is none. */
static int
code_unit (const char *text, gsize n)
{
  int unit = 0;
  if (n < 6 || text[0] != '\\' || text[1] != 'u')
    return -1;
  for (int i = 2; i < 6; i++)
    {
      int digit = g_ascii_xdigit_value (text[i]);
      if (digit < 0)
        return -1;
      unit = unit * 16 + digit;
    }
  return unit;
}

/* The length of the escape at TEXT[n]; 0 where it is none of JSON's, or stands for no character of
 * a text. */
static gsize
escape_length (const char *text, gsize n)
{
  if (n >= 2 && text[1] != '\0' && strchr ("\"\\/bfnrt", text[1]) != NULL)
    return 2;
  int unit = code_unit (text, n);
  if (unit <= 0 || (unit >= 0xdc00 && unit < 0xe000))
    return 0;
  if (unit < 0xd800 || unit >= 0xe000)
    return 6;
  int low = code_unit (text + 6, n - 6);
  return low >= 0xdc00 && low < 0xe000 ? 12 : 0;
}

gboolean
sl_json_has_fit_texts (const char *text, gsize n)
{
  const char *end = text + n, *at = text;
  if (!g_utf8_validate (text, (gssize) n, NULL))
    return FALSE;
  while ((at = memchr (at, '\\', (gsize) (end - at))) != NULL)
    {
      gsize length = escape_length (at, (gsize) (end - at));
      if (length == 0)
        return FALSE;
      at += length;
    }
  return TRUE;
}
