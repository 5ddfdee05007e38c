/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two parts of the format share: rows of the file to records (jspsych-records.c), records
 * to rows of the table (jspsych.c). */
#pragma once

#include "answer-form.h"
#include "stages/ingest/ingestion.h"

/* Counts what is unusual in the answers of a survey, for --verbose. */
enum
{
  SL_CENSUS_ANSWERS,
  SL_CENSUS_REPEATS,
  SL_CENSUS_REPLACED,
  SL_CENSUS_UNREADABLE,
  SL_CENSUS_OUTSIDE,
  SL_CENSUS_ZERO,
  SL_CENSUS_NO_SECOND,
  SL_CENSUS_SECOND_WITHOUT_PERCENT,
  SL_CENSUS_PERCENT_WITHOUT_SECOND,
  SL_CENSUS_SAME_CLASS,
  SL_CENSUS_SECOND_ZERO,
  SL_CENSUS_SECOND_ABOVE,
  SL_CENSUS_FIRST_IMPOSSIBLE,
  SL_CENSUS_SECOND_IMPOSSIBLE,
  SL_CENSUS_EITHER_IMPOSSIBLE,
  SL_CENSUS_SUM_BELOW,
  SL_CENSUS_SUM_EQUAL,
  SL_CENSUS_SUM_ABOVE,
  SL_CENSUS_UNFINISHED,
  SL_CENSUS_N,
};

typedef struct
{
  gint64 n[SL_CENSUS_N];
} SlJspsychCensus;

/* FORM names the classes FIRST and SECOND (-1: none), and IMPOSSIBLE[n_impossible]. REPEAT: the
 * item was shown before. */
void sl_jspsych_census_add (SlJspsychCensus *census, const SlAnswerForm *form, gboolean repeat,
                            gint32 first, gint32 second, const gint32 *impossible,
                            guint n_impossible);
void sl_jspsych_census_tell (const SlJspsychCensus *census, gint32 n_annotators, gint32 n_items,
                             SlRun *run);

enum
{
  SL_JSPSYCH_TYPE,
  SL_JSPSYCH_RESPONSE,
  SL_JSPSYCH_ITEM,
  SL_JSPSYCH_ANNOTATOR,
  SL_JSPSYCH_GOLD,
  SL_JSPSYCH_TASK,
  SL_JSPSYCH_TRIAL,
  SL_JSPSYCH_TIME,
  SL_JSPSYCH_N_ROLES,
};

typedef struct
{
  SlAnswerForm form;
  char *item, *annotator, *gold;
  gint32 trial;
  double seconds;
  gboolean repeat;
} SlJspsychRecord;

typedef struct
{
  SlIngestCsv source;
  int place[SL_JSPSYCH_N_ROLES]; /* among the columns that are read; -1: not there */
  SlTable *shape;                /* as the table will be, but for its classes */
  SlAnswerFormRules rules;
  gboolean known;        /* the classes are given */
  SlFolded *classes;     /* given, or found so far */
  GPtrArray *waiting;    /* of SlBuilder, with codes of `classes` */
  GArray *row_annotator; /* of gint32: the number of each row's annotator in `annotators` */
  GArray *answered;      /* of gboolean, by code: an answer names the class */
  GArray *impossible;    /* of gint32: the codes of the record at hand */
  SlIntern *finished;    /* annotators whose session reached its end */
  SlIntern *annotators, *items;
  gint64 n_other; /* forms that ask something else */
  SlJspsychCensus census;
} SlJspsych;

typedef struct
{
  const SlJspsych *state;
  SlJsonParser *parser;
  GArray *records;
  GPtrArray *finished; /* of char * */
  gint64 n_other;
} SlJspsychPiece;

gpointer sl_jspsych_piece_new (gpointer data);
void sl_jspsych_piece_free (gpointer data);
void sl_jspsych_parse (SlCsvRows *rows, gpointer data, gpointer user);

/* Trials of any survey, CSV or JSON, whose answers are classes: with --trial-type or --question. */
gboolean sl_jspsych_run_trials (SlIngest *ingest, GError **error);
