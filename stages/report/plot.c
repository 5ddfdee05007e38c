/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot.h"

#include "html-text.h"

#include <math.h>

#define COLUMN 6.2 /* about the width of a character */
#define LINE 13.0

void
sl_range_add (SlAxisRange *range, double value)
{
  if (!isfinite (value))
    return;
  range->lo = MIN (range->lo, value);
  range->hi = MAX (range->hi, value);
}

SlAxisRange
sl_range_round (SlAxisRange range)
{
  if (range.lo > range.hi)
    return (SlAxisRange){ 0, 1 };
  sl_ticks_widen (&range.lo, &range.hi, SL_PLOT_TICKS);
  return range;
}

/* RANGE where it has a length that can be divided by. */
static SlAxisRange
sound (SlAxisRange range)
{
  if (isfinite (range.lo) && isfinite (range.hi) && range.hi > range.lo
      && isfinite (range.hi - range.lo))
    return range;
  double at = isfinite (range.lo) && fabs (range.lo) < 1e300 ? range.lo : 0;
  double room = at != 0 ? fabs (at) / 2 : 1;
  return (SlAxisRange){ at - room, at + room };
}

double
sl_plot_x (const SlPlot *plot, double value)
{
  return plot->left + (value - plot->x.lo) / (plot->x.hi - plot->x.lo) * (plot->right - plot->left);
}

double
sl_plot_y (const SlPlot *plot, double value)
{
  return plot->bottom
         - (value - plot->y.lo) / (plot->y.hi - plot->y.lo) * (plot->bottom - plot->top);
}

/* TICKS as they are written; a million at a tick is "1,000,000". */
static char *
tick_text (const SlTicks *ticks, int i)
{
  GString *text = g_string_new (NULL);
  double value = sl_tick (ticks, i);
  if (fabs (value) >= 1e7 || sl_tick_decimals (ticks) > 6)
    sl_html_figure (text, value);
  else
    sl_html_real (text, value, sl_tick_decimals (ticks));
  return g_string_free (text, FALSE);
}

static double
widest (const SlTicks *ticks)
{
  int most = 1;
  for (int i = 0; i < ticks->n; i++)
    {
      g_autofree char *text = tick_text (ticks, i);
      most = MAX (most, sl_html_columns (text, -1));
    }
  return most * COLUMN;
}

static void
draw_axes (SlPlot *plot, const SlPlotForm *form, const SlTicks *x, const SlTicks *y)
{
  GString *out = plot->out;
  for (int i = 0; i < y->n; i++)
    {
      double at = sl_plot_y (plot, sl_tick (y, i));
      g_autofree char *text = tick_text (y, i);
      sl_svg_line (out, "grid", plot->left, at, plot->right, at);
      sl_svg_text (out, "soft", plot->left - 6, at + 4, SL_SVG_END, text, 40);
    }
  for (int i = 0; i < x->n; i++)
    {
      double at = sl_plot_x (plot, sl_tick (x, i));
      g_autofree char *text = tick_text (x, i);
      sl_svg_line (out, "axis", at, plot->bottom, at, plot->bottom + 4);
      sl_svg_text (out, "soft", at, plot->bottom + 4 + LINE, SL_SVG_MIDDLE, text, 40);
    }
  sl_svg_line (out, "axis", plot->left, plot->bottom, plot->right, plot->bottom);
  sl_svg_text (out, "soft", 2, LINE - 2, SL_SVG_START, form->y_label, 56);
  sl_svg_text (out, "soft", plot->right, plot->bottom + 6 + 2 * LINE, SL_SVG_END, form->x_label,
               56);
}

static SlTicks
ticks_of (SlAxisRange range, gboolean whole)
{
  SlTicks ticks = sl_ticks (range.lo, range.hi, SL_PLOT_TICKS);
  for (int most = SL_PLOT_TICKS - 1; whole && ticks.exponent < 0 && most > 0; most--)
    ticks = sl_ticks (range.lo, range.hi, most);
  return ticks;
}

SlPlot
sl_plot_begin (GString *out, const SlPlotForm *form)
{
  double height = form->height > 0 ? form->height : SL_PLOT_HEIGHT;
  double width = form->width > 0 ? form->width : SL_PAGE_WIDTH;
  SlPlot plot = { .out = out, .width = width, .x = sound (form->x), .y = sound (form->y) };
  SlTicks y = ticks_of (plot.y, form->whole_y), x = ticks_of (plot.x, form->whole_x);
  plot.top = LINE + 8;
  plot.bottom = height - 2 * LINE - 10;
  plot.left = widest (&y) + 10;
  double overhang = x.n > 0 ? widest (&x) / 2 : 0;
  plot.right = width - MAX (form->right, MAX (overhang + 2, 8));
  sl_svg_begin (out, width, height, form->id, form->title, form->description);
  draw_axes (&plot, form, &x, &y);
  return plot;
}

void
sl_plot_end (SlPlot *plot)
{
  sl_svg_end (plot->out);
}

SlPlot
sl_plot_figure (SlPage *page, SlPlotForm form)
{
  sl_page_figure_begin (page);
  form.id = sl_page_id (page);
  form.width = page->width;
  return sl_plot_begin (page->html, &form);
}

void
sl_plot_caption (SlPlot *plot, SlPage *page, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  sl_plot_end (plot);
  sl_page_caption (page, "");
  sl_html_vsay (page->html, format, &args);
  va_end (args);
}

void
sl_plot_bars (SlPlot *plot, const char *mark, const gint64 *count, int n)
{
  double step = (plot->right - plot->left) / n, gap = step > 6 ? 1 : 0;
  for (int i = 0; i < n; i++)
    {
      double top = sl_plot_y (plot, (double) count[i]);
      /* What is there is seen. */
      if (count[i] > 0)
        top = MIN (top, plot->bottom - 1);
      if (count[i] > 0)
        sl_svg_rect (plot->out, mark, plot->left + i * step + gap / 2, top, step - gap,
                     plot->bottom - top);
    }
}

void
sl_plot_even (SlPlot *plot)
{
  sl_svg_line (plot->out, "even", sl_plot_x (plot, plot->x.lo), sl_plot_y (plot, plot->x.lo),
               sl_plot_x (plot, plot->x.hi), sl_plot_y (plot, plot->x.hi));
}

void
sl_plot_line (SlPlot *plot, const char *mark, const double *x, const double *y, gsize n)
{
  SlSvgPath path = sl_svg_path_begin (plot->out, mark);
  for (gsize i = 0; i < n; i++)
    sl_svg_path_to (&path, sl_plot_x (plot, x[i]), sl_plot_y (plot, y[i]));
  sl_svg_path_end (&path);
}

double
sl_plot_room_for_names (char *const *names, int n, double width)
{
  int longest = 0;
  for (int i = 0; i < n; i++)
    longest = MAX (longest, sl_html_columns (names[i], -1));
  return MIN (longest * COLUMN + 10, 0.4 * width);
}

/* Moves the N texts at AT[ORDER[i]], from the top, apart to a line each, and back up where the
 * lowest would leave the field. */
static void
move_apart (double *at, const int *order, int n, double bottom)
{
  for (int i = 1; i < n; i++)
    at[order[i]] = MAX (at[order[i]], at[order[i - 1]] + LINE);
  if (n > 0)
    at[order[n - 1]] = MIN (at[order[n - 1]], bottom);
  for (int i = n - 1; i > 0; i--)
    at[order[i - 1]] = MIN (at[order[i - 1]], at[order[i]] - LINE);
}

void
sl_plot_end_names (SlPlot *plot, int n, const double *y, char *const *names,
                   const char *const *marks)
{
  g_autofree double *at = g_new (double, n + 1);
  g_autofree int *order = g_new (int, n + 1);
  for (int i = 0; i < n; i++)
    {
      int j = i;
      at[i] = sl_plot_y (plot, isfinite (y[i]) ? CLAMP (y[i], plot->y.lo, plot->y.hi) : plot->y.lo);
      for (; j > 0 && at[order[j - 1]] > at[i]; j--)
        order[j] = order[j - 1];
      order[j] = i;
    }
  move_apart (at, order, n, plot->bottom - 2);
  int most = (int) ((plot->width - plot->right - 6) / COLUMN);
  for (int i = 0; i < n; i++)
    sl_svg_text (plot->out, marks[i], plot->right + 6, at[i] + 4, SL_SVG_START, names[i], most);
}

/* A power of ten is exact up to 10^22; beyond that its last bits do not matter to a picture. */
static double
shift (double value, int exponent)
{
  for (; exponent > 0; exponent--)
    value *= 10;
  double divisor = 1;
  for (; exponent < 0; exponent++)
    divisor *= 10;
  return value / divisor;
}

/* The ticks of one step in [LO, HI]. A tick that rounding has put just outside is inside. */
static SlTicks
of_step (double lo, double hi, int base, int exponent)
{
  double step = shift (base, exponent);
  double first = ceil (lo / step - 1e-9), last = floor (hi / step + 1e-9);
  SlTicks ticks = { .base = base, .exponent = exponent };
  if (!(fabs (first) < 1e15) || !(fabs (last) < 1e15))
    return ticks;
  ticks.first = (gint64) first;
  ticks.n = (int) CLAMP (last - first + 1, 0, 1e6);
  return ticks;
}

SlTicks
sl_ticks (double lo, double hi, int most)
{
  static const int bases[] = { 1, 2, 5 };
  if (!(hi > lo))
    return (SlTicks){ .n = 1, .base = 1 };
  int exponent = 0;
  while (exponent < 300 && shift (1, exponent) < hi - lo)
    exponent++;
  while (exponent > -300 && shift (1, exponent) > hi - lo)
    exponent--;
  SlTicks best = of_step (lo, hi, 1, exponent + 1);
  for (int e = exponent; e > exponent - 4; e--)
    for (int b = G_N_ELEMENTS (bases) - 1; b >= 0; b--)
      {
        SlTicks ticks = of_step (lo, hi, bases[b], e);
        if (ticks.n > most)
          return best;
        if (ticks.n > best.n)
          best = ticks;
      }
  return best;
}

double
sl_tick (const SlTicks *ticks, int i)
{
  return shift ((double) ((ticks->first + i) * ticks->base), ticks->exponent);
}

int
sl_tick_decimals (const SlTicks *ticks)
{
  return MAX (-ticks->exponent, 0);
}

void
sl_ticks_widen (double *lo, double *hi, int most)
{
  if (!(*hi > *lo))
    {
      double room = *lo != 0 ? fabs (*lo) / 10 : 1;
      *lo -= room;
      *hi += room;
    }
  /* A wider range may have coarser ticks, which need a range that is wider still. */
  for (int round = 0; round < 4; round++)
    {
      SlTicks ticks = sl_ticks (*lo, *hi, most);
      double step = shift (ticks.base, ticks.exponent);
      if (ticks.n < 2)
        return;
      *lo = floor (*lo / step + 1e-9) * step;
      *hi = ceil (*hi / step - 1e-9) * step;
    }
}
