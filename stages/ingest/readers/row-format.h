/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats that are CSV or TSV in which every record becomes one row of the table. Such a format
 * says which columns it knows and what their fields mean. How files are read, and how classes are
 * found before the first row can be written, is the same for all and is done here.
 *
 * The order of the classes is known only when all records have been seen, but stands before the
 * first row of the table. So where the classes are not given, regular files are read twice, the
 * first time only for the classes; what comes by a pipe waits in memory, with codes in place of
 * class names. */
#pragma once

#include "stages/ingest/class-search.h"
#include "stages/ingest/ingestion.h"
#include "field-values.h"
#include "stages/common/answers/seen-pairs.h"

#define SL_ROW_ROLES 48 /* at most, a row format's and then attributes of annotators */

typedef struct _SlRowFormat SlRowFormat;

/* One run of a format. */
typedef struct
{
  SlIngestCsv source;
  const SlRowFormat *format;
  SlColumnRole roles[SL_ROW_ROLES + 1]; /* the format's, and one for each attribute */
  char *given[SL_ROW_ROLES];            /* what the user calls their columns */
  int n_given;                          /* 0: nothing is said */
  int column[SL_ROW_ROLES];             /* of each role in the file; -1: not there */
  int place[SL_ROW_ROLES];              /* among the columns that are read */
  GArray *more;         /* of int: further columns that are read, which have no role */
  int first_more;       /* place of the first of them */
  guint32 columns;      /* of the table */
  gboolean has_choices; /* the role of the class has lists of classes with their percents */
  SlClassSearch classes;
  SlTable *shape;     /* as the table will be, but for its classes */
  GPtrArray *waiting; /* of SlRowPiece, with codes of classes.found */
  SlRepeats repeats;
  SlSeenPairs *seen;                      /* NULL: repeats are not looked for */
  SlSeenPairs *sessions;                  /* of a format of sessions: which ones were met */
  gint64 n_sessions, n_answers, n_marked; /* of those, what came once, and how much is marked */
  gint64 n_left_out;                      /* answers that --na says are none */
} SlRowReading;

/* What becomes of one block of records. One thread has it at a time. */
typedef struct
{
  SlBuilder *rows;
  gint64 n_records; /* good ones that were read */
  gint64 n_left_out;
  GArray *pairs;               /* of SlSeenPair: the rows', or those that are looked at */
  GByteArray *repeat;          /* for each row: it is left out; NULL: none is */
  GByteArray *marked;          /* for each row that was added: add() has something to tell of it */
  SlCoder *coder, *gold_coder; /* of answers, and of gold classes */
  GArray *found, *gold_found;  /* of gint32: for each of their own codes that in classes.found */
  SlPercentCounts percents;
  /* Room for the values of the records at hand, before it is known which of them are good. */
  guint32 room;
  double *reals;    /* [n_roles][room] */
  gint64 *integers; /* [room] */
  gint32 *codes;    /* [n_roles][room] */
  float *numbers;   /* [more][room], of the further columns */
  SlCodeLists lists;
  SlCodeLists choices;     /* and the percent of each of their members: */
  GArray *choice_percents; /* of double */
} SlRowPiece;

struct _SlRowFormat
{
  const SlKind *kind;
  const SlColumnRole *roles;
  int n_roles;
  gboolean named;             /* the first record is always a header */
  gboolean apart;             /* files may have other columns than those before them */
  const char *const *classes; /* where the user does not say them; NULL: those that are found */
  const int *class_columns;   /* of the table: those with codes of answers; ends with -1 */
  int gold_column;            /* that with codes of gold classes; -1: none */
  int class_role;             /* the role that is the wrong one where there are too many classes */
  /* For --repeats: the roles of item and annotator, and the table's column of repeats; 0: repeats
   * are not looked for. */
  int item_role, annotator_role, repeat_column;
  /* A row is of a session (item_role), and one of its trials (annotator_role): what comes again was
   * stored twice, and counts once. */
  gboolean of_sessions;
  gboolean takes_choices; /* a column `choices` may stand in the class's place; then
                                 class_columns[1] is that of choices */
  /* Takes back roles that a file of this header does not have after all; or NULL. */
  void (*settle) (const SlIngest *ingest, const SlCsv *csv, int *column);
  guint32 (*columns) (const int *column); /* of the table that COLUMN[n_roles] of the file make */
  /* Reads all but the classes of RECORDS and marks the bad ones. */
  void (*check) (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece);
  /* Then the classes: so a bad record teaches none. */
  void (*code) (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece);
  /* Then adds the records, all good, to piece->rows. */
  void (*add) (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece);
  /* The rest may be NULL. */
  /* When the columns of a file are known: puts further ones into reading->more, and completes
   * reading->shape where FIRST. */
  gboolean (*find_more) (SlRowReading *reading, gboolean first, GError **error);
  /* In place of sl_ingest_start_as() and sl_ingest_put(). */
  gboolean (*start) (SlRowReading *reading, GError **error);
  gboolean (*put) (SlRowReading *reading, SlBuilder *rows, const guint8 *left_out, GError **error);
  gpointer data; /* the format's own */
};

static inline gboolean
sl_row_has (const SlRowReading *reading, int role)
{
  return reading->column[role] >= 0;
}

static inline double *
sl_row_reals (const SlRowPiece *piece, int role)
{
  return piece->reals + (gsize) role * piece->room;
}

static inline gint32 *
sl_row_codes (const SlRowPiece *piece, int role)
{
  return piece->codes + (gsize) role * piece->room;
}

/* Adds the texts of ROLE to COLUMN of the table. */
void sl_row_add_texts (const SlRowReading *reading, const SlCsvRows *records, int role, int column,
                       SlRowPiece *piece);

/* For find_more of the first file: CLASSES are the classes, unless the user has said others, so
 * none need to be found first. */
void sl_row_set_classes (SlRowReading *reading, char **classes);

/* Likewise: there are no classes. */
void sl_row_no_classes (SlRowReading *reading);

gboolean sl_row_format_run (const SlRowFormat *format, SlIngest *ingest, GError **error);
