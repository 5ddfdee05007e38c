/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions on a row's values: "seconds < 30", "gold = cat", "label.cat >= 0.5", "gold
 * missing". */
#pragma once

#include "pipeline/table/batch.h"

typedef enum
{
  SL_FITS_LESS,
  SL_FITS_LESS_OR_EQUAL,
  SL_FITS_EQUAL,
  SL_FITS_NOT_EQUAL,
  SL_FITS_GREATER_OR_EQUAL,
  SL_FITS_GREATER,
  SL_FITS_MISSING,
  SL_FITS_PRESENT,
} SlFits;

typedef struct
{
  char *text; /* as it was given */
  SlFits how;
  char *column, *value; /* by name, as given; VALUE is NULL of missing and present */
  int number;           /* the column's */
  /* of a class the one to compare with, of a distribution the one that is looked at */
  gint32 class;
  double real;
  gint64 integer;
  gboolean flag;
} SlCondition;

/* Takes TEXT apart: a column, what it is to be, a value. */
gboolean sl_condition_parse (SlCondition *condition, const char *text, GError **error);
void sl_condition_clear (SlCondition *condition);

/* Finds the column in TABLE, and what the value is there. */
gboolean sl_condition_bind (SlCondition *condition, const SlTable *table, GError **error);

/* keep[i] <- 0 for the rows that do not fit. No comparison fits a value that is missing. */
void sl_condition_apply (const SlCondition *condition, const SlBatch *batch, guint8 *keep);

/* "; did you mean 'weight'?" of the column of TABLE that NAME was meant to be, or "". To be
 * freed. */
char *sl_column_hint (const SlTable *table, const char *name);
