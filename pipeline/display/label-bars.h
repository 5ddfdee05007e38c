/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A distribution drawn on one line: the likeliest classes with a bar each, aligned from row to row,
 * then the rest. Ordered classes stand in their own order.
 *
 *     deer ███████▏   0.72  horse █▊ 0.18  +3 others 0.10 */
#pragma once

#include "pipeline/table/table.h"

#define SL_BARS_SLOTS 3 /* at most so many classes are named */

typedef struct
{
  int name[SL_BARS_SLOTS]; /* width of the names in each slot, uncut; 0: never used */
  gboolean ordered;        /* the classes are */
  /* Width of "+3 others 0.10", by the number of slots; 0: never used. */
  int others[SL_BARS_SLOTS + 1];
  int n_slots;             /* from here on: what fits */
  int name_most;           /* columns of a name; longer ones are cut in the middle */
  int full[SL_BARS_SLOTS]; /* columns of the bar of a probability of 1; 0: no bar */
  gboolean alone;          /* there is no room for the others */
} SlBars;

/* Takes the distribution P[n_classes of TABLE] into account for the widths. */
void sl_bars_measure (SlBars *bars, const SlTable *table, const double *p);

/* Chooses the slots and the bars' length so that all measured rows fit WIDTH columns, if they can;
 * returns the width. */
int sl_bars_fit (SlBars *bars, int width);

/* The least width that still names the likeliest class. */
int sl_bars_least (const SlBars *bars);

/* Appends the line for P, without spaces at its end; returns its width. GOLD is the right class, or
 * -1. */
int sl_bars_draw (const SlBars *bars, const SlTable *table, const double *p, gint32 gold,
                  gboolean color, GString *out);
