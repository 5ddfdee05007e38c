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

/* Before the first batch: COLUMN is shown, however little room there is. */
void sl_render_keep (SlRender *render, int column);

/* Appends to OUT what can be printed after this batch. Batches come in order. */
void sl_render_batch (SlRender *render, const SlBatch *batch, GString *out);

/* N rows more come after all others, and are not printed. */
void sl_render_skip (SlRender *render, gint64 n);

/* Appends the rest, and how many rows there are beside those printed. */
void sl_render_end (SlRender *render, GString *out);
