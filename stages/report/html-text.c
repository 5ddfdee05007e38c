/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "html-text.h"

#include <math.h>

/* What no page should be steered by. The joiners make emoji and Persian words, and stay. */
static gboolean
is_hidden (gunichar c)
{
  if (c == 0x200c || c == 0x200d)
    return FALSE;
  switch (g_unichar_type (c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
      return TRUE;
    default:
      /* Tags, and what is no character at all. */
      return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
    }
}

/* The columns of C; a joiner or an accent has none. */
static int
columns_of (gunichar c)
{
  if (g_unichar_iszerowidth (c))
    return 0;
  return g_unichar_iswide (c) ? 2 : 1;
}

static void
append_char (GString *out, gunichar c)
{
  switch (c)
    {
    case '&':
      g_string_append (out, "&amp;");
      return;
    case '<':
      g_string_append (out, "&lt;");
      return;
    case '>':
      g_string_append (out, "&gt;");
      return;
    case '"':
      g_string_append (out, "&quot;");
      return;
    case '\'':
      g_string_append (out, "&#39;");
      return;
    default:
      if (is_hidden (c))
        g_string_append_printf (out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
      else
        g_string_append_unichar (out, c);
    }
}

void
sl_html_cut (GString *out, const char *text, gssize length, int most)
{
  g_autofree char *valid = g_utf8_make_valid (text, length);
  int room = sl_html_columns (valid, -1) > most ? most - 1 : most;
  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      room -= columns_of (c);
      if (room < 0)
        {
          g_string_append (out, "…");
          return;
        }
      append_char (out, c);
    }
}

void
sl_html_text (GString *out, const char *text, gssize length)
{
  sl_html_cut (out, text, length, G_MAXINT);
}

char *
sl_html_escaped (const char *text)
{
  GString *out = g_string_new (NULL);
  sl_html_text (out, text, -1);
  return g_string_free (out, FALSE);
}

int
sl_html_columns (const char *text, gssize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, length);
  int columns = 0;
  for (const char *p = valid; *p != '\0' && columns < G_MAXINT - 2; p = g_utf8_next_char (p))
    columns += columns_of (g_utf8_get_char (p));
  return columns;
}

/* Commas between the thousands of DIGITS, which may begin with a sign and end with decimals. */
static void
append_grouped (GString *out, const char *digits)
{
  if (*digits == '-')
    {
      g_string_append (out, "−");
      digits++;
    }
  int whole = (int) strspn (digits, "0123456789");
  for (int i = 0; i < whole; i++)
    {
      if (i > 0 && (whole - i) % 3 == 0)
        g_string_append_c (out, ',');
      g_string_append_c (out, digits[i]);
    }
  g_string_append (out, digits + whole);
}

void
sl_html_count (GString *out, gint64 n)
{
  char digits[32];
  g_snprintf (digits, sizeof digits, "%" G_GINT64_FORMAT, n);
  append_grouped (out, digits);
}

void
sl_html_real (GString *out, double value, int decimals)
{
  if (!isfinite (value))
    {
      g_string_append (out, isnan (value) ? "–" : value > 0 ? "∞" : "−∞");
      return;
    }
  char format[16], digits[400];
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd (digits, sizeof digits, format, value);
  gboolean zero = strspn (digits, "-0.") == strlen (digits);
  append_grouped (out, digits + (zero && *digits == '-'));
}

void
sl_html_figure (GString *out, double value)
{
  double size = fabs (value);
  if (isfinite (value) && (size >= 1e15 || (size > 0 && size < 0.0005)))
    {
      char digits[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (digits, sizeof digits, "%.2e", value);
      append_grouped (out, digits);
      return;
    }
  gboolean whole = size < 1e15 && value == floor (value);
  sl_html_real (out, value, whole ? 0 : size >= 1000 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
}

void
sl_html_share (GString *out, double share)
{
  double percent = 100 * share;
  sl_html_real (out, percent, percent == floor (percent) ? 0 : 1);
  g_string_append (out, isnan (share) ? "" : " %");
}

void
sl_html_many (GString *out, gint64 n, const char *one, const char *many)
{
  sl_html_count (out, n);
  g_string_append_c (out, ' ');
  g_string_append (out, n == 1 ? one : many);
}

void
sl_html_first (GString *out, const char *before, gint64 shown, gint64 all)
{
  if (shown >= all)
    return;
  g_string_append (out, before);
  sl_html_count (out, shown);
  g_string_append (out, " of ");
  sl_html_count (out, all);
}

static void
append_bdi (GString *out, const char *text, int most)
{
  g_string_append (out, "<bdi>");
  sl_html_cut (out, text, -1, most);
  g_string_append (out, "</bdi>");
}

void
sl_html_vsay (GString *out, const char *format, va_list *args)
{
  for (const char *p = format; *p != '\0'; p++)
    {
      if (*p != '%')
        {
          g_string_append_c (out, *p);
          continue;
        }
      const char *text = strchr ("stcm", *++p) != NULL && *p != 'm' ? va_arg (*args, char *) : NULL;
      gint64 n = *p == 'n' || *p == 'm' ? va_arg (*args, gint64) : 0;
      double value = strchr ("f2p", *p) != NULL ? va_arg (*args, double) : 0;
      switch (*p)
        {
        case 's':
          g_string_append (out, text);
          break;
        case 't':
          append_bdi (out, text, G_MAXINT);
          break;
        case 'c':
          append_bdi (out, text, va_arg (*args, int));
          break;
        case 'n':
          sl_html_count (out, n);
          break;
        case 'm':
          {
            const char *one = va_arg (*args, char *), *many = va_arg (*args, char *);
            sl_html_many (out, n, one, many);
            break;
          }
        case 'f':
          sl_html_figure (out, value);
          break;
        case '2':
          sl_html_real (out, value, 2);
          break;
        case 'p':
          sl_html_share (out, value);
          break;
        default:
          g_string_append (out, *p == '%' ? "" : "%");
          g_string_append_c (out, *p);
        }
    }
}

void
sl_html_say (GString *out, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  sl_html_vsay (out, format, &args);
  va_end (args);
}
