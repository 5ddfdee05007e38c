/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "votes-of-batch.h"

#include "pipeline/base/error.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/labels/convert.h"

/* What a model gives an item is a label of weight 1. */
static void
from_predictions (SlRowVotes *rows)
{
  const SlColumn *column = rows->batch->column;
  rows->n = rows->batch->n_rows;
  rows->item = column[SL_PREDICTIONS_ITEM].text;
  rows->annotator = column[SL_PREDICTIONS_ANNOTATOR].text;
  rows->label = column[SL_PREDICTIONS_PROB].real;
  rows->gold = column[SL_PREDICTIONS_GOLD].code;
  rows->weights = g_new (double, MAX (rows->n, 1));
  for (gint64 i = 0; i < rows->n; i++)
    rows->weights[i] = 1;
  rows->weight = rows->weights;
}

/* The rows of BATCH that are judgements and count. NULL and ERROR on failure. */
static SlBatch *
judgements (SlRowVotes *rows, SlBatch *batch, GError **error)
{
  g_autofree guint8 *keep = sl_annotations_counted (batch);
  if (keep == NULL)
    return sl_batch_ref (batch);
  gint64 n = batch->n_rows, n_kept = 0;
  rows->row = g_new (gint64, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    {
      rows->row[n_kept] = batch->first_row + i;
      n_kept += keep[i];
    }
  if (n_kept == n)
    g_clear_pointer (&rows->row, g_free);
  return sl_batch_filter (batch, keep, error);
}

static void
from_labels (SlRowVotes *rows)
{
  SlLabels labels = sl_labels_view (rows->batch);
  rows->n = labels.n;
  rows->item = labels.item;
  rows->annotator = labels.annotator;
  rows->label = labels.label;
  rows->weight = labels.weight;
  rows->gold = labels.gold;
}

static void
from_annotations (SlRowVotes *rows)
{
  SlAnnotations view = sl_annotations_view (rows->batch);
  rows->n = view.n;
  rows->item = view.item;
  rows->annotator = view.annotator;
  rows->count = view.count;
  rows->gold = view.gold;
  rows->vote = view.choice;
  if (sl_table_has (rows->batch->table, SL_ANNOTATIONS_CLASS))
    return;
  rows->votes = g_new (gint32, MAX (view.n, 1));
  for (gint64 i = 0; i < view.n; i++)
    rows->votes[i] = view.choice[view.start[i]];
  rows->vote = rows->votes;
}

gboolean
sl_row_votes_init (SlRowVotes *rows, SlBatch *batch, GError **error)
{
  const SlKind *kind = batch->table->kind;
  *rows = (SlRowVotes){ 0 };
  rows->batch = judgements (rows, batch, error);
  if (rows->batch == NULL)
    return FALSE;
  (kind == &sl_annotations   ? from_annotations
   : kind == &sl_predictions ? from_predictions
                             : from_labels) (rows);
  return TRUE;
}

static gint64
row_number (gconstpointer data, gint64 i)
{
  return sl_row_votes_row (data, i);
}

gboolean
sl_row_votes_believe (SlRowVotes *rows, int threads, GError **error)
{
  SlConversion conversion = { .how = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = 0.1 } };
  SlAnnotations view = sl_annotations_view (rows->batch);
  gsize n = (gsize) MAX (rows->n, 1), n_classes = (gsize) rows->batch->table->n_classes;
  rows->labels = g_new (double, n *n_classes);
  rows->weights = g_new (double, n);
  for (gint64 i = 0; i < rows->n; i++)
    rows->weights[i] = rows->count != NULL ? (double) rows->count[i] : 1;
  rows->label = rows->labels;
  rows->weight = rows->weights;
  return sl_convert_view (&conversion, threads, &view, (gint32) n_classes, rows->labels, row_number,
                          rows, error);
}

void
sl_row_votes_clear (SlRowVotes *rows)
{
  g_clear_pointer (&rows->batch, sl_batch_unref);
  g_clear_pointer (&rows->votes, g_free);
  g_clear_pointer (&rows->labels, g_free);
  g_clear_pointer (&rows->weights, g_free);
  g_clear_pointer (&rows->row, g_free);
}

gint64
sl_row_votes_row (const SlRowVotes *rows, gint64 i)
{
  return 1 + (rows->row != NULL ? rows->row[i] : rows->batch->first_row + i);
}

gboolean
sl_row_votes_gold_error (const SlRowVotes *rows, gint64 i, gint32 before, GError **error)
{
  gsize length;
  const char *name = sl_text_get (rows->item, i, &length);
  char **classes = rows->batch->table->classes;
  return sl_error_row (error, sl_row_votes_row (rows, i),
                       "item '%.*s' has gold class '%s' here and '%s' before; an item has one",
                       (int) MIN (length, 1000), name, classes[rows->gold[i]], classes[before]);
}
