/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one table: Arrow IPC stream, Arrow IPC file or Parquet, told apart by their first bytes;
 * if asked to, CSV and JSON lines as softlabel writes them. Batches come in canonical form and
 * checked against their kind. Each but the last has sl_table_batch_rows() rows. A stream that ends
 * without its end marker, bytes after the marker, and a file cut short are errors, never an early
 * end. */
#pragma once

#include "pipeline/table/batch.h"
#include "pipeline/text/source.h"

typedef struct _SlReader SlReader;

/* Makes of tables of another program's form those of a kind, before they are looked at. Batches
 * may come in another thread, one after the other; their columns have not been validated. Each
 * call returns a new reference, or NULL and ERROR. */
typedef struct
{
  GArrowSchema *(*schema) (GArrowSchema *schema, gpointer data, GError **error);
  GArrowRecordBatch *(*batch) (GArrowRecordBatch *batch, gpointer data, GError **error);
  gpointer data;
} SlReaderForm;

typedef struct
{
  const SlKind *const *kinds; /* the kinds that will do, NULL-terminated; NULL: any */
  const SlKind *kind;         /* stands in where the file does not say, as do the classes */
  const char *const *classes;
  int threads;
  const SlReaderForm *form; /* or NULL */
  gboolean text;            /* CSV and JSON lines that softlabel wrote will do, too */
  SlSource **bytes; /* gets what begins as no table does; the reader is NULL then, without ERROR */
  /* The SHARD-th of SHARDS parts, from 1: of row groups, or of files. SHARDS 0: all of it. */
  gint64 shard, shards;
  /* Conditions (condition.h): of a folder KEY=VALUE whose rows cannot fit no file is opened; where
   * none can, one is, for its header. NULL: any will do. */
  char *const *where;
  gboolean no_rows;        /* of several files: their header alone is wanted */
  const SlTags *partition; /* what folders say of the file's rows (partition.h); or NULL */
  gboolean tags_apart;     /* several files may have other tags: a column says those of each row */
} SlReaderOptions;

/* PATH "-" or NULL is standard input; the files in a folder, and in those KEY=VALUE in it, are one
 * table. */
SlReader *sl_reader_open (const char *path, const SlReaderOptions *options, GError **error);
/* All files that PATHS name are one table, one after the other. */
SlReader *sl_reader_open_all (const char *const *paths, const SlReaderOptions *options,
                              GError **error);

/* How many files the table is, if it is several, otherwise 0 or 1; and the header of each. */
guint sl_reader_n_parts (const SlReader *reader);
const SlTable *sl_reader_part (const SlReader *reader, guint i);

/* How many files were passed over, by their folders' names. */
guint sl_reader_n_passed (const SlReader *reader);

void sl_reader_free (SlReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlReader, sl_reader_free)

SlTable *sl_reader_table (SlReader *reader); /* not a new reference */
const char *sl_reader_name (SlReader *reader);

/* Puts the name before an error that begins with a row (sl_error_row): of several files that of
 * the one which has the row, counted in it. No further batch can be read. */
void sl_reader_name_rows (SlReader *reader, GError **error);

/* *BATCH is the next batch, or NULL at the end of the table. */
gboolean sl_reader_next (SlReader *reader, SlBatch **batch, GError **error);

/* The loop over all batches of a table that a stage has opened:  g_autoptr (SlBatch) batch = NULL;
 * gboolean ok = TRUE; while (sl_reader_each (reader, &batch, &ok, error)) ok = add_batch (...,
 * batch, error); return ok;  *BATCH becomes the next one, and the one before it goes. FALSE at the
 * end, where reading fails, which *OK then tells, and where the body has set *OK to FALSE: an
 * error of a row gets the table's name then. */
gboolean sl_reader_each (SlReader *reader, SlBatch **batch, gboolean *ok, GError **error);

/* Before the first batch is read: makes sl_reader_rewind() possible. A file is then read twice;
 * what comes by a pipe is kept in memory, within --max-memory. */
void sl_reader_keep (SlReader *reader);
gboolean sl_reader_keeps_memory (SlReader *reader); /* what is read now stays in memory */
gboolean sl_reader_rewind (SlReader *reader, GError **error);

/* For progress: done and whole in [0, 1]-comparable units (bytes or rows); whole is 0 where it is
 * not known. */
void sl_reader_position (SlReader *reader, gint64 *done, gint64 *whole);

/* Looks at each batch before it is given out, and at the end (BATCH NULL) of every reading: it may
 * set rows of it aside (sl_batch_set_aside()). */
typedef gboolean (*SlReaderSieve) (gpointer data, SlBatch *batch, GError **error);
void sl_reader_set_sieve (SlReader *reader, SlReaderSieve sieve, gpointer data,
                          GDestroyNotify free);

/* *ROWS gets more by each row that is given out for the first time. */
void sl_reader_count (SlReader *reader, gint64 *rows);

/* At the table's end: whether what was read had digests (digest-chain.h, file-seal.h). A table
 * that has some is checked as it is read: damage is an error. */
gboolean sl_reader_is_digested (SlReader *reader);

/* For whoever takes a table as another program wrote it, whatever its kind: nothing but the calls
 * below, and sl_reader_free(), may be made. *RAW is the next batch as it came, NULL at the end. */
SlReader *sl_reader_open_raw (const char *path, int threads, GArrowSchema **schema, GError **error);
/* Whether PATH is a file of Parquet or Arrow that another program wrote. */
gboolean sl_reader_is_foreign (const char *path);
gboolean sl_reader_next_raw (SlReader *reader, GArrowRecordBatch **raw, GError **error);
