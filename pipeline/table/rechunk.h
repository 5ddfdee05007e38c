/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts and joins record batches so that each has the wanted number of rows. The last one may have
 * fewer. So may one whose text would otherwise outgrow SL_BATCH_FULL. A batch that already fits is
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

/* BATCHES, one after the other, as one; NULL and ERROR where that cannot be. */
GArrowRecordBatch *sl_batches_join (GPtrArray *batches, GError **error);

/* *BATCH is the next full one; with FLUSH, what is left; NULL where there is none. */
gboolean sl_rechunk_pop (SlRechunk *chunks, gboolean flush, GArrowRecordBatch **batch,
                         GError **error);
