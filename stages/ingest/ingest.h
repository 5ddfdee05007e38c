/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats share. A format is a file that defines an SlIngestFormat, and a row in the table of ingest.c. */
#pragma once

#include "pipeline/text/csv-columns.h"
#include "pipeline/text/csv.h"
#include "stages/common/class-list.h"
#include "answers.h"
#include "rejects.h"

typedef struct
{
  int from; /* index of the format; -1: not given */
  char *classes;
  char *classes_from;
  char **columns;
  int header; /* SlHeader */
  char **replace_percent;
  int zero_percent; /* SlZeroPercent, of form.h */
  char *rejects;
} SlIngestOptions;

typedef struct _SlIngestFormat SlIngestFormat;

typedef struct
{
  SlRun *run;
  const SlIngestOptions *options;
  const char *const *files; /* "-" is standard input */
  char **classes;           /* as given, or as found in the end */
  SlRejects rejects;
  gboolean rehearsal; /* reading for the first of two times: bad rows are not reported yet */
  SlTable *table;
  SlBuilder *builder;
  gint64 n_rows; /* written */
  gint64
      n_read; /* for progress: rows, and bytes, of the files before this one and of all (0: not known) */
  gint64 bytes_done, bytes_whole;
  const SlCsv *reading;
} SlIngest;

struct _SlIngestFormat
{
  const SlColumnRole *roles; /* for --column; NULL if it is of no use */
  const char *const
      *uses; /* names of options that only some formats have, and this one does; NULL-terminated */
  gboolean (*check) (const SlIngestOptions *options,
                     GError **error); /* before any file is read; or NULL */
  gboolean (*run) (SlIngest *ingest, GError **error);
};

/* Begins the table, of annotations or, with sl_ingest_start_as(), of KIND, with the columns of the bits of COLUMNS, as in
 * SlTable.columns; the classes are known by now. */
gboolean sl_ingest_start (SlIngest *ingest, guint32 columns, GError **error);
gboolean sl_ingest_start_as (SlIngest *ingest, const SlKind *kind, guint32 columns, GError **error);
gboolean sl_ingest_write (SlIngest *ingest, const SlIngestAnswers *answers, GError **error);

/* N more rows of ingest->reading have been read. */
void sl_ingest_progress (SlIngest *ingest, gint64 n);

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
