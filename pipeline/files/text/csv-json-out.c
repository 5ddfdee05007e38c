/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-json-out.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/json.h"
#include "pipeline/table/types/types.h"

#include <string.h>

void
sl_csv_append_header (GString *out, const SlTable *table)
{
  gboolean first = TRUE;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const char *name = table->spec[i].name;
        const SlTypeRow *type = sl_type_of (table, i);
        if (!first)
          g_string_append_c (out, ',');
        first = FALSE;
        if (type->csv_names != NULL)
          type->csv_names (out, table, i);
        else
          sl_csv_write_field (out, name, strlen (name));
      }
  g_string_append_c (out, '\n');
}

void
sl_csv_append (GString *out, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  gboolean first = TRUE;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const guint8 *valid = batch->column[i].valid;
        if (!first)
          g_string_append_c (out, ',');
        first = FALSE;
        if (valid == NULL || valid[row])
          sl_type_of (table, i)->csv (out, batch, i, row);
      }
  g_string_append_c (out, '\n');
}

void
sl_jsonl_append (GString *out, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  g_string_append_c (out, '{');
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const guint8 *valid = batch->column[i].valid;
        sl_json_member (out, table->spec[i].name);
        if (valid == NULL || valid[row])
          sl_type_of (table, i)->json (out, batch, i, row);
        else
          g_string_append (out, "null");
      }
  g_string_append (out, "}\n");
}
