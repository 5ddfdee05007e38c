/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers one at a time: for formats whose records become any number of rows, or none. A format
 * reads its files and says each answer; what it leaves out it counts with a reason, which the user
 * is told. How classes are found before the first row can be written, which answers repeat earlier
 * ones, and where bad records go is done here.
 *
 * Where the classes are not given, regular files are read twice, the first time only for the
 * classes; what comes by a pipe waits in memory, with codes in place of class names. */
#pragma once

#include "pipeline/text/json-value.h"
#include "class-search.h"
#include "stages/ingest/ingestion.h"

/* One answer. What the table has no column for is not looked at. */
typedef struct
{
  SlCell item, annotator, class;
  SlCell gold;    /* empty: not known */
  double seconds; /* NaN: not known */
  gboolean check; /* an attention check */
} SlAnswer;

typedef struct _SlAnswers SlAnswers;

typedef struct
{
  guint32 columns; /* of annotations, beside item and class; that of repeats comes with the
                      annotators */
  /* Reads SOURCE, which it takes, and says its answers. */
  gboolean (*read_file) (SlAnswers *answers, SlSource *source, GError **error);
  /* Where the user does not say the classes; or NULL. */
  const char *const *classes;
} SlAnswersFormat;

struct _SlAnswers
{
  SlIngest *ingest;
  const SlAnswersFormat *format;
  gpointer state; /* the format's own */
  /* Where the record at hand is, for messages and --rejects. */
  const char *path, *file;
  gint64 row;
  const char *record;
  gsize record_length;
  struct _SlAnswersPrivate *priv;
};

/* Reads all files, as often as needed, and writes the table. */
gboolean sl_answers_run (SlIngest *ingest, const SlAnswersFormat *format, gpointer state,
                         GError **error);

gboolean sl_answers_add (SlAnswers *answers, const SlAnswer *answer, GError **error);

/* The record at hand is bad, or an answer of it: an error, unless --rejects takes it. */
gboolean sl_answers_bad (SlAnswers *answers, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Counts an answer that is no vote, or is none that is wanted: WHY is "cancelled". KEEP: the word
 * of --keep with which it would be taken; NULL: none. Returns whether the user asked to keep such
 * answers: then it is not counted. */
gboolean sl_answers_leave_out (SlAnswers *answers, const char *why, const char *keep);

/* Which of several questions is meant: that of --question, or the only one there is. The question
 * NAME was met; *WANTED: it is the one. FALSE and ERROR where there are two and the user has not
 * said which. */
gboolean sl_answers_question (SlAnswers *answers, SlCell name, gboolean *wanted, GError **error);

/* The annotator that a record names, or where it names none that of --annotator. */
SlCell sl_answers_annotator (const SlAnswers *answers, SlCell named);

/* Bytes of the file at hand that have been read, for progress. */
void sl_answers_progress (SlAnswers *answers, gint64 done);
