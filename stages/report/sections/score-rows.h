/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of tables of scores and costs, for the sections that draw them. Columns are found by
 * their names: an interval (lower, upper), a group, a bin of a histogram, the seconds of costs. */
#pragma once

#include "stages/report/report.h"

typedef struct
{
  const SlReportInput *input;
  char *metric;
  char
      *group; /* what it is told apart by: its own tags and its group, before them the table's label
               where there are several tables, or nothing else */
  SlTags conditions;
  char *definition, *interval,
      *reason; /* of the metric; what lower and upper are; why there is no value; "": not told */
  double value, lower, upper, p;    /* NaN: not there */
  double annotators, each, seconds; /* likewise; an item's */
  double bin;                       /* where a histogram's bin begins; NaN: it is no number */
  gint64 n;
  guint place; /* among all */
} SlScoreRow;

typedef struct
{
  const SlReportInput *input; /* the one that is being read */
  GArray *rows;               /* of SlScoreRow */
  GArray *bins;               /* likewise, of histograms: `value` is a count */
} SlScoreRows;

/* As of SlSection; STATE is an SlScoreRows. */
gboolean sl_score_rows_begin (gpointer state, SlReport *report, const SlReportInput *input,
                              GError **error);
gboolean sl_score_rows_take (gpointer state, SlReport *report, const SlBatch *batch,
                             GError **error);

/* The metrics, each once, in the order in which they first come: texts of the rows. */
GPtrArray *sl_score_metrics (const SlScoreRows *rows);

/* The rows in the order of their groups, numbers in these by size; rows of one group keep theirs.
 * What they hold is that of ROWS; to be freed with g_array_unref(). */
GArray *sl_score_rows_sorted (const SlScoreRows *rows);

/* The parts of ROW's group, "KEY=VALUE, …", each once, but those of KEY and PASSED; to be freed. */
char *sl_score_line (const SlScoreRow *row, const char *key, const GPtrArray *passed);

/* The keys of conditions that say the same of all ROWS (of SlScoreRow *) that have them, and
 * without which rows are told apart as well; SAID gets them with their values. */
GPtrArray *sl_score_alike (const GPtrArray *rows, GString *said);

/* Whether ROW is what `softlabel compare` finds two tables to differ by. */
gboolean sl_score_is_difference (const SlScoreRow *row);
