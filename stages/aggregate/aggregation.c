/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "aggregation.h"

#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

SlItems
sl_aggregation_items (const SlTally *tally, gint32 first, gint32 n, const guint64 *key)
{
  return (SlItems){
    .n_items = n,
    .n_classes = tally->n_classes,
    .label = tally->sum + (gsize) first * (gsize) tally->n_classes,
    .weight = tally->weight + first,
    .gold = tally->gold + first,
    .key = key != NULL ? key + first : NULL,
  };
}

void
sl_aggregation_label (const SlAggregation *aggregation, SlTally *tally, gint32 first, gint32 n,
                      const guint64 *key, const gint32 *kept)
{
  const SlItems items = sl_aggregation_items (tally, first, n, key);
  aggregation->method->label (&items, &aggregation->settings);
  for (gint32 i = 0; kept != NULL && i < n; i++)
    if (kept[first + i] >= 0)
      sl_posterior_set (&items.label[(gsize) i * (gsize) items.n_classes], items.n_classes,
                        kept[first + i]);
}

gboolean
sl_aggregation_check_answers (const SlAggregation *aggregation, const SlTable *in, gboolean named,
                              GError **error)
{
  const SlMethod *method = aggregation->method;
  gboolean labels = in->kind == &sl_labels;
  gboolean has_names
      = sl_table_has (in, labels ? (int) SL_LABELS_ANNOTATOR : (int) SL_ANNOTATIONS_ANNOTATOR);
  if (labels && method->label == NULL && !(method->flags & SL_METHOD_SOFT))
    sl_error_bad_input (error,
                        "%s: --method %s takes annotations, and these are labels; of labels, mean, "
                        "soft-dawid-skene and log-pool make one",
                        sl_reader_name (aggregation->run->in), method->name);
  else if (named && !has_names)
    sl_error_bad_input (
        error, "%s: it has no column 'annotator', and whose answers they are must be known here",
        sl_reader_name (aggregation->run->in));
  else
    return TRUE;
  return FALSE;
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
  return sl_error_bad_input (error, "item '%.*s' %s", (int) length, name, lacks);
}

/* Items FROM .. TO - 1 of those whose first is FIRST. */
static void
add_rows (const SlAggregation *aggregation, SlBuilder *builder, const SlTally *tally, gint32 first,
          gint32 from, gint32 to, SlText items)
{
  gsize n_classes = (gsize) tally->n_classes, n = (gsize) (to - from);
  sl_builder_texts (builder, SL_LABELS_ITEM, items, from, to - from);
  memcpy (sl_builder_labels (builder, SL_LABELS_LABEL, to - from),
          tally->sum + (gsize) (first + from) * n_classes, n * n_classes * sizeof (double));
  for (gint32 i = first + from; i < first + to; i++)
    sl_builder_real (builder, SL_LABELS_WEIGHT, tally->weight[i]);
  if (sl_table_has (aggregation->table, SL_LABELS_GOLD))
    sl_builder_classes (builder, SL_LABELS_GOLD, tally->gold + first + from, to - from);
}

static gboolean
is_labelled (const SlTally *tally, gint32 i)
{
  return !isnan (tally->sum[(gsize) i * (gsize) tally->n_classes]);
}

gboolean
sl_aggregation_write (const SlAggregation *aggregation, SlBuilder *builder, const SlTally *tally,
                      gint32 first, gint32 n, SlText items, GError **error)
{
  gboolean abstains = aggregation->method->flags & SL_METHOD_ABSTAINS;
  for (gint32 from = 0, to; from < n; from = to)
    {
      gboolean labelled = !abstains || is_labelled (tally, first + from);
      to = abstains ? from + 1 : n;
      while (to < n && is_labelled (tally, first + to) == labelled)
        to++;
      if (labelled)
        add_rows (aggregation, builder, tally, first, from, to, items);
      else
        *aggregation->unlabelled += to - from;
    }
  return sl_writer_write_built (aggregation->run->out, builder, FALSE, error);
}
