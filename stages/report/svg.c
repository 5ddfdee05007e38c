/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "svg.h"

#include "html-text.h"

#include <math.h>
#include <string.h>

void
sl_svg_number (GString *out, const char *name, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  double hundredths = isfinite (value) ? rint (CLAMP (value, -1e6, 1e6) * 100) : 0;
  g_ascii_formatd (digits, sizeof digits, "%.2f", hundredths == 0 ? 0 : hundredths / 100);
  gsize n = strlen (digits);
  while (digits[n - 1] == '0')
    n--;
  if (digits[n - 1] == '.')
    n--;
  digits[n] = '\0';
  if (*name != '\0')
    g_string_append_printf (out, " %s=\"%s\"", name, digits);
  else
    g_string_append (out, digits);
}

void
sl_svg_begin (GString *out, double width, double height, const char *id, const char *title,
              const char *description)
{
  g_string_append (out, "<svg class=\"chart\" viewBox=\"0 0 ");
  sl_svg_number (out, "", width);
  g_string_append_c (out, ' ');
  sl_svg_number (out, "", height);
  g_string_append_c (out, '"');
  sl_svg_number (out, "width", width);
  sl_svg_number (out, "height", height);
  g_string_append_printf (out, " role=\"img\" aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">",
                          id, id, id);
  sl_html_text (out, title, -1);
  g_string_append_printf (out, "</title><desc id=\"%s-d\">", id);
  sl_html_text (out, description, -1);
  g_string_append (out, "</desc>\n");
}

void
sl_svg_end (GString *out)
{
  g_string_append (out, "</svg>\n");
}

void
sl_svg_line (GString *out, const char *mark, double x1, double y1, double x2, double y2)
{
  g_string_append_printf (out, "<line class=\"%s\"", mark);
  sl_svg_number (out, "x1", x1);
  sl_svg_number (out, "y1", y1);
  sl_svg_number (out, "x2", x2);
  sl_svg_number (out, "y2", y2);
  g_string_append (out, "/>\n");
}

static void
begin_rect (GString *out, const char *mark, double x, double y, double width, double height)
{
  g_string_append_printf (out, "<rect class=\"%s\"", mark);
  sl_svg_number (out, "x", x);
  sl_svg_number (out, "y", y);
  sl_svg_number (out, "width", MAX (width, 0));
  sl_svg_number (out, "height", MAX (height, 0));
}

void
sl_svg_rect (GString *out, const char *mark, double x, double y, double width, double height)
{
  begin_rect (out, mark, x, y, width, height);
  g_string_append (out, "/>\n");
}

void
sl_svg_cell (GString *out, const char *mark, double x, double y, double width, double height,
             double opacity)
{
  begin_rect (out, mark, x, y, width, height);
  sl_svg_number (out, "fill-opacity", opacity);
  g_string_append (out, "/>\n");
}

void
sl_svg_circle (GString *out, const char *mark, double x, double y, double radius)
{
  g_string_append_printf (out, "<circle class=\"%s\"", mark);
  sl_svg_number (out, "cx", x);
  sl_svg_number (out, "cy", y);
  sl_svg_number (out, "r", radius);
  g_string_append (out, "/>\n");
}

SlSvgPath
sl_svg_path_begin (GString *out, const char *mark)
{
  g_string_append_printf (out, "<path class=\"%s\" d=\"", mark);
  return (SlSvgPath){ .out = out, .broken = TRUE };
}

void
sl_svg_path_to (SlSvgPath *path, double x, double y)
{
  if (!isfinite (x) || !isfinite (y))
    {
      path->broken = TRUE;
      return;
    }
  g_string_append_c (path->out, path->broken ? 'M' : 'L');
  sl_svg_number (path->out, "", x);
  g_string_append_c (path->out, ' ');
  sl_svg_number (path->out, "", y);
  path->broken = FALSE;
}

void
sl_svg_path_end (SlSvgPath *path)
{
  g_string_append (path->out, "\"/>\n");
}

static void
begin_text (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor)
{
  static const char *const names[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };
  g_string_append_printf (out, "<text class=\"%s\"", mark);
  sl_svg_number (out, "x", x);
  sl_svg_number (out, "y", y);
  g_string_append (out, names[anchor]);
  g_string_append_c (out, '>');
}

void
sl_svg_text (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor,
             const char *text, int most)
{
  begin_text (out, mark, x, y, anchor);
  sl_html_cut (out, text, -1, most);
  g_string_append (out, "</text>\n");
}

void
sl_svg_text_upright (GString *out, const char *mark, double x, double y, const char *text, int most)
{
  g_string_append_printf (out, "<text class=\"%s\" text-anchor=\"end\" transform=\"translate(",
                          mark);
  sl_svg_number (out, "", x);
  g_string_append_c (out, ' ');
  sl_svg_number (out, "", y);
  g_string_append (out, ") rotate(-90)\">");
  sl_html_cut (out, text, -1, most);
  g_string_append (out, "</text>\n");
}

void
sl_svg_real (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor, double value,
             int decimals)
{
  begin_text (out, mark, x, y, anchor);
  sl_html_real (out, value, decimals);
  g_string_append (out, "</text>\n");
}

void
sl_svg_figure (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor, double value)
{
  begin_text (out, mark, x, y, anchor);
  sl_html_figure (out, value);
  g_string_append (out, "</text>\n");
}
