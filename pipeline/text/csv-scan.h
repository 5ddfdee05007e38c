/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the separators and record ends of CSV text, 64 bytes at a time.
 *
 * A quotation mark opens a quoted field only where a field begins; elsewhere outside of quotes it
 * is an ordinary character, as Python's csv, pandas and Arrow take it. Inside of quotes, separators
 * and newlines are text, and a mark doubled is one mark. */
#pragma once

#include <glib.h>

/* Readable bytes that must follow the text; what they hold does not matter. */
#define SL_CSV_PADDING 64

/* A character that separates no fields: DEL. The last word of a text is filled up with it. */
#define SL_CSV_FILLER '\x7f'

typedef struct
{
  char separator;
  gboolean in_quotes;
  /* The byte before is a separator, a newline or a closing mark, or there is none. */
  gboolean may_open;
  gboolean after_blank;                   /* the byte before is a blank */
  gboolean any_quote, any_odd, any_blank; /* since last cleared: a mark; a byte that is 0 or not
                                             ASCII; a blank beside the end of a field */
  gsize n_hidden;                         /* newlines inside of quotes */
} SlCsvScan;

/* Places found: `end` of every separator and newline outside of quotes, `line` of the newlines
 * alone. */
typedef struct
{
  guint32 *end, *line;
  gsize n_ends, n_lines;
  gsize room; /* of each; 64 at least must be free when scanning goes on */
} SlCsvMarks;

/* The state at the beginning of a record. */
SlCsvScan sl_csv_scan_start (char separator);

/* Scans DATA[FROM] up to DATA[TO], or less where MARKS gets full; returns where it stopped. FROM is
 * a multiple of 64 bytes after where the scan began. */
gsize sl_csv_scan (SlCsvScan *scan, const char *data, gsize from, gsize to, SlCsvMarks *marks);

/* The length of the whole records with which DATA[N], which starts with a record, begins: all of
 * them, or the first. */
gsize sl_csv_whole_records (char separator, const char *data, gsize n);
gsize sl_csv_first_record (char separator, const char *data, gsize n);

/* Newlines in DATA[N], those in quotes too. */
gint64 sl_csv_count_newlines (const char *data, gsize n);

/* Fields in quotation marks. */

#define SL_CSV_UNCLOSED "a quotation mark is never closed"
#define SL_CSV_AFTER_QUOTE                                                                         \
  "text between a field's closing quotation mark and the next separator; is a mark inside of it "  \
  "not doubled?"
#define SL_CSV_NOT_UTF8                                                                            \
  "is not UTF-8; if it is Latin-1, convert the file with `iconv -f WINDOWS-1252 -t UTF-8`"

/* Where a record ends that begins at START and whose newline is at END. Carriage returns before the
 * newline belong to it, also two of them, as a program leaves that translates newlines twice. */
static inline guint32
sl_csv_without_return (const char *data, guint32 start, guint32 end)
{
  /* Before a record or field that is empty there is a newline or a separator, or nothing. */
  if (G_LIKELY (data[end - (end > 0)] != '\r'))
    return end;
  while (end > start && data[end - 1] == '\r')
    end--;
  return end;
}

/* Whether FIELD[n], which begins with a quotation mark, is closed at its end, and marks inside of
 * it are doubled. */
gboolean sl_csv_quotes_right (const char *field, gsize n, gsize *n_doubled);

/* The text of such a field to OUT, which may be FIELD; returns its length. */
gsize sl_csv_undo_quotes (const char *field, gsize n, char *out);

/* The fields of the one record DATA[n], its newline included, are added to FIELDS; returns NULL, or
 * what is wrong. */
const char *sl_csv_split_one (char separator, const char *data, gsize n, GPtrArray *fields);
