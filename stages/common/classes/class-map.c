/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-map.h"

#include "pipeline/base/error.h"
#include "look-alikes.h"

#include <string.h>

#define AMBIGUOUS (-1)

/* Spellings to numbers, counted from 1; AMBIGUOUS where two are the same. */
static GHashTable *
find_spellings (char *const *classes, gint32 n)
{
  GHashTable *spellings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (gint32 k = 0; k < n; k++)
    {
      char *spelling = sl_spelling_of (classes[k], strlen (classes[k]));
      gint32 number = g_hash_table_contains (spellings, spelling) ? AMBIGUOUS : k + 1;
      g_hash_table_replace (spellings, spelling, GINT_TO_POINTER (number));
    }
  return spellings;
}

gint32 *
sl_class_map_alike (const SlTable *table, char *const *classes, gint32 n)
{
  gint32 *map = sl_table_class_map (table, classes, n);
  g_autoptr (GHashTable) own = find_spellings (table->classes, table->n_classes);
  g_autoptr (GHashTable) theirs = find_spellings (classes, n);
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      if (map[k] >= 0)
        continue;
      g_autofree char *spelling = sl_spelling_of (table->classes[k], strlen (table->classes[k]));
      gint32 alike = GPOINTER_TO_INT (g_hash_table_lookup (theirs, spelling));
      if (alike > 0 && GPOINTER_TO_INT (g_hash_table_lookup (own, spelling)) > 0)
        map[k] = alike - 1;
    }
  return map;
}

gint32 *
sl_class_map_named (const SlTable *own, const char *name, const SlTable *other,
                    const char *other_name, GError **error)
{
  if (own->n_classes != other->n_classes)
    {
      sl_error_bad_input (error,
                          "%s: it is about %d classes, and %s about %d; both must be about "
                          "the same",
                          name, own->n_classes, other_name, other->n_classes);
      return NULL;
    }
  g_autofree gint32 *map = sl_class_map_alike (own, other->classes, other->n_classes);
  for (gint32 k = 0; k < own->n_classes; k++)
    {
      if (map[k] >= 0)
        continue;
      sl_error_bad_input (error,
                          "%s: its class '%s' is none of %s's ('%s', ...); both must be "
                          "about the same",
                          name, own->classes[k], other_name, other->classes[0]);
      return NULL;
    }
  return g_steal_pointer (&map);
}

gint32 *
sl_class_map (SlReader *reader, const SlTable *classes, GError **error)
{
  return sl_class_map_named (sl_reader_table (reader), sl_reader_name (reader), classes,
                             "the other table", error);
}

gboolean
sl_class_map_moves (const gint32 *map, gint32 n)
{
  for (gint32 k = 0; k < n; k++)
    if (map[k] != k)
      return TRUE;
  return FALSE;
}
