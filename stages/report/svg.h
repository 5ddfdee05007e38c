/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture in SVG, appended piece by piece to a page. Colours and strokes are the page's: a mark
 * has a class ("mark c1"), which style.c paints light and dark. Texts stay texts, and are escaped
 * here. Coordinates are rounded to hundredths. */
#pragma once

#include <glib.h>

typedef enum
{
  SL_SVG_START,
  SL_SVG_MIDDLE,
  SL_SVG_END,
} SlSvgAnchor;

/* TITLE and DESCRIPTION, plain text, are what a screen reader says. ID is unique in the page. */
void sl_svg_begin (GString *out, double width, double height, const char *id, const char *title,
                   const char *description);
void sl_svg_end (GString *out);

/* Appends " NAME="VALUE"", of a NAME that is empty VALUE alone, with two decimals at most. */
void sl_svg_number (GString *out, const char *name, double value);

void sl_svg_line (GString *out, const char *mark, double x1, double y1, double x2, double y2);
void sl_svg_rect (GString *out, const char *mark, double x, double y, double width, double height);
void sl_svg_circle (GString *out, const char *mark, double x, double y, double radius);

/* A rectangle that is filled to the share OPACITY. */
void sl_svg_cell (GString *out, const char *mark, double x, double y, double width, double height,
                  double opacity);

/* A line through points: begin, each point, end. A point that is not finite breaks the line. */
typedef struct
{
  GString *out;
  gboolean broken;
} SlSvgPath;

SlSvgPath sl_svg_path_begin (GString *out, const char *mark);
void sl_svg_path_to (SlSvgPath *path, double x, double y);
void sl_svg_path_end (SlSvgPath *path);

/* (X, Y) is the base line's start, middle or end. The text is cut to MOST columns. */
void sl_svg_text (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor,
                  const char *text, int most);

/* The same, upright: it ends at (X, Y) and begins below. */
void sl_svg_text_upright (GString *out, const char *mark, double x, double y, const char *text,
                          int most);

/* The same of a number. */
void sl_svg_real (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor,
                  double value, int decimals);
void sl_svg_figure (GString *out, const char *mark, double x, double y, SlSvgAnchor anchor,
                    double value);
