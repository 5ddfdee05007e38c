/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "aggregation.h"

#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/figures/chances.h"
#include "stages/common/methods/posterior.h"

#include <math.h>

gboolean
sl_aggregation_is_exact (const SlAggregation *aggregation)
{
  const guint32 mean = SL_METHOD_LOCAL | SL_METHOD_SHARES;
  return sl_reader_table (aggregation->run->in)->kind == &sl_labels
         && (aggregation->method->flags & mean) != mean;
}

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
sl_aggregation_takes_percents (const SlMethod *method, const SlTable *in)
{
  return method->flags & SL_METHOD_PERCENTS && in->kind == &sl_annotations
         && sl_table_has (in, SL_ANNOTATIONS_CHOICES);
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
                        "%s: --method %s takes annotations, and these are labels; of labels, auto, "
                        "soft-evidence, mean, soft-dawid-skene and log-pool make one",
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
  else if (tally->weight[i] > SL_LABELS_MOST_WEIGHT)
    lacks = "has rows that weigh more than 2^100 together, the most that a label can";
  else if (aggregation->method->flags & SL_METHOD_GOLD && tally->gold[i] < 0)
    lacks = "has no gold class, which this method needs of every item";
  if (lacks == NULL)
    return TRUE;
  return sl_error_bad_input (error, "item '%.*s' %s", (int) length, name, lacks);
}

#define LEVEL 0.95

/* Student's t of N - 1 degrees of freedom. */
static double
quantile_of (SlAggregation *aggregation, double n)
{
  guint df = (guint) CLAMP (n - 1, 1, 1000);
  if (aggregation->quantile == NULL)
    aggregation->quantile = g_array_new (FALSE, TRUE, sizeof (double));
  if (aggregation->quantile->len <= df)
    g_array_set_size (aggregation->quantile, df + 1);
  double *own = &g_array_index (aggregation->quantile, double, df);
  if (*own == 0)
    *own = sl_t_quantile (0.5 + LEVEL / 2, df);
  return *own;
}

/* What ordered classes come to by LABEL, made of WEIGHT votes. The interval of a mean of votes is t
 * s / √n; of any other label it goes from class to class, as that is a belief about one. */
static void
add_value (SlAggregation *aggregation, SlBuilder *builder, const double *label, double weight,
           const SlLabelled *items, gint32 place)
{
  const double *value = aggregation->settings.value;
  gint32 n = aggregation->table->n_classes, low = 0, high = 0;
  const guint32 mean = SL_METHOD_LOCAL | SL_METHOD_SHARES;
  const guint32 median = SL_METHOD_LOCAL | SL_METHOD_ORDERED; /* a point, which says no more */
  double middle = 0, variance = 0, below = 0, lower = NAN, upper = NAN;
  for (gint32 k = 0; k < n; k++)
    middle += label[k] * value[k];
  for (gint32 k = 0; k < n; k++)
    variance += label[k] * (value[k] - middle) * (value[k] - middle);
  for (gint32 k = 0; k < n; k++)
    {
      low += below + label[k] < (1 - LEVEL) / 2;
      high += below + label[k] < (1 + LEVEL) / 2;
      below += label[k];
    }
  if (items->lower != NULL)
    {
      lower = MIN (items->lower[place], middle);
      upper = MAX (items->upper[place], middle);
    }
  else if ((aggregation->method->flags & mean) != mean
           && (aggregation->method->flags & median) != median)
    {
      lower = MIN (value[MIN (low, n - 1)], middle);
      upper = MAX (value[MIN (high, n - 1)], middle);
    }
  else if (weight >= 2 && (aggregation->method->flags & mean) == mean)
    {
      double half = quantile_of (aggregation, floor (weight)) * sqrt (variance / (weight - 1));
      lower = MAX (middle - half, value[0]);
      upper = MIN (middle + half, value[n - 1]);
    }
  sl_builder_real (builder, SL_LABELS_VALUE, middle);
  sl_builder_real (builder, SL_LABELS_LOWER, lower);
  sl_builder_real (builder, SL_LABELS_UPPER, upper);
}

enum
{
  AHEAD
  = 16 /* items; where they are met at random, those to come are fetched while one is copied */
};

static inline gint32
place_of (const SlLabelled *items, gint32 i)
{
  return items->place != NULL ? items->place[items->first + i] : items->first + i;
}

/* Items FROM .. TO - 1. */
static void
add_rows (SlAggregation *aggregation, SlBuilder *builder, const SlLabelled *items, gint32 from,
          gint32 to)
{
  const SlTally *tally = items->tally;
  gsize row = (gsize) tally->n_classes;
  gboolean gold = sl_table_has (aggregation->table, SL_LABELS_GOLD);
  sl_builder_texts (builder, SL_LABELS_ITEM, items->names, from, to - from);
  if (items->tags != NULL)
    sl_row_tags_write (items->tags, builder, aggregation->table, items->first + from,
                       items->first + to);
  double *label = sl_builder_labels (builder, SL_LABELS_LABEL, to - from);
  for (gint32 i = from; i < to; i++, label += row)
    {
      gint32 place = place_of (items, i), ahead = place_of (items, MIN (i + AHEAD, to - 1));
      __builtin_prefetch (tally->sum + (gsize) ahead * row);
      __builtin_prefetch (tally->weight + ahead);
      for (gsize k = 0; k < row; k++)
        label[k] = tally->sum[(gsize) place * row + k];
      sl_builder_real (builder, SL_LABELS_WEIGHT, tally->weight[place]);
      if (gold)
        sl_builder_classes (builder, SL_LABELS_GOLD, &tally->gold[place], 1);
      if (aggregation->settings.value != NULL)
        add_value (aggregation, builder, label,
                   items->votes != NULL ? items->votes[place] : tally->weight[place], items, place);
    }
}

static gboolean
is_labelled (const SlLabelled *items, gint32 i)
{
  return !isnan (items->tally->sum[(gsize) place_of (items, i) * (gsize) items->tally->n_classes]);
}

gboolean
sl_aggregation_write (SlAggregation *aggregation, SlBuilder *builder, const SlLabelled *items,
                      GError **error)
{
  gboolean abstains
      = aggregation->method->flags & SL_METHOD_ABSTAINS || aggregation->options->weights != NULL;
  for (gint32 from = 0, to; from < items->n; from = to)
    {
      gboolean labelled = !abstains || is_labelled (items, from);
      to = abstains ? from + 1 : items->n;
      while (to < items->n && is_labelled (items, to) == labelled)
        to++;
      if (labelled)
        add_rows (aggregation, builder, items, from, to);
      else
        aggregation->unlabelled += to - from;
    }
  return sl_writer_write_built (aggregation->run->out, builder, FALSE, error);
}
