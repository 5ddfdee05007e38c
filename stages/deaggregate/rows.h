/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole rows, of whatever kind of table: compared, and copied one by one. */
#pragma once

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
