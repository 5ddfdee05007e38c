/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "charts.h"

#include "terminal.h"

#include <math.h>
#include <string.h>

#define CYAN "\033[36m"
#define YELLOW "\033[33m"
#define RESET "\033[0m"

#define WIDEST 6 /* columns of one value */
#define PARTS 8  /* of a character's height or width that block characters tell apart */

/* The mean of those of Y[from..to) that are numbers; NaN where there is none. */
static double
mean_of (const double *y, gsize from, gsize to)
{
  double sum = 0;
  gsize n = 0;
  for (gsize i = from; i < to; i++)
    if (isfinite (y[i]))
      {
        sum += y[i];
        n++;
      }
  return n > 0 ? sum / (double) n : NAN;
}

static int
format_end (char *digits, double value)
{
  g_ascii_formatd (digits, G_ASCII_DTOSTR_BUF_SIZE, "%.4g", value == 0 ? 0 : value);
  return (int) strlen (digits);
}

/* How many parts of HEIGHT characters a column is high; one at least, so that it is seen; 0 where
 * there is no value. */
static int
height_of (double value, double lo, double hi, int height)
{
  if (!isfinite (value))
    return 0;
  double share = hi > lo ? (value - lo) / (hi - lo) : 1;
  return (int) CLAMP (lround (share * height * PARTS), 1, height * PARTS);
}

/* How columns are laid out: ROOM for the values at the left, so many COLUMNS, each REPEAT
 * characters wide. */
typedef struct
{
  int room, columns, repeat;
} Layout;

static Layout
lay_out (gsize n, double lo, double hi, int width)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  int most = format_end (digits, hi), least = format_end (digits, lo), room = MAX (most, least);
  int columns = (int) MIN (n, (gsize) MAX (width - room - 1, 1));
  return (Layout){ room, columns, CLAMP ((width - room - 1) / MAX (columns, 1), 1, WIDEST) };
}

void
sl_chart_axis (GString *out, gsize n, double lo, double hi, int width, const char *from,
               const char *to)
{
  Layout layout = lay_out (n, lo, hi, width);
  int length = layout.columns * layout.repeat, left = (int) strlen (from),
      right = (int) strlen (to);
  if (left > length)
    return;
  sl_display_space (out, layout.room + 1);
  g_string_append (out, from);
  if (left + 1 + right <= length)
    {
      sl_display_space (out, length - left - right);
      g_string_append (out, to);
    }
  g_string_append_c (out, '\n');
}

void
sl_chart_columns (GString *out, const double *y, gsize n, double lo, double hi, int width,
                  int height, gboolean color)
{
  static const char *const eighths[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  static const char *const plain[] = { " ", ".", ".", ".", ":", ":", "|", "|", "#" };
  const char *const *parts = sl_display_utf8 () ? eighths : plain;
  char top[G_ASCII_DTOSTR_BUF_SIZE], bottom[G_ASCII_DTOSTR_BUF_SIZE];
  format_end (top, hi);
  format_end (bottom, lo);
  Layout layout = lay_out (n, lo, hi, width);
  int room = layout.room, columns = layout.columns, repeat = layout.repeat;
  g_autofree int *high = g_new (int, columns + 1);
  for (int c = 0; c < columns; c++)
    high[c] = height_of (
        mean_of (y, n * (gsize) c / (gsize) columns, n * (gsize) (c + 1) / (gsize) columns), lo, hi,
        height);
  for (int line = height - 1; line >= 0; line--)
    {
      const char *end = line == height - 1 ? top : line == 0 ? bottom : "";
      g_autoptr (GString) blocks = g_string_new (NULL);
      for (int c = 0; c < columns * repeat; c++)
        g_string_append (blocks, parts[CLAMP (high[c / repeat] - line * PARTS, 0, PARTS)]);
      while (blocks->len > 0 && blocks->str[blocks->len - 1] == ' ')
        g_string_truncate (blocks, blocks->len - 1);
      if (*end != '\0' || blocks->len > 0)
        sl_display_space (out, room - (int) strlen (end));
      g_string_append (out, end);
      if (blocks->len > 0)
        g_string_append_printf (out, " %s%s%s", color ? CYAN : "", blocks->str, color ? RESET : "");
      g_string_append_c (out, '\n');
    }
}

void
sl_chart_bar (GString *out, double share, double mark, int width, gboolean color)
{
  static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  gboolean utf8 = sl_display_utf8 ();
  int length = (int) lround (CLAMP (share, 0, 1) * width * PARTS);
  int marked = isfinite (mark) ? (int) CLAMP (mark * width, 0, width - 1) : -1;
  if (!utf8)
    length = (length + PARTS / 2) / PARTS * PARTS;
  const char *style = "";
  for (int c = 0; c < width; c++)
    {
      int part = CLAMP (length - c * PARTS, 0, PARTS);
      const char *wanted = c == marked ? YELLOW : part > 0 ? CYAN : "";
      if (color && strcmp (wanted, style) != 0)
        g_string_append_printf (out, "%s%s", *style != '\0' ? RESET : "", wanted);
      style = wanted;
      if (c == marked)
        g_string_append (out, utf8 ? "┃" : "|");
      else if (part == 0)
        g_string_append_c (out, ' ');
      else
        g_string_append (out, !utf8 ? "#" : part == PARTS ? "█" : eighths[part]);
    }
  g_string_append (out, color && *style != '\0' ? RESET : "");
}
