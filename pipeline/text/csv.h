/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads CSV (RFC 4180) and TSV files in blocks that end with a record, split into fields by
 * several threads at once and handed on in order. Memory is bounded by the number of threads
 * times a block. */
#pragma once

#include "csv-split.h"
#include "source.h"

typedef struct
{
  const char *name; /* for messages */
  char separator;
  gboolean guessed;   /* the separator was not given */
  gboolean has_names; /* the first record is a header */
  gboolean
      is_made; /* it is another form of a table, read as CSV: its header is one, and is no row */
  gboolean bare_returns; /* lines end in a carriage return alone */
  /* The first record's fields, NULL-terminated: the columns' names, if it is a header. */
  char **first;
  int n_fields; /* of every record */
  gsize block;  /* bytes to read at once, where records are shorter */
  gint64 row;   /* the line where the records begin that are handed on next, counted from 1 */
  gint64 done;  /* bytes of the file handed on; 0 if not known */
  SlSource *source;
  SlCsvBlock rest; /* read, but not yet given out */
} SlCsv;

/* Opens PATH, "-" being standard input, and guesses what separates its fields. Fails where there is
 * no first record. */
SlCsv *sl_csv_open (const char *path, GError **error);

/* Reads SOURCE, which it takes whatever comes of it. SEPARATOR 0: it guesses. */
SlCsv *sl_csv_new (SlSource *source, char separator, GError **error);
void sl_csv_free (SlCsv *csv);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlCsv, sl_csv_free)

/* Before the first block: the first record is a header, and not among the records that are read. */
void sl_csv_skip_first (SlCsv *csv);

/* The fields of the record that comes next, which is read later none the less; none at the end. To
 * be freed with g_ptr_array_unref(). */
GPtrArray *sl_csv_peek (SlCsv *csv, GError **error);

/* The next whole records; block->n is 0 at the end. */
gboolean sl_csv_read_block (SlCsv *csv, SlCsvBlock *block, GError **error);

/* What DATA[n], the beginning of a file, is in place of CSV in UTF-8, and how to convert it, "is
 * UTF-16 ..."; NULL where it may be CSV. */
const char *sl_csv_find_other_format (const char *data, gsize n);

/* What is done with the records. A piece is what becomes of one block's records. */
typedef struct
{
  gpointer (*piece_new) (gpointer data);
  void (*piece_free) (gpointer piece);
  /* By any thread, several pieces at once: may mark records as bad, and must drop them before it
   * keeps any. */
  void (*parse) (SlCsvRows *rows, gpointer piece, gpointer data);
  /* In order, one at a time: a bad record that begins in line ROW; then the block's piece, to be
   * emptied, or to be kept and *PIECE set to NULL. */
  gboolean (*bad) (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
                   GError **error);
  gboolean (*emit) (gpointer *piece, gpointer data, GError **error);
} SlCsvHandler;

/* Hands the fields COLUMNS[n_columns] (counted from 0) of every record to HANDLER. */
gboolean sl_csv_each (SlCsv *csv, const int *columns, int n_columns, int threads,
                      const SlCsvHandler *handler, gpointer data, GError **error);
