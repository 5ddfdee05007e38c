/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "by-group.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/files/column-names.h"

#include <math.h>
#include <string.h>

static const SlColumnRole group_role = { "value", SL_NAMES ("value", "group"), TRUE, NULL };

gboolean
sl_group_weights_open (SlGroupWeights *weights, SlAggregation *aggregation, GError **error)
{
  const char *path = aggregation->options->weights;
  weights->wanted = path != NULL;
  weights->alike = g_strcmp0 (path, "alike") == 0;
  if (!weights->wanted || weights->alike)
    return TRUE;
  if (!sl_item_values_open_of (&weights->file, aggregation->run, "weights", path, &group_role,
                               error))
    return FALSE;
  sl_item_values_want (&weights->file, "weight", SL_TYPE_REAL, FALSE);
  return sl_item_values_read (&weights->file, aggregation->table->classes,
                              aggregation->table->n_classes, NULL, error);
}

void
sl_group_weights_clear (SlGroupWeights *weights)
{
  if (weights->wanted && !weights->alike)
    sl_item_values_clear (&weights->file);
}

void
sl_merged_clear (SlMerged *merged)
{
  if (merged->items == NULL)
    return;
  g_clear_pointer (&merged->items, sl_intern_free);
  sl_tally_clear (&merged->tally);
  g_clear_pointer (&merged->votes, g_free);
}

/* The weight of the group VALUE[length]; NaN and ERROR where nobody has said it. */
static double
weight_of (const SlGroupWeights *weights, const char *value, gsize length, GError **error)
{
  if (weights->alike)
    return 1;
  gint32 id = sl_item_values_find (&weights->file, value, length);
  const SlItemValue *weight = sl_item_values_get (&weights->file, 0, id);
  /* Squares of weights are numbers, too. */
  if (weight != NULL && (weight->real == 0 || (weight->real >= 1e-100 && weight->real <= 1e100)))
    return weight->real;
  g_autofree char *shown = sl_shown (value, length);
  sl_error_bad_input (error,
                      weight != NULL ? "%s: the weight of '%s' is not 0 or from 1e-100 to 1e100"
                                     : "%s: it has no weight of '%s', a group that is there; 0 "
                                       "leaves it out",
                      weights->file.name, shown);
  return NAN;
}

/* The label of place FROM, of a group that weighs W, is added to item TO. */
static void
add_label (SlMerged *merged, gint32 to, const SlTally *groups, gint32 from, double w,
           double *weights, double *squares)
{
  gsize n = (gsize) groups->n_classes;
  const double *label = groups->sum + (gsize) from * n;
  for (gsize k = 0; k < n; k++)
    merged->tally.sum[(gsize) to * n + k] += w * label[k];
  merged->tally.weight[to] += groups->weight[from];
  weights[to] += w;
  squares[to] += w * w / groups->weight[from];
}

gboolean
sl_merge_groups (SlGathering *gathering, const SlGroupWeights *weights, SlMerged *merged,
                 GError **error)
{
  const SlTally *groups = &gathering->tally;
  const gsize n_classes = (gsize) groups->n_classes;
  g_autofree gint32 *item = g_new (gint32, MAX (groups->n_items, 1));
  merged->items = sl_intern_new ();
  for (gint32 i = 0; i < groups->n_items; i++)
    {
      gsize length;
      const char *name = sl_intern_get (gathering->items, i, &length);
      item[i] = sl_intern (merged->items, name, sl_parting_item (name, length));
    }
  sl_intern_close (merged->items);
  const gint32 n = sl_intern_size (merged->items);
  g_autofree double *sum = g_new0 (double, n + 1), *squares = g_new0 (double, n + 1);
  sl_tally_init (&merged->tally, groups->n_classes);
  sl_tally_resize (&merged->tally, n);
  merged->votes = g_new (double, n + 1);
  for (gint32 i = 0; i < groups->n_items; i++)
    {
      gint32 place = sl_gathering_place (gathering, i);
      gsize length;
      const char *name = sl_intern_get (gathering->items, i, &length);
      gsize own = sl_parting_item (name, length) + 1;
      double w = weight_of (weights, name + own, length - own, error);
      if (isnan (w))
        return FALSE;
      if (w > 0 && !isnan (groups->sum[(gsize) place * n_classes]))
        add_label (merged, item[i], groups, place, w, sum, squares);
      if (groups->gold[place] >= 0)
        merged->tally.gold[item[i]] = groups->gold[place];
    }
  for (gint32 i = 0; i < n; i++)
    {
      for (gsize k = 0; k < n_classes; k++)
        merged->tally.sum[(gsize) i * n_classes + k] /= sum[i]; /* NaN: nobody of weight */
      merged->votes[i] = sum[i] * sum[i] / squares[i];
    }
  sl_row_tags_merge (&gathering->tags, item, groups->n_items, n);
  return TRUE;
}

SlText
sl_ungrouped_names (const SlIntern *items, gint32 from, gint32 n, GByteArray *data, gint32 *offset)
{
  g_byte_array_set_size (data, 0);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (items, from + i, &length);
      offset[i] = (gint32) data->len;
      g_byte_array_append (data, (const guint8 *) name, (guint) sl_parting_item (name, length));
    }
  offset[n] = (gint32) data->len;
  return (SlText){ offset, (const char *) data->data };
}
