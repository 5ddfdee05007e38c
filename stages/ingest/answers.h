/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of an annotations table, column by column, on their way from a source to the table: what a block of a file becomes. */
#pragma once

#include "pipeline/files/writer.h"
#include "schemas/annotations.h"

typedef struct
{
  gint32 *offset; /* [n + 1] */
  char *data;
  gsize used, room; /* bytes of data */
} SlTexts;

/* Only what the table's columns need is there. An answer is its first class, and, with the column `choices`, perhaps a second
 * one, and their percents. */
typedef struct
{
  guint32 columns; /* as SlTable.columns */
  gsize n, room;   /* rows */
  SlTexts item, annotator;
  gint32 *first, *second;     /* second: -1 for none */
  double *percent, *percent2; /* NaN: not given */
  gint32 *
      impossible_end; /* row i rules out impossible[impossible_end[i - 1]] up to impossible[impossible_end[i]] */
  GArray *impossible;   /* of gint32 */
  gint32 *gold, *trial; /* gold: -1 for none */
  double *seconds;      /* NaN: not known */
  gint64 *count;
  guint8 *repeat, *check, *repaired, *complete;
} SlIngestAnswers;

SlIngestAnswers *sl_ingest_answers_new (guint32 columns);
void sl_ingest_answers_free (SlIngestAnswers *answers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlIngestAnswers, sl_ingest_answers_free)

static inline gboolean
sl_ingest_answers_have (const SlIngestAnswers *answers, int column)
{
  return (answers->columns >> column & 1) != 0;
}

/* Room for N more rows, whose values are set at n, n + 1, ...; then n is raised. */
void sl_ingest_answers_reserve (SlIngestAnswers *answers, gsize n);
void sl_ingest_answers_clear (SlIngestAnswers *answers); /* no rows */
void sl_ingest_answers_shrink (
    SlIngestAnswers *answers); /* no more room than needed: they are to wait */
gsize sl_ingest_answers_bytes (const SlIngestAnswers *answers);

/* Row n's item, or annotator. */
void sl_texts_append (SlTexts *texts, gsize row, const char *text, gsize n);

/* Those of N rows from row n on: DATA[start[i]] up to DATA[end[i]]; 16 bytes behind them must be readable. */
void sl_texts_append_spans (SlTexts *texts, gsize row, const char *data, const guint32 *start,
                            const guint32 *end, gsize n);

/* Every class code c becomes CODE[c], or, of gold classes, GOLD[c]. */
void sl_ingest_answers_recode (SlIngestAnswers *answers, const gint32 *code, const gint32 *gold);

/* The rows to OUT, through BUILDER, which keeps what does not fill a batch. */
gboolean sl_ingest_answers_write (const SlIngestAnswers *answers, SlBuilder *builder, SlWriter *out,
                                  GError **error);
