/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader's two files share: reader-open.c opens a source and finds what table it is,
 * reader.c gives out its batches. */
#pragma once

#include "pipeline/table/rechunk.h"
#include "pipeline/table/wide-labels.h"
#include "arrow-cxx.h"
#include "input.h"
#include "read-ahead.h"
#include "reader.h"
#include "text-table.h"

struct _SlReader
{
  char *path; /* NULL: standard input */
  char *name;
  SlReaderOptions options;
  SlTable *table;
  GArrowSchema *schema; /* canonical */
  SlInput *input;       /* NULL for Parquet */
  gboolean is_file_format;
  GArrowRecordBatchReader *source;
  SlTextTable *text;        /* in place of a source, where it is CSV or JSON lines */
  SlFolding *folding;       /* of distributions that have a column a class; or NULL */
  GArrowRecordBatch *first; /* read to learn how long lists are, and not used yet */
  SlRechunk chunks;
  gint64 raw_rows; /* rows of the source so far */
  gint64 rows;     /* rows made into batches */
  gint64 given;    /* rows given out */
  gint64 whole;    /* rows in all, where Parquet tells */
  gboolean source_ended;
  /* makes the batches, where there is a thread to spare; all of the above is then its own */
  SlReadAhead *ahead;
  gboolean keep;
  GQueue kept;      /* of SlBatch: what came by a pipe, to be given again */
  GList *kept_next; /* in a second pass over them; NULL otherwise */
  gboolean replaying;
};

/* Puts PROBLEM into one line, as what it means for the input; returns FALSE. */
gboolean sl_reader_fail (SlReader *reader, const GError *problem, GError **error);

/* Opens the source, or opens it again; its columns are of types that Arrow GLib knows. */
gboolean sl_reader_open_plain (SlReader *reader, GError **error);

/* The same, and finds its table. */
gboolean sl_reader_open_table (SlReader *reader, GError **error);

/* *RAW is the source's next batch in the form that the options give it, not validated yet; NULL at
 * the end. */
gboolean sl_reader_read_raw (SlReader *reader, GArrowRecordBatch **raw, GError **error);
