/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw-curves.h"

#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define LINES 6

typedef struct
{
  int n, left_out;
  guint from[LINES + 1]; /* line l has the points from[l] <= i < from[l + 1] */
  char *names[LINES];
  double last[LINES];
  int color[LINES];
} Lines;

/* The number of NAME among NAMES, where it is put: a line has the same colour in each panel. */
static int
number_of (GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (names->pdata[i], name) == 0)
      return (int) i;
  g_ptr_array_add (names, g_strdup (name));
  return (int) names->len - 1;
}

static Lines
lines_of (const GArray *points, GPtrArray *names)
{
  Lines lines = { 0 };
  for (guint from = 0, to; from < points->len; from = to)
    {
      const SlCurvePoint *point = &g_array_index (points, SlCurvePoint, from);
      for (to = from + 1; to < points->len; to++)
        if (strcmp (g_array_index (points, SlCurvePoint, to).line, point->line) != 0)
          break;
      lines.left_out += lines.n == LINES;
      if (lines.n == LINES)
        continue;
      lines.names[lines.n] = point->line;
      lines.color[lines.n] = number_of (names, point->line) % LINES;
      lines.last[lines.n] = g_array_index (points, SlCurvePoint, to - 1).row->value;
      lines.from[++lines.n] = to;
    }
  return lines;
}

static void
draw_line (SlPlot *plot, const GArray *points, guint from, guint to, int number)
{
  g_autofree char *line = g_strdup_printf ("line c%d%s", number + 1, number % 2 ? " dashed" : "");
  g_autofree char *dot = g_strdup_printf ("c%d", number + 1);
  g_autofree char *span = g_strdup_printf ("span c%d", number + 1);
  g_autofree double *x = g_new (double, to - from), *y = g_new (double, to - from);
  for (guint i = from; i < to; i++)
    {
      const SlCurvePoint *point = &g_array_index (points, SlCurvePoint, i);
      x[i - from] = point->x;
      y[i - from] = point->row->value;
      double at = sl_plot_x (plot, point->x);
      if (isfinite (point->row->lower) && isfinite (point->row->upper))
        sl_svg_line (plot->out, span, at, sl_plot_y (plot, point->row->lower), at,
                     sl_plot_y (plot, point->row->upper));
      sl_svg_circle (plot->out, dot, at, sl_plot_y (plot, point->row->value), 3);
    }
  sl_plot_line (plot, line, x, y, to - from);
}

static char *
describe (const GArray *points, const Lines *lines)
{
  GString *text = g_string_new (NULL);
  for (int l = 0; l < lines->n; l++)
    {
      g_string_append_printf (text, "%s%s%s", l > 0 ? "; " : "", lines->names[l],
                              *lines->names[l] != '\0' ? ": " : "");
      for (guint i = lines->from[l]; i < lines->from[l + 1]; i++)
        {
          const SlCurvePoint *point = &g_array_index (points, SlCurvePoint, i);
          g_string_append (text, i > lines->from[l] ? ", " : "");
          sl_html_figure (text, point->row->value);
          g_string_append (text, " at ");
          char digits[G_ASCII_DTOSTR_BUF_SIZE];
          g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%.6g", point->x));
        }
    }
  return g_string_free (text, FALSE);
}

void
sl_draw_curves (SlPage *page, const GArray *points, const char *metric, const char *key,
                GPtrArray *names)
{
  static const char *const all_marks[] = { "c1", "c2", "c3", "c4", "c5", "c6" };
  const char *marks[LINES];
  Lines lines = lines_of (points, names);
  SlRange x = SL_RANGE_EMPTY, y = SL_RANGE_EMPTY;
  for (guint i = 0; i < lines.from[lines.n]; i++)
    {
      const SlCurvePoint *point = &g_array_index (points, SlCurvePoint, i);
      sl_range_add (&x, point->x);
      sl_range_add (&y, point->row->value);
      sl_range_add (&y, point->row->lower);
      sl_range_add (&y, point->row->upper);
    }
  g_autofree char *text = describe (points, &lines),
                  *title = g_strdup_printf ("%s over %s", metric, key);
  gboolean named = lines.n > 1;
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = title,
                      .description = text,
                      .x = sl_range_round (x),
                      .y = sl_range_round (y),
                      .x_label = key,
                      .y_label = metric,
                      .right = named ? 110 : 0 };
  SlPlot plot = sl_plot_begin (page->html, &form);
  for (int l = 0; l < lines.n; l++)
    {
      marks[l] = all_marks[lines.color[l]];
      draw_line (&plot, points, lines.from[l], lines.from[l + 1], lines.color[l]);
    }
  if (named)
    sl_plot_end_names (&plot, lines.n, lines.last, lines.names, marks);
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html, "<strong><bdi>");
  sl_html_text (page->html, title, -1);
  g_string_append (page->html, "</bdi>.</strong>");
  if (!named && *lines.names[0] != '\0')
    {
      g_string_append (page->html, " <bdi>");
      sl_html_text (page->html, lines.names[0], -1);
      g_string_append (page->html, "</bdi>");
    }
  if (lines.left_out > 0)
    {
      g_string_append_c (page->html, ' ');
      sl_html_many (page->html, lines.left_out, "more line is", "more lines are");
      g_string_append (page->html, " left out.");
    }
  sl_page_figure_end (page);
}
