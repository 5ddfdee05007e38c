/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "number-text.h"

#include <math.h>
#include <string.h>

gboolean
sl_parse_real (const char *text, gssize length, double *value)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;
  return n > 0 && sl_scan_real (text, n, value) == n && isfinite (*value);
}

gsize
sl_format_name (char *text, double value)
{
  return fabs (value) < 0x1p53 && value == floor (value)
             ? (gsize) g_snprintf (text, SL_REAL_CHARS, "%" G_GINT64_FORMAT, (gint64) value)
             : sl_format_real (text, value);
}

gboolean
sl_parse_integer (const char *text, gssize length, gint64 *value)
{
  g_autofree char *copy = g_strndup (text, length < 0 ? strlen (text) : (gsize) length);
  const char *digits = copy[0] == '+' || copy[0] == '-' ? copy + 1 : copy;
  return g_ascii_isdigit (digits[0])
         && g_ascii_string_to_signed (copy[0] == '+' ? digits : copy, 10, G_MININT64, G_MAXINT64,
                                      value, NULL);
}

gboolean
sl_is_huge (const char *text, gssize length, double *infinite)
{
  g_autofree char *copy = g_strndup (text, length < 0 ? strlen (text) : (gsize) length);
  char *end;
  *infinite = g_ascii_strtod (copy, &end);
  return *copy != '\0' && copy[strspn (copy, "0123456789+-.eE")] == '\0' && *end == '\0'
         && isinf (*infinite);
}
