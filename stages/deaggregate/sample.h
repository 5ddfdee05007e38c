/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an item's answers to rows of the output. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "pipeline/table/batch.h"

typedef struct
{
  SlBatch *batch; /* not a reference */
  gint64 row;
} SlRow;

/* How rows are ordered whatever came first: by ANNOTATOR's text (-1: no such column), then by
 * all else. 0: alike in every column. */
int sl_row_compare (SlRow a, SlRow b, int annotator);

/* Appends ROW's values to the columns that BUILDER's table has. The column REPLACED is left to the
 * caller (-1: none). */
void sl_row_copy (SlBuilder *builder, const SlTable *table, SlRow row, int replaced);

typedef struct
{
  guint64 seed;
  gint64 annotators;   /* answers chosen an item; 0: all */
  gint64 draws;        /* 0: none */
  gint64 hard_samples; /* 0: none */
  gboolean votes;
} SlSampling;

/* Answers that ROW, of annotations, stands for. */
gint64 sl_row_count (SlRow row);

/* Appends ROW to the output N times, as single votes. */
gboolean sl_write_votes (SlRun *run, SlBuilder *builder, const SlTable *table, SlRow row, gint64 n,
                         GError **error);

/* Reads all of RUN's input and writes what SAMPLING says to its output, which is TABLE. */
gboolean sl_sample (SlRun *run, SlTable *table, const SlSampling *sampling, GError **error);

/* BATCH without rows that are no judgements of their item. */
SlBatch *sl_judgements (SlBatch *batch, GError **error);
