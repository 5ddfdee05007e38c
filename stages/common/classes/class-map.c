/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-map.h"

#include "pipeline/base/error.h"

gint32 *
sl_class_map (SlReader *reader, const SlTable *classes, GError **error)
{
  const SlTable *own = sl_reader_table (reader);
  if (own->n_classes != classes->n_classes)
    {
      sl_error_bad_input (
          error,
          "%s: it is about %d classes, and the other table about %d; both must be about "
          "the same",
          sl_reader_name (reader), own->n_classes, classes->n_classes);
      return NULL;
    }
  g_autofree gint32 *map = sl_table_class_map (own, classes->classes, classes->n_classes);
  for (gint32 k = 0; k < own->n_classes; k++)
    {
      if (map[k] >= 0)
        continue;
      sl_error_bad_input (
          error,
          "%s: its class '%s' is none of the other table's ('%s', ...); both must be "
          "about the same",
          sl_reader_name (reader), own->classes[k], classes->classes[0]);
      return NULL;
    }
  return g_steal_pointer (&map);
}
