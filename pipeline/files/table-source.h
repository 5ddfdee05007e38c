/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The batches of an Arrow stream, an Arrow file or Parquet, and the one place where it is found
 * that what was written is cut, damaged, or goes on after its end. */
#pragma once

#include "input.h"

#include "pipeline/arrow/arrow-types.h"

/* The row groups of Parquet to read: from FROM on, to before TO, or with TO below 0 all. N becomes
 * how many there are, ROWS_BEFORE how many rows those before FROM have. */
typedef struct
{
  int from, to, n;
  gint64 rows_before;
} SlRowGroups;

typedef struct _SlTableSource SlTableSource;

/* Reads what INPUT has; what it is its first bytes tell. Of Parquet RANGE, with *N_ROWS in it. NULL
 * without ERROR: these are of no table, and OR_TEXT is set. */
SlTableSource *sl_table_source_new (SlInput *input, gboolean or_text, int threads,
                                    SlRowGroups *range, gint64 *n_rows, GError **error);
void sl_table_source_free (SlTableSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTableSource, sl_table_source_free)

GArrowSchema *sl_table_source_schema (SlTableSource *source);
gboolean sl_table_source_is_parquet (const SlTableSource *source);

/* Parquet, and Arrow files without a stream, as Polars writes them, are read from any place. */
gboolean sl_table_source_is_by_footer (const SlTableSource *source);

/* *BATCH: the next one, after ROWS rows, of Parquet within one row group; NULL at the end of a
 * whole table. */
gboolean sl_table_source_next (SlTableSource *source, gint64 rows, GArrowRecordBatch **batch,
                               GError **error);

/* Whether there are digests, and so what was read is checked; of a stream known at its end. */
gboolean sl_table_source_is_digested (const SlTableSource *source);
