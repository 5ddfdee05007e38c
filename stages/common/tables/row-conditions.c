/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "row-conditions.h"

#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "group-text.h"

gboolean
sl_row_conditions (SlTags *conditions, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  gsize length;
  sl_tags_copy (conditions, &table->tags);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c) || sl_value_is_missing (batch, c, row))
        continue;
      const char *text = sl_text_get (batch->column[c].text, row, &length);
      g_autofree char *value = g_strndup (text, length);
      sl_tags_set (conditions, sl_tag_column_key (table, c), value);
    }
  int group = sl_table_column (table, "group");
  if (group < 0 || !sl_table_has (table, group))
    return TRUE;
  const char *text = sl_text_get (batch->column[group].text, row, &length);
  return sl_group_parse (conditions, text, length);
}
