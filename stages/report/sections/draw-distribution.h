/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings that several sections have in common. */
#pragma once

#include "stages/report/plot.h"
#include "stages/report/report.h"

/* How often values fell into equal parts of [LO, HI]. */
typedef struct
{
  double lo, hi;
  gboolean whole; /* part i has the number i alone: its bar stands in the middle */
  int n;
  gint64 *count; /* [n] */
  gint64 all;
  double sum;
} SlHistogram;

void sl_histogram_init (SlHistogram *histogram, double lo, double hi, int n);
/* Of whole numbers from 0 to MOST, each in a part of its own if they are few. */
void sl_histogram_init_counts (SlHistogram *histogram, gint64 most);

void sl_histogram_clear (SlHistogram *histogram);
void sl_histogram_add (SlHistogram *histogram, double value); /* NaN is not counted */

/* A figure of it. TITLE: of what it is, plain text; X_LABEL: the unit; Y_LABEL: what is counted. */
void sl_histogram_draw (const SlHistogram *histogram, SlPage *page, const char *title,
                        const char *x_label, const char *y_label);

/* A bar for each of N names, the longest first; of more than MOST the rest together. Values are 0
 * or more. TITLE as above. */
void sl_draw_bars (SlPage *page, const char *title, char *const *names, const double *values, int n,
                   int most);

/* One distribution over TABLE's classes: the likeliest classes with a bar each, and the rest. GOLD:
 * the right class, or -1. */
void sl_draw_distribution (SlPage *page, const SlTable *table, const char *item, const double *p,
                           gint32 gold);
