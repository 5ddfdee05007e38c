/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits blocks of CSV text into records and fields. */
#pragma once

#include "csv-rows.h"

typedef struct _SlCsvSplit SlCsvSplit;

/* For records of N_FIELDS, of which COLUMNS[n_columns] are wanted. */
SlCsvSplit *sl_csv_split_new (char separator, int n_fields, const int *columns, int n_columns);
void sl_csv_split_free (SlCsvSplit *split);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlCsvSplit, sl_csv_split_free)

/* Begins BLOCK, which may be moved and gets text behind its own. The bad records of the block
 * before are forgotten. */
void sl_csv_split_start (SlCsvSplit *split, SlCsvBlock *block);

/* The next records of the block, or NULL at its end. Records with the wrong number of fields are
 * dropped already; others may be marked as bad. */
SlCsvRows *sl_csv_split_next (SlCsvSplit *split);

/* Once the block has been split: its bad records, in order, and how many lines it has. */
const GArray *sl_csv_split_bad (SlCsvSplit *split);
gint64 sl_csv_split_lines (const SlCsvSplit *split);
