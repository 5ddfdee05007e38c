/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts and joins record batches so that each has just as many rows as wanted, but the last, and but
 * for those of which the next row would be more text than a batch is to hold. What already fits is
 * not copied. */
#pragma once

#include "table.h"

typedef struct
{
  gint64 rows;    /* wanted */
  gint64 full;    /* SL_BATCH_FULL, but in tests */
  GQueue pending; /* of GArrowRecordBatch, fewer than `rows` rows in all but for the newest */
  gint64 n_pending;
  gint64 held[SL_MAX_COLUMNS]; /* pending bytes of text, or members of lists, of each column */
} SlRechunk;

void sl_rechunk_init (SlRechunk *chunks, gint64 rows);
void sl_rechunk_clear (SlRechunk *chunks);
void sl_rechunk_push (SlRechunk *chunks, GArrowRecordBatch *batch);

/* *BATCH is the next full one; with FLUSH, what is left; NULL where there is none. */
gboolean sl_rechunk_pop (SlRechunk *chunks, gboolean flush, GArrowRecordBatch **batch,
                         GError **error);
