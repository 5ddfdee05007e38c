/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of CSV records as values of a table's columns. A field that cannot be one makes its record bad. C is the place of the column
 * among those that were read, -1 where there is none: then every value is missing. */
#pragma once

#include "pipeline/text/csv-split.h"
#include "stages/common/class-list.h"
#include "answers.h"

/* WHAT must not be empty. */
void sl_values_check_there (SlCsvRows *rows, int c, const char *what);

/* 80, 80.5 or 80%; NaN where empty. */
void sl_values_percents (SlCsvRows *rows, int c, const char *what, double *percent);

/* NaN where empty or written as missing (NA, null, ...). */
void sl_values_number (SlCsvRows *rows, int c, guint32 r, const char *what,
                       double *value); /* of one row */
void sl_values_numbers (SlCsvRows *rows, int c, const char *what, double *value);

/* Whole numbers, LEAST to MOST. */
void sl_values_integers (SlCsvRows *rows, int c, const char *what, gint64 least, gint64 most,
                         gint64 *value);

/* Codes; -1 where empty. */
void sl_values_classes (SlCsvRows *rows, int c, const char *what, SlCoder *coder, gint32 *code);

/* Lists of classes, separated by | or ;, to ANSWERS from row answers->n on. */
void sl_values_class_lists (SlCsvRows *rows, int c, const char *what, SlCoder *coder,
                            SlIngestAnswers *answers);

/* One percent, with blanks around it; FALSE if TEXT[n] is none. */
gboolean sl_value_percent (const char *text, gsize n, double *percent);
