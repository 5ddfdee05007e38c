/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judgements of a table, in memory, item by item. Items are in order of first appearance. An
 * item's rows are sorted by their content, so draws from them do not depend on the table's
 * order. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "rows.h"

typedef struct
{
  GPtrArray *batches; /* of SlBatch */
  SlIntern *items;
  gint64 n_rows;
  SlRow *row;    /* [n_rows] */
  gint64 *first; /* [items + 1]: item i has row[first[i]] up to row[first[i + 1]] */
} SlPool;

/* Reads all of RUN's input but attention checks and excluded annotators. */
gboolean sl_pool_init (SlPool *pool, SlRun *run, GError **error);
void sl_pool_clear (SlPool *pool);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPool, sl_pool_clear)

/* BATCH without rows that are no judgements of their item. */
SlBatch *sl_judgements (SlBatch *batch, GError **error);
