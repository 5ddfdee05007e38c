/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parquet GLib's readers and writers, opened with what its own constructors do not offer: schemas
 * that keep their metadata and exact types, digests of pages, a level of compression, limits of
 * memory, rows in batches. What is opened here is Parquet GLib's own object. */
#pragma once

#include <parquet-glib/parquet-glib.h>

G_BEGIN_DECLS

/* So begins what a file that SINK seals says of the program that made it: other programs say
 * something else when they write it anew. */
#define SL_PARQUET_SEALED "softlabel version "

/* A row group has GROUP_ROWS rows. The writer holds one of them, or 32 MiB of it. */
GParquetArrowFileWriter *sl_parquet_door_to (GArrowSchema *schema, GArrowOutputStream *sink,
                                             gint64 group_rows, gboolean sealed, int threads,
                                             GError **error);

/* What an error says of a file with anything before or after its one table. */
#define SL_PARQUET_TWO "is two Parquet files run together; use `softlabel cat`"

/* SEALED: that FILE holds one table is known. */
GParquetArrowFileReader *sl_parquet_door_from (GArrowSeekableInputStream *file, gboolean sealed,
                                               int threads, GError **error);

/* How many rows a row group says that it has. Parquet GLib 25 tells it by an object that it does
 * not free whole. */
gint64 sl_parquet_door_rows (GParquetArrowFileReader *reader, int group);

/* The rows of the row groups from FROM on to before TO: small ones whole, several at a time. Where
 * some are large, *TO becomes FROM + 1: one of them, piece by piece, so that little of it is in
 * memory. READER is to outlive it. */
GArrowRecordBatchReader *sl_parquet_door_groups (GParquetArrowFileReader *reader, int from, int *to,
                                                 int threads, GError **error);

G_END_DECLS
