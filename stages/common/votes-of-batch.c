/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "votes-of-batch.h"

#include "pipeline/base/error.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"

static void
from_labels (SlEvidence *evidence, SlBatch *batch)
{
  SlLabels labels = sl_labels_view (batch);
  evidence->batch = sl_batch_ref (batch);
  evidence->n = labels.n;
  evidence->item = labels.item;
  evidence->annotator = labels.annotator;
  evidence->label = labels.label;
  evidence->weight = labels.weight;
  evidence->gold = labels.gold;
}

/* keep[n]: the row is a judgement that counts. NULL where all are. */
static guint8 *
judgements (const SlAnnotations *view, SlEvidence *evidence, gint64 first_row)
{
  if (view->check == NULL && view->excluded == NULL)
    return NULL;
  guint8 *keep = g_new (guint8, MAX (view->n, 1));
  evidence->row = g_new (gint64, MAX (view->n, 1));
  gint64 n_kept = 0;
  for (gint64 i = 0; i < view->n; i++)
    {
      keep[i] = (view->check == NULL || !view->check[i])
                && (view->excluded == NULL || !view->excluded[i]);
      evidence->row[n_kept] = first_row + i;
      n_kept += keep[i];
    }
  return keep;
}

static gboolean
from_annotations (SlEvidence *evidence, SlBatch *batch, GError **error)
{
  SlAnnotations view = sl_annotations_view (batch);
  g_autofree guint8 *keep = judgements (&view, evidence, batch->first_row);
  evidence->batch = keep != NULL ? sl_batch_filter (batch, keep, error) : sl_batch_ref (batch);
  if (evidence->batch == NULL)
    return FALSE;
  view = sl_annotations_view (evidence->batch);
  evidence->n = view.n;
  evidence->item = view.item;
  evidence->annotator = view.annotator;
  evidence->count = view.count;
  evidence->gold = view.gold;
  evidence->vote = view.choice;
  if (sl_table_has (batch->table, SL_ANNOTATIONS_CLASS))
    return TRUE;
  evidence->votes = g_new (gint32, MAX (view.n, 1));
  for (gint64 i = 0; i < view.n; i++)
    evidence->votes[i] = view.choice[view.start[i]];
  evidence->vote = evidence->votes;
  return TRUE;
}

gboolean
sl_evidence_init (SlEvidence *evidence, SlBatch *batch, GError **error)
{
  *evidence = (SlEvidence){ 0 };
  if (batch->table->kind == &sl_annotations)
    return from_annotations (evidence, batch, error);
  from_labels (evidence, batch);
  return TRUE;
}

void
sl_evidence_clear (SlEvidence *evidence)
{
  g_clear_pointer (&evidence->batch, sl_batch_unref);
  g_clear_pointer (&evidence->votes, g_free);
  g_clear_pointer (&evidence->row, g_free);
}

gint64
sl_evidence_row (const SlEvidence *evidence, gint64 i)
{
  return 1 + (evidence->row != NULL ? evidence->row[i] : evidence->batch->first_row + i);
}

gboolean
sl_evidence_gold_error (const SlEvidence *evidence, gint64 i, gint32 before, GError **error)
{
  gsize length;
  const char *name = sl_text_get (evidence->item, i, &length);
  char **classes = evidence->batch->table->classes;
  return sl_error_row (error, sl_evidence_row (evidence, i),
                       "item '%.*s' has gold class '%s' here and '%s' before; an item has one",
                       (int) MIN (length, 1000), name, classes[evidence->gold[i]], classes[before]);
}
