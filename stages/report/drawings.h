/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings that several sections have in common. */
#pragma once

#include "plot.h"
#include "report.h"

/* How often values fell into equal parts of [LO, HI]. */
typedef struct
{
  double lo, hi;
  gboolean whole; /* part i has the number i alone: its bar stands in the middle */
  int n;
  gint64 *count; /* [n] */
  gint64 all;
  double sum, least, most;
} SlHistogram;

void sl_histogram_init (SlHistogram *histogram, double lo, double hi, int n);
/* Of whole numbers from 0 to MOST, each in a part of its own if they are few. */
void sl_histogram_init_counts (SlHistogram *histogram, gint64 most);

void sl_histogram_clear (SlHistogram *histogram);
void sl_histogram_add (SlHistogram *histogram, double value); /* NaN is not counted */

/* A figure of it. TITLE: of what it is, plain text; X_LABEL: the unit; Y_LABEL: what is counted. */
void sl_histogram_draw (const SlHistogram *histogram, SlPage *page, const char *title,
                        const char *x_label, const char *y_label);

/* A bar for each of TABLE's classes, the longest first, or in their own order; of more than MOST
 * the rest together. VALUES[n_classes] are 0 or more. TITLE as above. */
void sl_draw_bars (SlPage *page, const char *title, const SlTable *table, const double *values,
                   int most);

/* One distribution over TABLE's classes: the likeliest classes with a bar each, and the rest. GOLD:
 * the right class, or -1. */
void sl_draw_distribution (SlPage *page, const SlTable *table, const char *item, const double *p,
                           gint32 gold);

/* The same of one item in N tables, P[n] (NULL: not there), all over TABLE's classes: for each of
 * the likeliest classes a bar of each table, in the colours 1 to N; shares of .005 and more in
 * figures. */
void sl_draw_distributions (SlPage *page, const SlTable *table, const char *item,
                            const double *const *p, int n);

#define SL_MATRIX_NUMBERS 12 /* classes; of more the squares have no room for numbers */

/* What a matrix is of: texts of a picture, of a list of its cells. */
typedef struct
{
  const char *of_row;    /* "answered": what the columns are */
  const char *in_corner; /* "answered, % of the true class" */
  const char *right;     /* "Share of right answers by class": what the diagonal tells */
} SlMatrixTexts;

/* Appends the picture of SHARE[k][k], 0 to 1, NaN: not known; a row is of a true class. ID and
 * TITLE are as of sl_svg_begin(). */
void sl_draw_matrix (GString *out, const char *id, const char *title, const double *share, gint32 k,
                     char *const *classes, const SlMatrixTexts *texts);

/* A table of the largest shares that are not on the diagonal. CAPTION is markup. */
void sl_draw_confusions (SlPage *page, const char *caption, const double *share, gint32 k,
                         char *const *classes, const SlMatrixTexts *texts);

/* Each row of CELL[k][k] as shares, to be freed; NaN where nothing is known of a class. */
double *sl_matrix_shares (const double *cell, gsize k);
