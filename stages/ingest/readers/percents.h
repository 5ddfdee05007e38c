/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percents as people type them, and the unit that a file has them in: 80, 0.8 or 80%. */
#pragma once

#include <glib.h>

/* What the whole is in the file: the option --percent-scale. */
typedef enum
{
  SL_PERCENT_UNSAID = -1, /* taken as 100, unless the numbers look like fractions */
  SL_PERCENT_OF_1,
  SL_PERCENT_OF_100,
} SlPercentScale;

/* How many numbers without a percent sign were of which size. */
typedef struct
{
  gint64 n_fractions; /* above 0, below 1 */
  gint64 n_ones;
  gint64 n_above; /* above 1 */
} SlPercentCounts;

void sl_percent_counts_add (SlPercentCounts *counts, const SlPercentCounts *more);

/* One percent, with blanks around it: 80, 80.5, 80% or, of 1, 0.8. A number with a percent sign is
 * a percent whatever the scale. FALSE if TEXT[n] is none. */
gboolean sl_percent_read (const char *text, gsize n, SlPercentScale scale, double *percent,
                          SlPercentCounts *counts);

/* Likewise of a number that is no text. */
double sl_percent_of_number (double number, SlPercentScale scale, SlPercentCounts *counts);

/* Says what is wrong where all numbers are at most 1, some are fractions, and nobody has said what
 * the whole is; else NULL. *DOUBT becomes a warning where the numbers are hardly what they are
 * taken for, else NULL. Both are to be freed. */
char *sl_percent_counts_judge (const SlPercentCounts *counts, SlPercentScale scale, char **doubt);
