/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "permute.h"

#include "pipeline/base/shown-text.h"
#include "schemas/labels.h"
#include "controls.h"

#include <string.h>

/* All labels, by the numbers of their items: their order. */
typedef struct
{
  SlRun *run;
  gint32 n_classes;
  SlIntern *items;
  GArray *label;         /* double[n_classes] */
  GArray *weight, *gold; /* double, gint32 */
  gsize claimed;
} Held;

static void
held_clear (Held *held)
{
  sl_intern_free (held->items);
  g_array_unref (held->label);
  g_array_unref (held->weight);
  g_array_unref (held->gold);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Held, held_clear)

static gboolean
hold (Held *held, SlBatch *batch, GError **error)
{
  SlLabels labels = sl_labels_view (batch);
  gsize row = 8 * ((gsize) held->n_classes + 1) + 4;
  /* An array that grows is there twice for a moment. */
  if (!sl_run_claim_up_to (held->run, &held->claimed,
                           2 * row * (held->weight->len + (gsize) labels.n)
                               + sl_intern_bytes (held->items),
                           "all labels", error))
    return FALSE;
  for (gint64 i = 0; i < labels.n; i++)
    {
      gsize length;
      const char *item = sl_text_get (labels.item, i, &length);
      if ((guint) sl_intern (held->items, item, length) == held->weight->len + (guint) i)
        continue;
      g_autofree char *shown = sl_shown (item, length);
      return sl_error_row (error, batch->first_row + i + 1,
                           "item '%s' has a label already; `softlabel aggregate` makes one label "
                           "an item",
                           shown);
    }
  g_array_append_vals (held->label, labels.label, (guint) labels.n);
  g_array_append_vals (held->weight, labels.weight, (guint) labels.n);
  if (labels.gold != NULL)
    g_array_append_vals (held->gold, labels.gold, (guint) labels.n);
  return TRUE;
}

static gboolean
write_all (const Held *held, SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  gint32 n = sl_intern_size (held->items);
  gsize width = (gsize) held->n_classes;
  g_autofree gint32 *from = sl_run_alloc0 (held->run, (gsize) n, sizeof *from, "all labels", error);
  /* Two keyed lists of the items are made for it. */
  if (from == NULL || !sl_run_claim (held->run, 32 * (gsize) n, "all labels", error))
    return FALSE;
  sl_control_permute (held->run->seed, held->items, from);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *item = sl_intern_get (held->items, i, &length);
      sl_builder_text (builder, SL_LABELS_ITEM, item, length);
      memcpy (sl_builder_labels (builder, SL_LABELS_LABEL, 1),
              (const double *) (gpointer) held->label->data + (gsize) from[i] * width,
              width * sizeof (double));
      sl_builder_real (builder, SL_LABELS_WEIGHT, g_array_index (held->weight, double, from[i]));
      if (sl_table_has (table, SL_LABELS_GOLD))
        sl_builder_class (builder, SL_LABELS_GOLD, g_array_index (held->gold, gint32, i));
      if (!sl_writer_write_built (held->run->out, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (held->run->out, builder, TRUE, error);
}

gboolean
sl_permute_labels (SlRun *run, SlTable *table, GError **error)
{
  g_auto (Held) held = { .run = run,
                         .n_classes = table->n_classes,
                         .items = sl_intern_new (),
                         .label = g_array_new (
                             FALSE, FALSE, (guint) (table->n_classes * (gint32) sizeof (double))),
                         .weight = g_array_new (FALSE, FALSE, sizeof (double)),
                         .gold = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = hold (&held, batch, error);
  return ok && write_all (&held, table, error);
}
