/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "aggregation.h"

#include "../../schemas/labels.h"

#include <string.h>

void
sl_aggregation_label (const SlAggregation *aggregation, SlTally *tally, gint32 first, gint32 n,
                      const guint64 *key)
{
  const SlItems items = {
    .n_items = n,
    .n_classes = tally->n_classes,
    .label = tally->sum + (gsize) first * (gsize) tally->n_classes,
    .weight = tally->weight + first,
    .gold = tally->gold + first,
    .key = key != NULL ? key + first : NULL,
  };
  aggregation->method->label (&items, &aggregation->settings);
}

gboolean
sl_aggregation_gold_error (const SlAggregation *aggregation, const SlEvidence *evidence, gint64 i,
                           gint32 before, GError **error)
{
  gsize length;
  const char *name = sl_text_get (evidence->item, i, &length);
  char **classes = aggregation->table->classes;
  return sl_error_row (error, sl_evidence_row (evidence, i),
                       "item '%.*s' has gold class '%s' here and '%s' before; an item has one",
                       (int) length, name, classes[evidence->gold[i]], classes[before]);
}

gboolean
sl_aggregation_check_item (const SlAggregation *aggregation, const SlTally *tally, gint32 i,
                           const char *name, gsize length, GError **error)
{
  const char *lacks = NULL;
  if (!(tally->weight[i] > 0))
    lacks = "has no label of any weight";
  else if (aggregation->method->flags & SL_METHOD_GOLD && tally->gold[i] < 0)
    lacks = "has no gold class, which this method needs of every item";
  if (lacks == NULL)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "item '%.*s' %s", (int) length, name, lacks);
  return FALSE;
}

gboolean
sl_aggregation_write (const SlAggregation *aggregation, SlBuilder *builder, const SlTally *tally,
                      gint32 first, gint32 n, SlText items, GError **error)
{
  gsize n_classes = (gsize) tally->n_classes;
  sl_builder_texts (builder, SL_LABELS_ITEM, items, 0, n);
  memcpy (sl_builder_labels (builder, SL_LABELS_LABEL, n), tally->sum + (gsize) first * n_classes,
          (gsize) n * n_classes * sizeof (double));
  for (gint32 i = first; i < first + n; i++)
    sl_builder_real (builder, SL_LABELS_WEIGHT, tally->weight[i]);
  if (sl_table_has (aggregation->table, SL_LABELS_GOLD))
    sl_builder_classes (builder, SL_LABELS_GOLD, tally->gold + first, n);
  return sl_writer_write_built (aggregation->run->out, builder, FALSE, error);
}
