/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of tables of scores, for the sections that draw them. Columns beside the metric, its
 * value and n are looked for by their names: an interval (lower, upper), a group, a bin of a
 * histogram. */
#pragma once

#include "stages/report/report.h"

typedef struct
{
  const SlReportInput *input;
  char *metric;
  char *group; /* what it is told apart by: the table's label, and its own group */
  char *definition, *interval,
      *reason; /* of the metric; what lower and upper are; why there is no value; "": not told */
  double value, lower, upper; /* NaN: not there */
  gint64 n;
  guint place; /* among all */
} SlScoreRow;

typedef struct
{
  const SlReportInput *input; /* the one that is being read */
  GArray *rows;               /* of SlScoreRow */
  gint64 bins;                /* rows of histograms, which are not kept */
} SlScoreRows;

/* As of SlSection; STATE is an SlScoreRows. */
gboolean sl_score_rows_begin (gpointer state, SlReport *report, const SlReportInput *input,
                              GError **error);
gboolean sl_score_rows_take (gpointer state, SlReport *report, const SlBatch *batch,
                             GError **error);
void sl_score_rows_clear (gpointer state);

/* The metrics, each once, in the order in which they first come: texts of the rows. */
GPtrArray *sl_score_metrics (const SlScoreRows *rows);

/* Brings the rows in the order of their groups, numbers in these by size; rows of one group stay in
 * theirs. */
void sl_score_rows_sort (SlScoreRows *rows);

/* The value of KEY among the tags of ROW's table, or in its group ("model=vgg, seed=1"); NULL where
 * there is none. */
char *sl_score_tag (const SlScoreRow *row, const char *key);
