/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields in quotation marks. */
#pragma once

#include "csv-scan.h"

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
