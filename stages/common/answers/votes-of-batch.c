/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "votes-of-batch.h"

#include "pipeline/base/error.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/labels/convert.h"

static void
from_labels (SlRowVotes *rows, SlBatch *batch)
{
  SlLabels labels = sl_labels_view (batch);
  rows->batch = sl_batch_ref (batch);
  rows->n = labels.n;
  rows->item = labels.item;
  rows->annotator = labels.annotator;
  rows->label = labels.label;
  rows->weight = labels.weight;
  rows->gold = labels.gold;
}

/* What a model gives an item is a label of weight 1. */
static void
from_predictions (SlRowVotes *rows, SlBatch *batch)
{
  const SlColumn *column = batch->column;
  rows->batch = sl_batch_ref (batch);
  rows->n = batch->n_rows;
  rows->item = column[SL_PREDICTIONS_ITEM].text;
  rows->annotator = column[SL_PREDICTIONS_ANNOTATOR].text;
  rows->label = column[SL_PREDICTIONS_PROB].real;
  rows->gold = column[SL_PREDICTIONS_GOLD].code;
  rows->weights = g_new (double, MAX (rows->n, 1));
  for (gint64 i = 0; i < rows->n; i++)
    rows->weights[i] = 1;
  rows->weight = rows->weights;
}

/* keep[n]: the row is a judgement that counts. NULL where all are. */
static guint8 *
judgements (const SlAnnotations *view, gboolean drop_repeats, SlRowVotes *rows, gint64 first_row)
{
  if (view->check == NULL && view->excluded == NULL && view->repeat == NULL)
    return NULL;
  g_autofree guint8 *keep = g_new (guint8, MAX (view->n, 1));
  rows->row = g_new (gint64, MAX (view->n, 1));
  gint64 n_kept = 0;
  for (gint64 i = 0; i < view->n; i++)
    {
      gboolean counts = (view->check == NULL || !view->check[i])
                        && (view->excluded == NULL || !view->excluded[i]),
               again = counts && view->repeat != NULL && view->repeat[i];
      keep[i] = counts && !(again && drop_repeats);
      rows->n_repeats += again;
      rows->row[n_kept] = first_row + i;
      n_kept += keep[i];
    }
  if (n_kept < view->n)
    return g_steal_pointer (&keep);
  g_clear_pointer (&rows->row, g_free);
  return NULL;
}

static gboolean
from_annotations (SlRowVotes *rows, SlBatch *batch, gboolean drop_repeats, GError **error)
{
  SlAnnotations view = sl_annotations_view (batch);
  g_autofree guint8 *keep = judgements (&view, drop_repeats, rows, batch->first_row);
  rows->batch = keep != NULL ? sl_batch_filter (batch, keep, error) : sl_batch_ref (batch);
  if (rows->batch == NULL)
    return FALSE;
  view = sl_annotations_view (rows->batch);
  rows->n = view.n;
  rows->item = view.item;
  rows->annotator = view.annotator;
  rows->count = view.count;
  rows->gold = view.gold;
  rows->vote = view.choice;
  if (sl_table_has (batch->table, SL_ANNOTATIONS_CLASS))
    return TRUE;
  rows->votes = g_new (gint32, MAX (view.n, 1));
  for (gint64 i = 0; i < view.n; i++)
    rows->votes[i] = view.choice[view.start[i]];
  rows->vote = rows->votes;
  return TRUE;
}

gboolean
sl_row_votes_init (SlRowVotes *rows, SlBatch *batch, gboolean drop_repeats, GError **error)
{
  *rows = (SlRowVotes){ 0 };
  if (batch->table->kind == &sl_annotations)
    return from_annotations (rows, batch, drop_repeats, error);
  (batch->table->kind == &sl_predictions ? from_predictions : from_labels) (rows, batch);
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
