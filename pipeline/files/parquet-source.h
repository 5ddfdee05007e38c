/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The batches of a Parquet file, or of some of its row groups. */
#pragma once

#include "file-seal.h"

#include "pipeline/arrow/arrow-types.h"

/* The row groups to read: from FROM on, to before TO, or with TO below 0 all. N becomes how many
 * there are, ROWS_BEFORE how many rows those before FROM have. */
typedef struct
{
  int from, to, n;
  gint64 rows_before;
} SlParquetRange;

typedef struct _SlParquetSource SlParquetSource;

/* RANGE of the regular file that INPUT has opened; *N_ROWS are in it. *DIGESTED: it has digests,
 * and so is checked. */
SlParquetSource *sl_parquet_source_new (SlInput *input, int threads, SlParquetRange *range,
                                        gint64 *n_rows, gboolean *digested, GError **error);
void sl_parquet_source_free (SlParquetSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlParquetSource, sl_parquet_source_free)

GArrowSchema *sl_parquet_source_schema (SlParquetSource *source);

/* *BATCH: some rows of one row group, after ROWS rows; NULL at the end. */
gboolean sl_parquet_source_next (SlParquetSource *source, gint64 rows, GArrowRecordBatch **batch,
                                 GError **error);
