/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "known-classes.h"

#include "pipeline/base/largest.h"

#include "schemas/labels.h"

/* The classes are those of the first table; what others call otherwise is not known. */
static gint32 *
map_of (SlKnownClasses *known, const SlTable *table)
{
  if (known->items == NULL)
    {
      known->items = sl_intern_new ();
      known->code = g_array_new (FALSE, FALSE, sizeof (gint32));
      known->classes = g_strdupv (table->classes);
      known->n_classes = table->n_classes;
    }
  return sl_table_class_map (table, known->classes, known->n_classes);
}

gboolean
sl_known_classes_take (SlKnownClasses *known, SlReport *report, const SlBatch *labels,
                       GError **error)
{
  SlLabels view = sl_labels_view (labels);
  g_autofree gint32 *map = map_of (known, labels->table);
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize length;
      const char *item = sl_text_get (view.item, i, &length);
      gint32 before = sl_intern_size (known->items);
      if (sl_intern (known->items, item, length) < before)
        continue;
      const double *p = view.label + i * view.n_classes;
      gint32 class = view.gold != NULL ? view.gold[i] : -1;
      known->by_gold |= class >= 0;
      known->by_label |= class < 0;
      class = class >= 0 ? class : sl_largest (p, view.n_classes);
      gint32 code = map[class];
      g_array_append_val (known->code, code);
    }
  gsize bytes = sl_intern_bytes (known->items) + sizeof (gint32) * known->code->len;
  return sl_run_claim_up_to (report->run, &known->claimed, bytes, "the classes of items", error);
}

void
sl_known_classes_clear (SlKnownClasses *known)
{
  if (known->items == NULL)
    return;
  sl_intern_free (known->items);
  g_array_unref (known->code);
  g_strfreev (known->classes);
}

gint32
sl_known_classes_find (const SlKnownClasses *known, const char *item, gsize length)
{
  gint32 id = known->items != NULL ? sl_intern_find (known->items, item, length) : -1;
  return id >= 0 ? g_array_index (known->code, gint32, id) : -1;
}
