/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plot with two axes, in SVG: its frame, and what is drawn into it. Plots are as wide as a phone
 * shows at full size; on a desk they stand side by side. */
#pragma once

#include "page.h"
#include "svg.h"

#include <glib.h>

typedef struct
{
  gint64 first; /* tick i stands at (first + i) × base × 10^exponent */
  int n, base, exponent;
} SlTicks;

/* The finest such ticks in [LO, HI] that are no more than MOST (2 at least). LO and HI are finite;
 * where they do not differ, or in the wrong way, there is one tick at LO. */
SlTicks sl_ticks (double lo, double hi, int most);

double sl_tick (const SlTicks *ticks, int i);
int sl_tick_decimals (const SlTicks *ticks); /* that tell all of them apart, and no more */

/* Moves *LO and *HI outward to the next ticks, so that a range ends with one at either end. */
void sl_ticks_widen (double *lo, double *hi, int most);

#define SL_PLOT_HEIGHT 230.0
#define SL_PLOT_TICKS 6 /* at most, of an axis */

typedef struct
{
  double lo, hi;
} SlAxisRange;

typedef struct
{
  const char *id, *title, *description; /* as of sl_svg_begin() */
  double width, height;                 /* 0: SL_PAGE_WIDTH, SL_PLOT_HEIGHT */
  SlAxisRange x, y;
  const char *x_label, *y_label;
  gboolean whole_x, whole_y; /* ticks at whole numbers alone */
  double right;              /* room for labels at the ends of lines */
} SlPlotForm;

typedef struct
{
  GString *out;
  double width;
  double left, right, top, bottom; /* of the field that data are drawn in */
  SlAxisRange x, y;
} SlPlot;

/* The frame: ticks, grid, labels. A range without a length is widened. */
SlPlot sl_plot_begin (GString *out, const SlPlotForm *form);
void sl_plot_end (SlPlot *plot);

/* The same as a figure of PAGE, as wide as its plots are, with an id of its own; its end begins the
 * caption as sl_page_caption() does. */
SlPlot sl_plot_figure (SlPage *page, SlPlotForm form);
void sl_plot_caption (SlPlot *plot, SlPage *page, const char *format, ...);

double sl_plot_x (const SlPlot *plot, double value);
double sl_plot_y (const SlPlot *plot, double value);

/* N bars over equal parts of the x range. */
void sl_plot_bars (SlPlot *plot, const char *mark, const gint64 *count, int n);

/* The line where y is x, of axes that are alike. */
void sl_plot_even (SlPlot *plot);

/* The line through N points. */
void sl_plot_line (SlPlot *plot, const char *mark, const double *x, const double *y, gsize n);

/* The room that N names at the ends of lines take, of a picture WIDTH wide: SlPlotForm.right. */
double sl_plot_room_for_names (char *const *names, int n, double width);

/* A name at the right end of each of N lines, beside Y[i], moved apart where they would cover each
 * other. MARKS: the texts' classes. */
void sl_plot_end_names (SlPlot *plot, int n, const double *y, char *const *names,
                        const char *const *marks);

/* Widens RANGE so that it has VALUE, if that is finite. A range begins as SL_RANGE_EMPTY. */
#define SL_RANGE_EMPTY ((SlAxisRange){ G_MAXDOUBLE, -G_MAXDOUBLE })
void sl_range_add (SlAxisRange *range, double value);

/* RANGE with ends at ticks; 0 to 1 where it is empty. */
SlAxisRange sl_range_round (SlAxisRange range);
