/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value of a table as people read it. */
#pragma once

#include "pipeline/table/batch.h"

#define SL_CELL_DECIMALS 4 /* a real is shown with at most so many decimals */

/* Whether row ROW of the column has no value. */
gboolean sl_cell_missing (const SlBatch *batch, int column, gint64 row);

/* The decimals that VALUE needs, up to SL_CELL_DECIMALS. */
int sl_cell_decimals (double value);

/* Appends the value as displayed text (display.h); nothing for a missing value. DECIMALS is for reals. Not for labels. */
void sl_cell_append (GString *out, const SlBatch *batch, int column, gint64 row, int decimals);
