/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of any kind as people read it: aligned columns, distributions as bars, missing values as
 * a dot. The widths come from the first rows, which are held back until there are enough of them;
 * memory does not grow with the table. */
#pragma once

#include "pipeline/table/batch.h"

typedef struct _SlRender SlRender;

/* WIDTH in terminal columns; 0: as wide as it gets. MAX_ROWS rows are printed and the rest counted;
 * 0: all are printed. */
SlRender *sl_render_new (SlTable *table, int width, gboolean color, gint64 max_rows);
void sl_render_free (SlRender *render);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlRender, sl_render_free)

/* Appends to OUT what can be printed after this batch. Batches come in order. */
void sl_render_batch (SlRender *render, const SlBatch *batch, GString *out);

/* Appends the rest, and how many rows there are beside those printed. */
void sl_render_end (SlRender *render, GString *out);
