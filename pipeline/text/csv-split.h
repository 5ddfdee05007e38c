/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits blocks of CSV text into records and fields. */
#pragma once

#include "csv-scan.h"

/* Blocks of CSV text, and their records as fields. */

/* Text that begins and ends with a record, with SL_CSV_PADDING readable bytes behind its room. */
typedef struct
{
  char *data;
  gsize n, room; /* bytes of text; bytes that fit before the padding */
  gint64 taken;  /* of the file, once it was read: as of SlSource */
} SlCsvBlock;

void sl_csv_block_reserve (SlCsvBlock *block, gsize room);

/* Some records: field C of record R is data[start[C][R]] up to data[end[C][R]], with quotes undone,
 * and SL_CSV_PADDING readable bytes follow it. C counts the columns that were asked for. */
typedef struct
{
  const char *data;
  guint32 n; /* records */
  int n_columns;
  guint32 **start, **end;       /* [n_columns][n] */
  guint32 *record, *record_end; /* [n]: the record as it came, without its newline */
  char **bad;                   /* [n]: why a record is bad, or NULL */
  guint32 n_bad;
  gint64 n_left_out;  /* of the block */
  GArray *dropped;    /* SlCsvBad, of the block */
  gboolean any_blank; /* a field may begin or end with a blank; where this is not set, none does */
  gboolean decimal_comma; /* for whoever reads numbers: 80,5 is one */
} SlCsvRows;

typedef struct
{
  guint32 record, record_end;
  char *reason;
} SlCsvBad;

static inline const char *
sl_csv_field (const SlCsvRows *rows, int c, guint32 r, gsize *length)
{
  *length = rows->end[c][r] - rows->start[c][r];
  return rows->data + rows->start[c][r];
}

/* Says that record R is bad; the first reason counts. */
void sl_csv_rows_bad (SlCsvRows *rows, guint32 r, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Record R is none that is wanted: it goes with the bad ones, but nobody is told of it. */
void sl_csv_rows_leave_out (SlCsvRows *rows, guint32 r);

/* Takes the bad records out of ROWS; TRUE if there were any. */
gboolean sl_csv_rows_drop_bad (SlCsvRows *rows);

typedef struct _SlCsvSplit SlCsvSplit;

/* For records of N_FIELDS, of which COLUMNS[n_columns] are wanted. */
SlCsvSplit *sl_csv_split_new (char separator, int n_fields, const int *columns, int n_columns);
void sl_csv_split_free (SlCsvSplit *split);

/* Begins BLOCK, which may be moved and gets text behind its own. The bad records of the block
 * before are forgotten. */
void sl_csv_split_start (SlCsvSplit *split, SlCsvBlock *block);

/* The next records of the block, or NULL at its end. Records with the wrong number of fields are
 * dropped already; others may be marked as bad. */
SlCsvRows *sl_csv_split_next (SlCsvSplit *split);

/* Once the block has been split: its bad records, in order, and how many lines it has. */
const GArray *sl_csv_split_bad (SlCsvSplit *split);
gint64 sl_csv_split_lines (const SlCsvSplit *split);
