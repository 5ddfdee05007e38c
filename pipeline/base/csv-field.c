/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-field.h"

#include <string.h>

static guint formulas;

guint
sl_csv_formulas (void)
{
  return (guint) g_atomic_int_get (&formulas);
}

/* Spreadsheets compute what begins with one of these. A name may begin with a sign, but only a
 * formula has a call or a command behind it. */
static gboolean
is_formula (const char *text, gsize length)
{
  if (length < 2)
    return FALSE;
  if (text[0] == '=' || text[0] == '\t' || text[0] == '\r')
    return TRUE;
  return (text[0] == '+' || text[0] == '-' || text[0] == '@')
         && (memchr (text, '(', length) != NULL || memchr (text, '|', length) != NULL);
}

void
sl_csv_append_quoted (GString *out, const char *text, gsize length)
{
  g_string_append_c (out, '"');
  for (gsize i = 0; i < length; i++)
    {
      if (text[i] == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, text[i]);
    }
  g_string_append_c (out, '"');
}

void
sl_csv_append_field (GString *out, const char *text, gsize length)
{
  gboolean plain = TRUE;
  for (gsize i = 0; i < length && plain; i++)
    plain = text[i] != ',' && text[i] != '"' && text[i] != '\n' && text[i] != '\r';
  if (!plain)
    sl_csv_append_quoted (out, text, length);
  else if (out->len + length >= out->allocated_len)
    g_string_append_len (out, text, (gssize) length);
  else
    {
      memcpy (out->str + out->len, text, length); /* a third of g_string_append_len()'s time */
      out->len += length;
      out->str[out->len] = '\0';
    }
}

void
sl_csv_write_field (GString *out, const char *text, gsize length)
{
  if (is_formula (text, length))
    g_atomic_int_inc (&formulas);
  sl_csv_append_field (out, text, length);
}
