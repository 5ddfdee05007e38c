/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a mixtures table on their way from a CSV file, and what the two parts of the format share: finding columns and classes
 * (mixup.c), and the rows (mixup-rows.c). */
#pragma once

#include "schemas/mixtures.h"
#include "class-search.h"
#include "ingestion.h"

/* The columns that a file may have are the table's first ones. */
#define SL_MIXUP_N_ROLES (SL_MIXTURES_CONFIDENCE + 1)

typedef struct
{
  SlIngestCsv source;
  int column[SL_MIXUP_N_ROLES]; /* in the file; -1: not there */
  int place[SL_MIXUP_N_ROLES];  /* among the columns that are read */
  SlClassSearch classes;
  GPtrArray *waiting; /* of SlMixupRows, with codes of classes.found */
} SlMixupFile;

typedef struct
{
  gsize n, room;
  SlTexts text[SL_MIXTURES_SECOND + 1]; /* no .offset where there is no such column */
  gint32 *codes[2];                     /* [n] */
  double
      *share[SL_MIXUP_N_ROLES - SL_MIXTURES_LAMBDA]; /* [n]; NULL where there is no such column */
} SlMixupRows;

void sl_mixup_rows_free (SlMixupRows *rows);

/* Every class code c becomes CODE[c]. */
void sl_mixup_rows_recode (SlMixupRows *rows, const gint32 *code);

/* To the table, which has been started. */
gboolean sl_mixup_rows_write (const SlMixupRows *rows, SlIngest *ingest, GError **error);

extern const SlCsvHandler sl_mixup_handler; /* its data is an SlMixupFile */
