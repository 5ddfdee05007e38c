/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of CSV records as values of a table's columns. A field that cannot be one makes its record
 * bad. C is the place of the column among those that were read. It is -1 where there is none: then
 * every value is missing. */
#pragma once

#include "pipeline/text/csv-split.h"
#include "stages/common/classes/class-coder.h"

#include <glib.h>

/* Percents as people type them, and the unit that a file has them in: 80, 0.8 or 80%. */

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

/* WHAT must not be empty. With TRIM, blanks around it are dropped first. */
void sl_fields_check_there (SlCsvRows *rows, int c, const char *what, gboolean trim);

/* Percents; an empty field is NaN. COUNTS counts every good percent, even of a record that turns
 * out bad later. */
void sl_fields_percents (SlCsvRows *rows, int c, const char *what, SlPercentScale scale,
                         double *percent, SlPercentCounts *counts);

/* TEXT[n], or, with COMMA, where a comma is the point, that with a point, in ROOM. What has both is
 * left as it is. */
const char *sl_with_point (gboolean comma, const char *text, gsize n, char room[64]);

/* Numbers, of one row or of all; a field that is empty or says that it is missing (NA, null, ...)
 * is NaN. */
void sl_fields_number (SlCsvRows *rows, int c, guint32 r, const char *what, double *value);
void sl_fields_numbers (SlCsvRows *rows, int c, const char *what, double *value);

/* Whole numbers, LEAST to MOST. */
void sl_fields_integers (SlCsvRows *rows, int c, const char *what, gint64 least, gint64 most,
                         gint64 *value);

/* Codes of classes; -1 where the field is empty or says that it is missing. REQUIRED: a missing
 * class makes its record bad, or, if --na says that it is none, leaves it out. An empty field does
 * not, as sl_fields_check_there() tells of it. */
void sl_fields_classes (SlCsvRows *rows, int c, const char *what, SlCoder *coder, gboolean required,
                        gint32 *code);

/* What is wrong with WHAT, a TEXT[n] that usually means that there is no class; to be freed. */
char *sl_fields_no_class (const char *what, const char *text, gsize n);

/* Lists of classes: that of record r is codes[end[r - 1]] up to codes[end[r]]. */
typedef struct
{
  GArray *codes; /* of gint32 */
  guint32 *end;  /* [n records] */
} SlCodeLists;

/* Lists, in place of what LISTS has had before; any character of BETWEEN parts their members.
 * REQUIRED: a text that stands for no class makes its record bad, as of sl_fields_classes(). */
void sl_fields_class_lists (SlCsvRows *rows, int c, const char *what, SlCoder *coder,
                            const char *between, gboolean required, SlCodeLists *lists);

/* Classes in rank order, each with its percent or none: cat:80|dog:20, or cat|dog. PERCENTS has one
 * for each of LISTS' codes. A name that has a colon itself is taken whole where it is a class as it
 * stands. */
void sl_fields_choices (SlCsvRows *rows, int c, SlCoder *coder, SlCodeLists *lists,
                        GArray *percents);

/* 1 or 0: true, false, 1, 0, yes, no. */
void sl_fields_flags (SlCsvRows *rows, int c, const char *what, double *flag);
