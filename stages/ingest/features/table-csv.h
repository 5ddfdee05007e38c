/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which columns of a table of another program are what of an example. */
#pragma once

#include "stages/ingest/ingestion.h"

enum
{
  SL_TABLE_ITEM,
  SL_TABLE_GOLD,
  SL_TABLE_FEATURES,
  SL_TABLE_ROLES,
};

/* With SL_TABLE_FEATURES, for --column; and those that one column has. */
extern const SlColumnRole sl_table_roles[], sl_table_single_roles[];

typedef enum
{
  SL_CELL_OTHER,
  SL_CELL_NUMBER,
  SL_CELL_LIST, /* of numbers */
} SlCellKind;

/* The columns CELL[csv->n_fields] of CSV, which may stand for a table that is not CSV, of which
 * COLUMN says the item and gold. *COUNT of them, in PICKED, hold the features: all numeric ones or
 * those that a pattern names, or one of lists. Of others a warning tells. */
gboolean sl_table_pick (SlIngest *ingest, const SlCsv *csv, const SlCellKind *cell,
                        const int *column, GArray *picked, GError **error);

/* That there is an item, unless there is to be none. */
gboolean sl_table_check_item (const SlIngest *ingest, const SlCsv *csv, const int *column,
                              GError **error);

gboolean sl_ingest_table_csv (SlIngest *ingest, GError **error);
