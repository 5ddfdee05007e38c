/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions on a row's values: "seconds < 30", "gold = cat", "label.cat >= 0.5", "gold
 * missing". */
#pragma once

#include "batch.h"

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

/* Whether each of TEXTS, NULL-terminated (NULL: none), can be taken apart. */
gboolean sl_conditions_check (char *const *texts, GError **error);

/* Finds the column in TABLE, and what the value is there. */
gboolean sl_condition_bind (SlCondition *condition, const SlTable *table, GError **error);

/* keep[i] <- 0 for the rows that do not fit. No comparison fits a value that is missing. */
void sl_condition_apply (const SlCondition *condition, const SlBatch *batch, guint8 *keep);

/* Several, all of which must hold: TEXTS, NULL-terminated (NULL: none), of TABLE's columns. NULL
 * and ERROR where one cannot be. */
GArray *sl_conditions_new (char *const *texts, const SlTable *table, GError **error);
void sl_conditions_apply (const GArray *conditions, const SlBatch *batch, guint8 *keep);

/* Whether a row can fit in which the condition's column has VALUE, a text of which it is not known
 * yet what the column's type will make of it; "" is a missing one. */
gboolean sl_condition_may_fit (const SlCondition *condition, const char *value);

/* Whether the condition is about the column KEY, or tag_KEY. */
gboolean sl_condition_is_of (const SlCondition *condition, const char *key);

/* "; did you mean 'weight'?" of the column of TABLE that NAME was meant to be, or "". To be
 * freed. */
char *sl_column_hint (const SlTable *table, const char *name);
