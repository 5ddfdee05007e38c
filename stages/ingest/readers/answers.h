/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers one at a time: for formats whose records become any number of rows, or none. A format
 * reads its files and says each answer; what it leaves out it counts with a reason, which the user
 * is told. How classes are found before the first row can be written, which answers repeat earlier
 * ones, and where bad records go is done here.
 *
 * Where the classes are not given, regular files are read twice, the first time only for the
 * classes; what comes by a pipe waits in memory, with codes in place of class names. */
#pragma once

#include "pipeline/text/json-reader.h"
#include "stages/ingest/ingestion.h"

/* One answer. What the table has no column for is not looked at. */
typedef struct
{
  SlCell item, annotator, class;
  SlCell gold;    /* empty: not known */
  double seconds; /* NaN: not known */
  gboolean check; /* an attention check */
} SlAnswer;

typedef struct _SlAnswersReader SlAnswersReader;

/* One record of JSON. */
typedef gboolean (*SlJsonTake) (SlAnswersReader *answers, const SlJsonRecord *record,
                                GError **error);

/* A file of CSV, and the record at hand. */
typedef struct
{
  SlCsv *csv;
  GPtrArray *fields; /* quotes undone; as many as there are columns */
  gboolean decimal_comma;
} SlCsvAnswers;

typedef struct
{
  char separator; /* 0: as --delimiter says, or guessed */
  int may_lack;   /* so many fields at the end of a record need not be there */
  /* The header has been read: finds its columns. */
  gboolean (*begin) (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error);
  gboolean (*take) (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error);
} SlCsvTake;

typedef struct _SlAnswersFormat SlAnswersFormat;

/* What a format takes: files of JSON, of CSV, of either, or in a way of its own. */
struct _SlAnswersFormat
{
  guint32 columns; /* of annotations, beside item and class; that of repeats comes with the
                      annotators, that of gold where --column says which it is */
  const char *const *classes; /* where the user does not say them; or NULL */
  SlJsonTake json;
  gboolean members; /* the records of a file of JSON that is one object are its members */
  SlCsvTake csv;
  gboolean (*lines) (SlAnswersReader *answers, SlSource *source, GError **error); /* takes SOURCE */
  /* The format's own state, zeroed at first; or 0, NULL. */
  gsize state_bytes;
  void (*clear) (gpointer state);
  /* Before each file is opened, and after the last one; or NULL. */
  gboolean (*begin_file) (SlAnswersReader *answers, GError **error);
  void (*end) (SlAnswersReader *answers);
};

struct _SlAnswersReader
{
  SlIngest *ingest;
  const SlAnswersFormat *format;
  gpointer state;       /* the format's own */
  SlJsonParser *parser; /* of JSON inside of texts */
  /* Where the record at hand is, for messages and --rejects. */
  const char *path, *file;
  gint64 row;
  const char *record;
  gsize record_length;
  struct _SlAnswersPrivate *priv;
  /* Where attributes of the annotator are looked for: of JSON in what a format says is the answer,
   * then in the record; of CSV in these columns of the record. */
  SlJson answer_value, record_value;
  /* With --multi-label the classes of the answer that is added next, where they are a list; else it
   * has the one class that it says. */
  SlJson set;
  const SlCsvAnswers *csv;
  int *attribute; /* [n_attributes] */
};

/* Reads all files, as often as needed, and writes the table. */
gboolean sl_answers_run (SlIngest *ingest, const SlAnswersFormat *format, GError **error);

/* Reads SOURCE, which it takes, as the format says. */
gboolean sl_answers_read_file (SlAnswersReader *answers, SlSource *source, GError **error);

gboolean sl_answers_add (SlAnswersReader *answers, const SlAnswer *answer, GError **error);

/* The record at hand is bad, or an answer of it: an error, unless --rejects takes it. */
gboolean sl_answers_bad (SlAnswersReader *answers, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Counts an answer that is no vote, or is none that is wanted: WHY is "cancelled". KEEP: the word
 * of --keep with which it would be taken; NULL: none. Returns whether the user asked to keep such
 * answers: then it is not counted. */
gboolean sl_answers_leave_out (SlAnswersReader *answers, const char *why, const char *keep);

/* What most of them are called that are none. */
#define SL_WITHOUT_ANSWER "without an answer"

/* Counts what is no vote at all, whatever --keep says; returns TRUE, to return in turn. */
gboolean sl_answers_pass (SlAnswersReader *answers, const char *why);

/* Which of several questions is meant: that of --question, or the only one there is. The question
 * NAME was met; *WANTED: it is the one. FALSE and ERROR where there are two and the user has not
 * said which. */
gboolean sl_answers_question (SlAnswersReader *answers, SlCell name, gboolean *wanted,
                              GError **error);

/* The annotator that a record names, or where it names none that of --annotator. */
SlCell sl_answers_annotator (const SlAnswersReader *answers, SlCell named);

/* N more records were read, and DONE bytes of the file at hand, for progress. */
void sl_answers_progress (SlAnswersReader *answers, gint64 n, gint64 done);

/* Hands every record of SOURCE, which it takes, but the header to TAKE. */
gboolean sl_csv_answers_read (SlAnswersReader *answers, SlSource *source, const SlCsvTake *take,
                              GError **error);

/* Field C of the record at hand; empty for C -1. */
SlCell sl_csv_answers_cell (const SlCsvAnswers *csv, int c);
double sl_csv_answers_number (const SlCsvAnswers *csv, int c); /* NaN where it is none */

/* The column named NAME, in upper or lower case; -1: there is none. */
int sl_csv_answers_column (const SlCsvAnswers *csv, const char *name);

/* The column that TEXT, what the user said, names, or its position from 1. FALSE and ERROR where
 * there is none. */
gboolean sl_csv_answers_given (const SlAnswersReader *answers, const SlCsvAnswers *csv,
                               const char *option, const char *text, int *column, GError **error);

/* FALSE and ERROR: the file has no column NAME, and so is not what it should be. */
gboolean sl_csv_answers_needs (const SlAnswersReader *answers, const SlCsvAnswers *csv,
                               const char *name, int *column, GError **error);

/* The value at PATH, "image" or "meta.id", of an object; a member that has dots in its name comes
 * first. */
SlJson sl_json_find (SlJson value, const char *path);

/* What a worker gave in a form of Crowd HTML Elements, which Mechanical Turk and Ground Truth show,
 * is an object, {element: answer}. */

/* What is wrong with a form's ANSWERS; NULL if nothing is, as where there are none. */
const char *sl_form_wrong (SlJson answers);

/* The class in an element's answer: "cat", ["cat"], {"labels": ["cat"]}, {"label": "cat"} or
 * {"cat": true, "dog": false}. *N_CLASSES are there, of which this is the last. */
SlCell sl_form_class (SlJson answer, guint *n_classes, char room[SL_JSON_ROOM]);
