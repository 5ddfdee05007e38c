/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that a table takes while it is read. A few bytes may say of themselves that they are
 * gigabytes, once they are unpacked: all that Arrow allocates for a reader is asked for here
 * first, and refused where it is too much. */
#pragma once

#include "arrow-types.h"

G_BEGIN_DECLS

/* From now on: all that is read at a time may take BYTES, or a few batches if that is less. 0: no
 * limit; -1, as it is without this: each batch may take 1 GiB, or eight times the bytes that it is
 * read from. */
void sl_reading_set_most (gint64 bytes);
gint64 sl_reading_most (void);

/* A batch begins: it may take what a batch may, whatever is held of others. */
void sl_reading_begin (void);

/* So many bytes of the batch were really there. */
void sl_reading_arrived (gint64 bytes);

/* Replaces ERROR by one that says that memory was refused, where it was since
 * sl_reading_set_most(): batches are read ahead, so a refusal is told when its batch is asked for.
 * Not where no machine would have so much: then the file is damaged. */
void sl_reading_tell (GError **error);

/* ARRAY as TYPE, which may take far more. */
GArrowArray *sl_reading_cast (GArrowArray *array, GArrowDataType *type, GError **error);

/* BATCH, which is validated, as SCHEMA has its columns; what Arrow does not cast is missing. */
GArrowRecordBatch *sl_reading_cast_batch (GArrowRecordBatch *batch, GArrowSchema *schema,
                                          GError **error);

G_END_DECLS

#ifdef __cplusplus
#include <arrow/memory_pool.h>

arrow::MemoryPool *sl_reading_pool ();
#endif
