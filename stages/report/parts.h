/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A section of one table as data: values of its rows, and the parts that are drawn of them: facts,
 * a histogram, a scatter plot, bars of the classes, a list of the first rows in some order. A value
 * that is NaN is not there. */
#pragma once

#include "drawings.h"
#include "extremes.h"

typedef struct
{
  int column; /* what this column has: of a class its number, of a flag 0 or 1 */
  double (*of) (const SlBatch *batch, gint64 row); /* or, unless NULL, what this makes of the row */
} SlValue;

#define SL_VALUES_MOST 16
#define SL_MEANS 10

typedef enum
{
  SL_FACT_ROWS, /* the number of rows; all others are left out where no row has the value */
  SL_FACT_SUM,  /* a number of rows */
  SL_FACT_MEAN,
  SL_FACT_SHARE, /* the mean as a share */
} SlFactForm;

typedef struct
{
  const char *term; /* NULL ends facts */
  SlFactForm form;
  int value;
} SlFact;

typedef struct
{
  const char *title; /* NULL: there is none */
  const char *x_label;
  int value;
} SlHistogramPart; /* items by a value from 0 to 1 */

typedef struct
{
  const char *title; /* NULL: there is none */
  int class, weight;
} SlBarsPart;

typedef struct
{
  const char *title; /* NULL: there is none */
  const char *x_label, *y_label;
  int x, y, group; /* values; of a group other than 0, points have another colour */
  gboolean grows_x,
      grows_alike;   /* x begins at 0 and has all values; both axes do, and are alike, with
                                    the line where both are the same */
  gboolean means;    /* with the mean of y in ten parts of x; points are rows */
  guint dots;        /* with a box of quartiles for each x, where they are few; so many points are
                        drawn beside the boxes */
  guint most;        /* points */
  const char *about; /* what the caption says first, markup */
  /* Appends what the points say, in words; and, where some are of another group, then this. */
  void (*tell) (GString *text, const GArray *points);
  const char *others;
  const char *none; /* what is said in its place where there are no points */
} SlScatterPart;

typedef enum
{
  SL_LIST_NAME,
  SL_LIST_IMAGE, /* a column where any image is known */
  SL_LIST_NOTE,
  SL_LIST_CLASS,
  SL_LIST_FIGURE,
} SlListCell;

typedef struct
{
  const char *head; /* NULL ends columns; of figures it begins with '#' */
  SlListCell form;
  int value;
  const char *none;  /* of a class that is not known */
  gboolean may_lack; /* left out where no row of the table has it */
} SlListColumn;

typedef struct
{
  const SlListColumn *columns; /* NULL: there is none */
  const char *caption;         /* markup */
  int key; /* the value whose least ones come first; -1: rows as they come, and the
                                  caption says how many of all these are */
  /* Or, unless NULL, the distance of this table whose largest come first: the caption names it
   * (%s), and other tables show these items, and the nearest, side by side. */
  int (*distance) (const SlReportInput *input);
  int name, note; /* columns of texts */
  gboolean has_note;
  int most; /* rows; 0: as --items says */
} SlListPart;

typedef struct SlParts
{
  const SlValue *values; /* [n_values] */
  int n_values;
  const SlFact *facts; /* NULL: none */
  SlHistogramPart histogram;
  SlScatterPart scatter;
  SlBarsPart bars;
  SlListPart list;
  const char *empty; /* all that is said where the histogram, or else the list, has nothing */
} SlParts;

/* What is known of one table. */
typedef struct
{
  const SlParts *parts;
  const SlReportInput *input;
  const SlReport *report;
  gint64 n, n_of[SL_VALUES_MOST]; /* rows; those that have the value */
  double sum[SL_VALUES_MOST];
  SlHistogram histogram;
  SlSample sample;
  gint64 means_n[SL_MEANS]; /* of the scatter plot's parts: points, and sums of theirs */
  double means_x[SL_MEANS], means_y[SL_MEANS];
  double *bars; /* [classes] */
  int distance; /* the value; -1: none */
  SlExtremes list, nearest;
} SlPartsState;

/* COLUMN of row I as a value. */
double sl_value_of (const SlBatch *batch, int column, gint64 i);

/* The steps of an SlSection, of one that is made of parts. */
gboolean sl_parts_begin (SlPartsState *state, const SlParts *parts, SlReport *report,
                         const SlReportInput *input, GError **error);
void sl_parts_take (SlPartsState *state, const SlBatch *batch);
void sl_parts_end (SlPartsState *state, SlReport *report);
void sl_parts_draw (SlPartsState *state, SlReport *report);
