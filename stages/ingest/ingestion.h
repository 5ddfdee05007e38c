/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a format is given, and what it may call: between the stage (ingest.c), which knows no
 * format, and the formats (formats.h), each of which knows one. */
#pragma once

#include "pipeline/base/json-value.h"
#include "pipeline/command/run.h"
#include "pipeline/text/csv-columns.h"
#include "pipeline/text/csv.h"
#include "stages/common/classes/class-coder.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/items/row-tags.h"
#include "stages/ingest/readers/field-values.h"

typedef struct
{
  int from; /* the format, in the table of formats.c; -1: not given */
  char *classes;
  char *classes_from;
  char *ordered; /* "yes", "no" or the classes in their order; NULL: nothing is said */
  char *values;
  char *bins;
  char **columns;
  int header; /* SlHeader */
  char *delimiter;
  char **missing; /* --na; NULL: what other programs write */
  int trim;       /* 0: yes, 1: no */
  char **renamed;
  int percent_scale; /* SlPercentScale */
  char **replace_percent;
  int zero_percent; /* SlZeroPercent, of answer-form.h */
  char **labels;    /* --labels: a file for each of the files */
  char *item_prefix;
  gint64 severity; /* of CIFAR-10-C; 0: all rows */
  int layout;      /* SlImageLayout, of arrays.c */
  char *resize;
  int fit;       /* SlFit, of images.c */
  int item_part; /* SlItemPart, of image-list.h */
  char *pattern;
  char *class_map;
  char *question;    /* the one that is read, of several */
  char *multi_label; /* what parts the classes of an answer that is a set of them */
  char *annotator;   /* who answered, where the files do not say */
  char **keep;       /* statuses of answers that are left out without it */
  int repeats;       /* SlRepeats, of seen-pairs.h */
  char *reject_as;   /* the class that an answer "reject" stands for */
  gboolean transpose;
  char *columns_like; /* a pattern of the columns that hold answers */
  char *trial_type;   /* of jsPsych */
  char *items;        /* a file of items' names, one a line, where the files have none */
  char *gold;         /* a file with the items' true classes */
  double rescale;     /* how far from 1 a distribution's sum may be */
  char *rejects;
  gboolean allow_empty;
  gboolean ignore_case, decimal_comma;
  char **annotator_columns; /* NAME or NAME=COLUMN, joined by commas */
  char **where;             /* conditions on folders KEY=VALUE; or NULL */
  char *like;               /* a table that has the classes */
} SlIngestOptions;

/* An attribute of annotators that is read: --annotator-columns. */
typedef struct
{
  char *key;    /* of its column, a tag: annotator.gender */
  char *column; /* what the files call it */
} SlAttribute;

/* ---- rows put aside ---- */

/* What becomes of bad rows: the first ends the run, or, with --rejects, all are written aside. */
typedef struct
{
  SlRun *run;
  const char *path; /* --rejects; NULL without */
  SlOutput *out;
  GString *text; /* not yet written */
  gint64 n;
  char *first; /* why the first was bad */
} SlRejectedRows;

/* Begins the file, if there is to be one. */
gboolean sl_rejected_rows_start (SlRejectedRows *rejected, SlRun *run, const char *path,
                                 GError **error);
void sl_rejected_rows_clear (SlRejectedRows *rejected);

/* RECORD[length] in row ROW of FILE is bad. */
gboolean sl_rejected_rows_add (SlRejectedRows *rejected, const char *file, gint64 row,
                               const char *reason, const char *record, gsize length,
                               GError **error);

/* Ends the file and warns of what is in it; an error if not one of the rows was good. */
gboolean sl_rejected_rows_end (SlRejectedRows *rejected, gint64 n_good, GError **error);

/* ---- gold classes of another file: --gold ---- */

typedef struct _SlGoldJoin SlGoldJoin;
void sl_gold_join_free (SlGoldJoin *join);

/* At the end: tells how many items got one. */
void sl_gold_join_tell (const SlGoldJoin *join);

/* ---- the service ---- */

typedef struct
{
  SlRun *run;
  const SlIngestOptions *options;
  const char *const *files; /* "-" is standard input */
  SlTags *partition;        /* what folders say of each file's rows (partition.h); NULL: nothing */
  guint part;               /* the file that rows are of */
  char **columns;           /* what --column says of each of the format's roles */
  char separator;           /* of --delimiter; 0: to be guessed */
  SlClassTexts class_texts;
  char **classes;        /* as given, or as found in the end */
  gboolean classes_told; /* given, by the options or by the files, in an order */
  SlSource *peeked; /* what was looked at already of the file "-", for sl_ingest_open(); or NULL */
  SlRejectedRows rejected;
  SlPercentCounts percents; /* of the rows read so far */
  gboolean rehearsal;       /* the first reading of two: bad rows are not reported yet */
  gboolean again;           /* the second one */
  SlTable *table; /* of the format; what is written may have gold classes and tags besides */
  SlBuilder *builder;
  SlGoldJoin *gold; /* of --gold; or NULL */
  gint64 n_rows;    /* written */
  /* For progress: rows; bytes of the files before this one, and of all of them (0: not known). */
  gint64 n_read, bytes_done, bytes_whole;
  const SlCsv *reading;
  SlAttribute *attribute; /* [n_attributes] */
  int n_attributes;
  SlAnnotatorTags attributes;
} SlIngest;

/* What --annotator-columns says. */
gboolean sl_attributes_parse (SlIngest *ingest, GError **error);
void sl_attributes_clear (SlIngest *ingest);

/* SHAPE gets a column for each. */
gboolean sl_attributes_add (const SlIngest *ingest, SlTable *shape, GError **error);

/* The next row of ROWS has VALUE of COLUMN, without blanks around it; or none, where it is empty,
 * or a text that stands for nothing. */
void sl_attribute_put (const SlIngest *ingest, SlBuilder *rows, int column, SlCell value);

/* --delimiter as a character; FALSE and ERROR where it cannot be one. *SEPARATOR is 0 for NULL. */
gboolean sl_delimiter_parse (const char *text, char *separator, GError **error);

/* Opens a CSV file, and tells which delimiter was guessed where it is an unusual one. Parquet,
 * Arrow and JSON are read as CSV, too. SOURCE is taken. */
SlCsv *sl_ingest_open (SlIngest *ingest, const char *path, GError **error);
SlCsv *sl_ingest_open_source (SlIngest *ingest, SlSource *source, GError **error);

/* Where the classes are not given: those that the first file, a table of Parquet or Arrow, names in
 * an order; the dictionary of the first of COLUMNS, NULL-terminated, that has one. */
gboolean sl_ingest_find_classes (SlIngest *ingest, const char *const *columns, GError **error);

/* --multi-label: the classes become questions, which are returned, about items ITEM/CLASS, and the
 * table's classes are no and yes. */
#define SL_QUESTION "/"
#define SL_EMPTY_SETS "answers that name no class, and say no to every question: %" G_GINT64_FORMAT
char **sl_ingest_ask (SlIngest *ingest, GError **error);

/* Begins the table, of KIND, with the columns of the bits of COLUMNS, as in SlTable.columns. The
 * classes are known by now. */
gboolean sl_ingest_start (SlIngest *ingest, const SlKind *kind, guint32 columns, GError **error);

/* Begins a table like SHAPE, but for its classes. */
gboolean sl_ingest_start_as (SlIngest *ingest, const SlTable *shape, GError **error);

/* Before rows of PATH, one of the files, are added. */
gboolean sl_ingest_turn_to (SlIngest *ingest, const char *path, GError **error);

/* Adds ROWS, which are of a table like the one that has begun, to it, but for those that LEFT_OUT
 * marks (NULL: none), and empties ROWS. */
gboolean sl_ingest_put (SlIngest *ingest, SlBuilder *rows, const guint8 *left_out, GError **error);

/* N rows have been added to ingest->builder, which had room for them: a full batch is written. */
gboolean sl_ingest_added (SlIngest *ingest, gint64 n, GError **error);

/* Writes the rows that wait for a batch to be full. */
gboolean sl_ingest_flush (SlIngest *ingest, GError **error);

/* N more rows of ingest->reading have been read. */
void sl_ingest_progress (SlIngest *ingest, gint64 n);

/* Of the first file: which columns have which role, and which have none. */
void sl_ingest_tell_columns (SlIngest *ingest, const SlCsv *csv, const SlColumnRole *roles,
                             const int *column);

/* FALSE and ERROR where the percents that were read may be fractions. */
gboolean sl_ingest_check_percents (SlIngest *ingest, GError **error);

/* A handler's data begins with one of these. */
typedef struct
{
  SlIngest *ingest;
  SlCsv *csv;
} SlIngestCsv;

/* For SlCsvHandler.bad. */
gboolean sl_ingest_bad (gint64 row, const char *reason, const char *record, gsize length,
                        gpointer data, GError **error);

/* sl_csv_each() over DATA->csv, with progress. */
gboolean sl_ingest_each (SlIngestCsv *data, const int *columns, int n_columns,
                         const SlCsvHandler *handler, GError **error);

/* A file's name, for messages. */
char *sl_ingest_file_name (const char *path);
