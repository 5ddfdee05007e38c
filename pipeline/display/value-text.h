/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value of a table as people read it. */
#pragma once

#include "pipeline/table/batch.h"

#define SL_CELL_DECIMALS 4 /* a real is shown with at most so many decimals */

/* How a column of a type is laid out. */
typedef enum
{
  SL_CELL_TEXT,
  SL_CELL_LIST, /* cut at its end where there is little room */
  SL_CELL_FLAG,
  SL_CELL_NUMBER,
  SL_CELL_REAL, /* a number with as many decimals as its column needs */
  SL_CELL_BARS, /* not by sl_cell_append() */
} SlCellForm;

SlCellForm sl_cell_form (const SlColumnSpec *spec);

/* The value of a cell of form SL_CELL_REAL. */
double sl_cell_real (const SlBatch *batch, int column, gint64 row);

/* The decimals that VALUE needs, up to SL_CELL_DECIMALS. */
int sl_cell_decimals (double value);

/* Appends the value as displayed text; nothing for a missing value. DECIMALS is for
 * reals. Nothing for bars. */
void sl_cell_append (GString *out, const SlBatch *batch, int column, gint64 row, int decimals);
