/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a whole table says, drawn below its first rows: how reliable predictions are, how certain
 * labels are, how training went. */
#pragma once

#include "pipeline/table/batch.h"

typedef struct _SlTableChart SlTableChart;

/* NULL where there is no chart for such a table. */
SlTableChart *sl_table_chart_new (const SlTable *table);
void sl_table_chart_free (SlTableChart *chart);

void sl_table_chart_add (SlTableChart *chart, const SlBatch *batch);

/* Appends the chart, WIDTH columns wide at most (0: no limit); FALSE: there is nothing to draw. */
gboolean sl_table_chart_draw (const SlTableChart *chart, int width, gboolean color, GString *out);

/* Why nothing of TABLE is drawn, in words. */
const char *sl_table_chart_missing (const SlTable *table);
