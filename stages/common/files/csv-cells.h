/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few columns of a CSV file, on one thread: a list of items, what is known of them. */
#pragma once

#include "pipeline/text/csv-columns.h"

/* Items, and gold classes, by the names that files have for them. */
extern const SlColumnRole sl_item_role, sl_annotator_role, sl_gold_role;

/* The column that goes by the first of the names that ROLE is known by; -1: none. */
int sl_csv_find_role (const SlCsv *csv, const SlColumnRole *role);

/* Hands the fields COLUMNS[n_columns] of all records to PARSE, some records at a time, and calls
 * AFTER (unless it is NULL) when it has seen them. A record that PARSE calls bad is an error. */
gboolean sl_csv_cells (SlCsv *csv, const int *columns, int n_columns,
                       void (*parse) (SlCsvRows *rows, gpointer data),
                       gboolean (*after) (gpointer data, GError **error), gpointer data,
                       GError **error);
