/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MIN_COLUMNS 20
#define MAX_COLUMNS 10000

gboolean
sl_display_utf8 (void)
{
  return g_get_charset (NULL);
}

/* A character that shows itself and nothing else. Format characters (zero-width joiners, direction
 * overrides), which are not printable to GLib, are invisible, and some let one text pass for
 * another. */
static gboolean
is_plain (gunichar c, gboolean utf8)
{
  if (c < 0x80)
    return c >= 0x20 && c < 0x7f;
  if (!utf8 || !g_unichar_isprint (c))
    return FALSE;
  GUnicodeType type = g_unichar_type (c);
  return type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR
         && type != G_UNICODE_PRIVATE_USE;
}

/* How many characters at the start of TEXT are plain ASCII: most texts are nothing else. */
static gsize
plain_ascii (const char *text, const char *end)
{
  const char *at = text;
  while (at < end && *at >= 0x20 && *at < 0x7f)
    at++;
  return (gsize) (at - text);
}

static void
escape (GString *out, gunichar c)
{
  if (c == '\n')
    g_string_append (out, "\\n");
  else if (c == '\r')
    g_string_append (out, "\\r");
  else if (c == '\t')
    g_string_append (out, "\\t");
  else if (c < 0x80)
    g_string_append_printf (out, "\\x%02x", c);
  else if (c < 0x10000)
    g_string_append_printf (out, "\\u%04x", c);
  else
    g_string_append_printf (out, "\\U%08x", c);
}

static void
append_escaped (GString *out, const char *text, gssize length, gboolean utf8)
{
  const char *end = text + (length < 0 ? (gssize) strlen (text) : length);
  while (text < end)
    {
      gsize n = plain_ascii (text, end);
      g_string_append_len (out, text, (gssize) n);
      text += n;
      if (text == end)
        break;
      gunichar c = g_utf8_get_char_validated (text, end - text);
      if (c >= (gunichar) -2)
        {
          g_string_append_printf (out, "\\x%02x", (guchar) *text++);
          continue;
        }
      if (is_plain (c, utf8))
        g_string_append_unichar (out, c);
      else
        escape (out, c);
      text += c == 0 ? 1 : g_unichar_to_utf8 (c, NULL);
    }
}

void
sl_display_text (GString *out, const char *text, gssize length)
{
  append_escaped (out, text, length, sl_display_utf8 ());
}

void
sl_display_anywhere (GString *out, const char *text, gssize length)
{
  append_escaped (out, text, length, TRUE);
}

static int
char_width (gunichar c)
{
  if (g_unichar_iszerowidth (c))
    return 0;
  return g_unichar_iswide (c) ? 2 : 1;
}

int
sl_display_width (const char *text, gssize length)
{
  const char *end = text + (length < 0 ? (gssize) strlen (text) : length);
  int width = (int) plain_ascii (text, end);
  for (text += width; text < end; text = g_utf8_next_char (text))
    width += char_width (g_utf8_get_char (text));
  return width;
}

/* The end of the longest start of TEXT that takes at most WIDTH columns. */
static const char *
head (const char *text, int width)
{
  while (*text != '\0')
    {
      width -= char_width (g_utf8_get_char (text));
      if (width < 0)
        break;
      text = g_utf8_next_char (text);
    }
  return text;
}

/* The start of the longest end of TEXT that takes at most WIDTH columns. */
static const char *
tail (const char *text, int width)
{
  const char *at = text + strlen (text), *best = at;
  while (at > text)
    {
      at = g_utf8_prev_char (at);
      int own = char_width (g_utf8_get_char (at));
      width -= own;
      if (width < 0)
        break;
      if (own > 0)
        best = at;
    }
  return best;
}

void
sl_display_cut (GString *text, gsize offset, int width, gboolean middle)
{
  const char *start = text->str + offset;
  if (sl_display_width (start, -1) <= width)
    return;
  const char *mark = sl_display_utf8 () ? "…" : "~";
  int room = MAX (width - 1, 0);
  int kept = middle ? room - room / 2 : room;
  gsize from = (gsize) (head (start, kept) - start);
  gsize until = (gsize) (tail (start, room - kept) - start);
  g_string_erase (text, (gssize) (offset + from), (gssize) (until - from));
  g_string_insert (text, (gssize) (offset + from), mark);
}

void
sl_display_space (GString *out, int n)
{
  for (; n > 0; n--)
    g_string_append_c (out, ' ');
}

void
sl_display_count (GString *out, gint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, n);
  gsize length = strlen (digits);
  for (gsize i = 0; i < length; i++)
    {
      g_string_append_c (out, digits[i]);
      if ((length - i) % 3 == 1 && i + 1 < length && digits[i] != '-')
        g_string_append_c (out, ',');
    }
}

void
sl_display_wrap (GString *out, const char *text, int indent, int width)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  int at = indent;
  for (int i = 0; words[i] != NULL; i++)
    {
      int own = sl_display_width (words[i], -1);
      if (i > 0 && at + 1 + own > width)
        {
          g_string_append_c (out, '\n');
          sl_display_space (out, indent);
          at = indent;
        }
      else if (i > 0)
        {
          g_string_append_c (out, ' ');
          at++;
        }
      g_string_append (out, words[i]);
      at += own;
    }
}

int
sl_display_columns (void)
{
  struct winsize size;
  if (isatty (STDOUT_FILENO) && ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return CLAMP (size.ws_col, MIN_COLUMNS, MAX_COLUMNS);
  const char *text = g_getenv ("COLUMNS");
  gint64 columns = 0;
  if (text != NULL && g_ascii_string_to_signed (text, 10, MIN_COLUMNS, MAX_COLUMNS, &columns, NULL))
    return (int) columns;
  return MAX_COLUMNS;
}

gboolean
sl_display_terminal (void)
{
  return isatty (STDOUT_FILENO);
}

gboolean
sl_display_color (void)
{
  const char *forbidden = g_getenv ("NO_COLOR");
  const char *term = g_getenv ("TERM");
  return isatty (STDOUT_FILENO) && (forbidden == NULL || *forbidden == '\0') && term != NULL
         && strcmp (term, "dumb") != 0;
}
