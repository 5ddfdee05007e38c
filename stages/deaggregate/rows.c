/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rows.h"

#include "pipeline/table/types/types.h"

int
sl_row_compare (SlRow a, SlRow b, int annotator)
{
  const SlTable *table = a.batch->table;
  int order = annotator >= 0 && sl_table_has (table, annotator)
                  ? sl_value_compare (a.batch, a.row, b.batch, b.row, annotator)
                  : 0;
  for (int c = 0; order == 0 && table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && c != annotator)
      order = sl_value_compare (a.batch, a.row, b.batch, b.row, c);
  return order;
}

void
sl_row_copy (SlBuilder *builder, const SlTable *table, SlRow row, int replaced)
{
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && c != replaced)
      sl_value_copy (builder, c, row.batch, row.row);
}
