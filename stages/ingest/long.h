/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two parts of the format share: finding columns and classes (long.c), and reading the rows (long-rows.c). */
#pragma once

#include "class-search.h"
#include "ingestion.h"

enum
{
  SL_LONG_ITEM,
  SL_LONG_ANNOTATOR,
  SL_LONG_CLASS,
  SL_LONG_PERCENT,
  SL_LONG_CLASS2,
  SL_LONG_PERCENT2,
  SL_LONG_IMPOSSIBLE,
  SL_LONG_GOLD,
  SL_LONG_SECONDS,
  SL_LONG_COUNT,
  SL_LONG_N_ROLES,
};

typedef struct
{
  SlIngestCsv source;
  int column[SL_LONG_N_ROLES]; /* in the file; -1: not there */
  int place[SL_LONG_N_ROLES];  /* among the columns that are read */
  guint32 columns;             /* of the table */
  SlClassSearch classes;
  GPtrArray *waiting; /* of SlIngestAnswers, with codes of classes.found */
} SlLong;

static inline gboolean
sl_long_has (const SlLong *state, int role)
{
  return state->column[role] >= 0;
}

extern const SlCsvHandler sl_long_handler; /* its data is an SlLong */
