/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which columns of a table are shown in a given width, and how wide each is. */
#pragma once

#include "pipeline/table/batch.h"
#include "label-bars.h"
#include "value-text.h"

typedef struct
{
  int column; /* of the kind */
  int joined; /* a list of classes shown with it, as "not frog, ship"; -1: none */
  const char *name;
  SlType type;
  SlCellForm form;
  int width; /* 0: left out */
  int decimals;
  char *same;  /* the text that every sampled row has; NULL: they differ */
  SlBars bars; /* labels */
} SlField;

typedef struct
{
  SlTable *table;
  SlField field[SL_MAX_COLUMNS];
  int n_fields;
  int kept;      /* a column that is not left out, however little room there is; -1: none */
  GString *text; /* the cell at hand */
} SlColumnWidths;

void sl_column_widths_init (SlColumnWidths *layout, SlTable *table);
void sl_column_widths_clear (SlColumnWidths *layout);

/* Fits the columns to WIDTH by the first N_ROWS rows of SAMPLE, which are batches in order. */
void sl_column_widths_fit (SlColumnWidths *layout, const GPtrArray *sample, gint64 n_rows,
                           int width);

/* The text of a cell, which is no label; "" where the value is missing. Valid until the next
 * call. */
const char *sl_column_widths_cell (SlColumnWidths *layout, const SlField *field,
                                   const SlBatch *batch, gint64 row);

gboolean sl_field_is_number (const SlField *field); /* shown at the right of its column */
