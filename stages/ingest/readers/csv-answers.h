/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What formats of CSV have in common of which a record may be any number of answers. (Where it is
 * always one, row-format.h is faster.) */
#pragma once

#include "answers.h"

typedef struct
{
  SlCsv *csv;
  GPtrArray *fields; /* of the record at hand, quotes undone; as many as there are columns */
  gpointer format;   /* the format's own: which columns it wants */
} SlCsvAnswers;

typedef struct
{
  char separator; /* 0: as --delimiter says, or guessed */
  int may_lack;   /* so many fields at the end of a record need not be there */
  /* The header has been read: finds its columns. */
  gboolean (*begin) (SlAnswers *answers, SlCsvAnswers *csv, GError **error);
  gboolean (*take) (SlAnswers *answers, SlCsvAnswers *csv, GError **error);
} SlCsvTake;

/* Hands every record of SOURCE, which it takes, but the header to TAKE. */
gboolean sl_csv_answers_read (SlAnswers *answers, SlSource *source, const SlCsvTake *take,
                              gpointer format, GError **error);

/* Field C of the record at hand; empty for C -1. */
SlCell sl_csv_answers_cell (const SlCsvAnswers *csv, int c);
double sl_csv_answers_number (const SlCsvAnswers *csv, int c); /* NaN where it is none */

/* The column named NAME, in upper or lower case; -1: there is none. */
int sl_csv_answers_column (const SlCsvAnswers *csv, const char *name);

/* The column that TEXT, what the user said, names, or its position from 1. FALSE and ERROR where
 * there is none. */
gboolean sl_csv_answers_given (const SlAnswers *answers, const SlCsvAnswers *csv,
                               const char *option, const char *text, int *column, GError **error);

/* FALSE and ERROR: the file has no column NAME, and so is not what it should be. */
gboolean sl_csv_answers_needs (const SlAnswers *answers, const SlCsvAnswers *csv, const char *name,
                               int *column, GError **error);
