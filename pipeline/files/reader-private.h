/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader's files share: reader-open.c opens a source and finds what table it is,
 * reader-parts.c goes from one of several files to the next, reader.c gives out batches. */
#pragma once

#include "pipeline/table/rechunk.h"
#include "pipeline/table/wide-labels.h"
#include "input.h"
#include "read-ahead.h"
#include "reader.h"
#include "table-source.h"
#include "text/text-table.h"

typedef struct
{
  char *path;
  SlTags partition;  /* what the folders that it is in say of its rows, or tags of its own */
  SlTable *table;    /* its header */
  SlRowGroups range; /* of its row groups; of what is not Parquet 0 to 1, or to 0: none of it */
  gint64 first_row;  /* of the table's; G_MAXINT64 before the part is opened */
} SlReaderPart;

struct _SlReader
{
  char *path; /* NULL: standard input */
  char *name;
  SlReaderOptions options;
  SlTable *table;
  GArrowSchema *schema; /* canonical */
  SlInput *input;       /* NULL for what is read by its footer, as Parquet is */
  gboolean digested;    /* of a stream known when it has been read */
  SlTableSource *source;
  GArrowSchema *theirs;     /* of the source's batches */
  GArrowSchema *parted;     /* of batches with what folders say of them; NULL: they say nothing */
  SlTextTable *text;        /* in place of a source, where it is CSV or JSON lines */
  SlFolding *folding;       /* of distributions that have a column a class; or NULL */
  GArrowRecordBatch *first; /* read to learn how long lists are, and not used yet */
  SlRechunk chunks;
  gint64 raw_rows; /* rows of the file up to here, with those that a shard leaves out */
  gint64 rows;     /* rows made into batches */
  gint64 given;    /* rows given out */
  gint64 whole;    /* rows in all, where Parquet tells */
  SlRowGroups range;
  /* Where the table is several files, or a shard: PATH is that of the part that is read. All have
   * PARTS_ROWS, -1 where that is not known. */
  SlReaderPart *parts;
  guint n_parts, at_part, n_passed;
  gint64 parts_rows;
  gboolean divisible;
  gboolean failed_in_part;
  gboolean source_ended;
  /* makes the batches, where there is a thread to spare; all of the above is then its own */
  SlReadAhead *ahead;
  gboolean keep;
  GQueue kept;      /* of SlBatch: what came by a pipe, to be given again */
  GList *kept_next; /* in a second pass over them; NULL otherwise */
  gboolean replaying;
  gint64 *count, counted; /* how many rows were given out, read twice or not; or NULL */
  SlReaderSieve sieve;    /* or NULL */
  gpointer sieve_data;
  GDestroyNotify sieve_free;
};

/* Opens the source, or opens it again; its columns are of types that Arrow GLib knows. */
gboolean sl_reader_open_plain (SlReader *reader, GError **error);

/* The same, and finds its table. */
gboolean sl_reader_open_table (SlReader *reader, GError **error);

void sl_reader_close_source (SlReader *reader);

/* Of a part after the first: the rows that were read count. */
gboolean sl_reader_open_one (SlReader *reader, GError **error);

/* Looks at the headers of all FILES, which become the reader's parts; it is the first one's
 * turn. */
gboolean sl_reader_survey (SlReader *reader, const char *const *files, GError **error);

/* What folders say of the rows of the part whose turn it is; NULL: nothing. */
const SlTags *sl_reader_partition (const SlReader *reader);
/* TABLE, the header of the first part, loses the tags that not all parts have alike. */
void sl_reader_share_tags (const SlReader *reader, SlTable *table);

/* Of an error that begins with a row of the table: makes it the row of its part's file, and
 * returns that file's name, to be freed. NULL where that cannot be told. */
char *sl_reader_locate (SlReader *reader, GError *error);

/* Whether nothing of the part whose turn it is was asked for. */
gboolean sl_reader_part_ended (const SlReader *reader);

/* Notes at which row of the table the part begins that has just been opened. */
void sl_reader_begin_part (SlReader *reader);

/* Opens the next part, if there is one. */
gboolean sl_reader_next_part (SlReader *reader, gboolean *more, GError **error);
void sl_reader_first_part (SlReader *reader);
void sl_reader_clear_parts (SlReader *reader);

/* *BATCH is the next one as it came; NULL at the end. */
gboolean sl_reader_next_plain (SlReader *reader, GArrowRecordBatch **batch, GError **error);

/* *RAW is the source's next batch in the form that the options give it, not validated yet; NULL at
 * the end. */
gboolean sl_reader_read_raw (SlReader *reader, GArrowRecordBatch **raw, GError **error);
