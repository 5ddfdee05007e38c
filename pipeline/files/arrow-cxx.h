/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few things that Arrow's C interface does not offer (arrow-cxx.cc, plain-columns.cc,
 * stream-reader.cc, stream-writer.cc, sealing-sink.cc, and parquet/). */
#pragma once

#include <arrow-glib/arrow-glib.h>
#include <glib.h>

#include "input.h"

G_BEGIN_DECLS

/* Arrow's own thread pool; 1 for none beside the caller's. */
void sl_arrow_set_threads (int threads);

/* What C++ would end the program on, a thread that cannot be had, ends it in one line. */
void sl_arrow_init (void);

/* A Parquet writer on THREADS threads that keeps the schema's metadata and exact Arrow types
 * (parquet/parquet-writer.cc). It holds a row group, or 32 MiB of one. */
typedef struct _SlParquetWriter SlParquetWriter;

SlParquetWriter *sl_parquet_writer_new (GArrowSchema *schema, GArrowOutputStream *sink,
                                        gint64 row_group_rows, int threads, GError **error);
gboolean sl_parquet_writer_write (SlParquetWriter *writer, GArrowRecordBatch *batch,
                                  GError **error);
gboolean sl_parquet_writer_close (SlParquetWriter *writer, GError **error);
void sl_parquet_writer_free (SlParquetWriter *writer);

/* A sink for a file that ends with a footer, which gets a seal before it (file-seal.h). To be
 * finished when the file's writer has been closed. */
GArrowOutputStream *sl_sealing_stream_new (GArrowOutputStream *to, gboolean has_pieces);
gboolean sl_sealing_stream_finish (GArrowOutputStream *sink, GError **error);

/* A writer of an Arrow stream, or of an Arrow file; DIGESTED: its batches carry digests. */
GArrowRecordBatchWriter *sl_stream_writer_new (GArrowSchema *schema, GArrowOutputStream *sink,
                                               gboolean is_file, gboolean digested);

/* What an error says of a file with anything before or after its one table. */
#define SL_PARQUET_TWO "is two Parquet files run together; use `softlabel cat`"

/* The row groups to read: from FROM on, to before TO, or with TO below 0 all. N becomes how many
 * there are, ROWS_BEFORE how many rows those before FROM have. */
typedef struct
{
  int from, to, n;
  gint64 rows_before;
} SlParquetRange;

/* Reads RANGE of PATH: a row group at a time if all are small, else in batches of at most
 * BATCH_ROWS, with a few pages of each column in memory; *N_ROWS are in it. *DIGESTED: it has
 * digests, and so is checked. */
GArrowRecordBatchReader *sl_parquet_reader_new (const char *path, gint64 batch_rows, int threads,
                                                SlParquetRange *range, gint64 *n_rows,
                                                gboolean *digested, GError **error);

/* Reads the Arrow stream in INPUT. *DIGESTED, which is to outlive it, becomes TRUE when its first
 * digest has come. */
GArrowRecordBatchReader *sl_stream_reader_new (SlInput *input, int threads, gboolean *digested,
                                               GError **error);

/* Reads the Arrow file PATH by its footer. */
GArrowRecordBatchReader *sl_footer_reader_new (const char *path, int threads, GError **error);

/* A reader of what SOURCE reads, with columns of types that Arrow GLib has no class for made into
 * plain ones, or left out where that cannot be: views of texts, as Polars writes them, views of
 * lists, tensors. SOURCE itself where it has none. */
GArrowRecordBatchReader *sl_plain_reader_new (GArrowRecordBatchReader *source);

G_END_DECLS
