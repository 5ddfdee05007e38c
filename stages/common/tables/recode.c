/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recode.h"

#include "pipeline/table/types/types.h"

SlBatch *
sl_recode (SlBuilder *builder, const SlTable *table, const SlBatch *batch, const gint32 *map,
           gboolean same, GError **error)
{
  for (int c = 0; table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c))
        continue;
      const SlTypeRow *type = sl_type_of (table, c);
      if (!same && type->map != NULL)
        type->map (builder, c, batch, map);
      else
        sl_builder_share (builder, c, batch, c);
    }
  return sl_builder_take (builder, error);
}
