/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "labelled.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/shown-text.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/methods/posterior.h"

void
sl_labelled_clear (SlLabelled *labelled)
{
  g_clear_pointer (&labelled->items, sl_intern_free);
  sl_tally_clear (&labelled->labels);
  sl_tally_clear (&labelled->predictions);
  g_free (labelled->item);
}

static gboolean
resize (SlLabelled *labelled, GError **error)
{
  gint32 n = sl_intern_size (labelled->items);
  sl_tally_resize (&labelled->labels, n);
  gsize bytes = 2 * (gsize) n * sl_tally_item_bytes ((gint32) labelled->k)
                + sl_intern_bytes (labelled->items);
  return sl_run_claim_up_to (labelled->run, &labelled->claimed, bytes, "the labels of all items",
                             error);
}

static gboolean
read_labels (SlLabelled *labelled, GError **error)
{
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next (labelled->run, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      SlLabels labels = sl_labels_view (batch);
      g_autofree gint32 *ids = g_new (gint32, MAX (labels.n, 1));
      sl_intern_column (labelled->items, labels.item, labels.n, ids);
      if (!resize (labelled, error))
        return FALSE;
      sl_tally_add_labels (&labelled->labels, ids, labels.n, labels.label, labels.weight,
                           labelled->run->threads);
      gint64 wrong = labels.gold != NULL
                         ? sl_tally_add_gold (&labelled->labels, ids, labels.n, labels.gold)
                         : -1;
      if (wrong >= 0)
        return sl_error_row (error, batch->first_row + wrong + 1,
                             "gold is '%s', and was another class in a row of the same item before",
                             batch->table->classes[labels.gold[wrong]]);
    }
}

/* Adds ROW to the predictions of its item, with its classes as the labels have them. */
static void
add_prediction (SlLabelled *labelled, const SlBatch *batch, int column, gint64 row,
                const gint32 *map)
{
  gsize length;
  const char *name = sl_text_get (batch->column[0].text, row, &length);
  gint32 id = sl_intern_find (labelled->items, name, length);
  if (id < 0)
    {
      labelled->n_strange++;
      return;
    }
  const double *from = batch->column[column].real + (gsize) row * labelled->k;
  for (gsize j = 0; j < labelled->k; j++)
    labelled->predictions.sum[(gsize) id * labelled->k + (gsize) map[j]] += from[j];
}

static gboolean
check_predictions (const SlTable *table, const char *name, GError **error)
{
  if (!sl_predictions_are_changed (table))
    return TRUE;
  return sl_error_bad_input (error,
                             "%s: its predictions are of attacked or corrupted examples; labels "
                             "are doubted by predictions of examples as they are",
                             name);
}

static gboolean
read_predictions (SlLabelled *labelled, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_predictions, &sl_labels, NULL };
  g_autoptr (SlReader) reader = sl_run_open (labelled->run, "predictions", path, kinds, error);
  if (reader == NULL
      || !check_predictions (sl_reader_table (reader), sl_reader_name (reader), error))
    return FALSE;
  g_autofree gint32 *map = sl_class_map (reader, sl_reader_table (labelled->run->in), error);
  int column = sl_reader_table (reader)->kind == &sl_predictions ? (int) SL_PREDICTIONS_PROB
                                                                 : (int) SL_LABELS_LABEL;
  sl_tally_resize (&labelled->predictions, sl_intern_size (labelled->items));
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (map != NULL && sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; i < batch->n_rows; i++)
      add_prediction (labelled, batch, column, i, map);
  return map != NULL && ok;
}

static gboolean
no_prediction (const SlLabelled *labelled, gint32 item, const char *what, GError **error)
{
  gsize length;
  const char *name = sl_intern_get (labelled->items, item, &length);
  g_autofree char *shown = sl_shown (name, length);
  return sl_error_bad_input (error, "item '%s' has %s; --inner leaves such items out", shown, what);
}

/* Labels and predictions of the items that have both, each with sum 1. */
static gboolean
pair (SlLabelled *labelled, gboolean hard, gboolean inner, GError **error)
{
  gsize k = labelled->k, n_items = (gsize) sl_intern_size (labelled->items);
  labelled->item = sl_run_alloc0 (labelled->run, n_items, sizeof (gint32), "the items", error);
  if (labelled->item == NULL)
    return FALSE;
  labelled->t = labelled->labels.sum;
  labelled->p = labelled->predictions.sum;
  for (gsize i = 0; i < n_items; i++)
    {
      double *t = labelled->t + (gsize) labelled->n * k, *p = labelled->p + (gsize) labelled->n * k;
      memmove (t, labelled->t + i * k, k * sizeof *t);
      memmove (p, labelled->p + i * k, k * sizeof *p);
      gboolean has_label = sl_posterior_from_scores (t, (gint32) k);
      gboolean has_prediction = sl_posterior_from_scores (p, (gint32) k);
      if (!(has_label && has_prediction) && !inner)
        return no_prediction (labelled, (gint32) i,
                              has_label ? "no prediction" : "only labels of weight 0", error);
      if (!(has_label && has_prediction))
        continue;
      if (hard)
        sl_posterior_set (t, (gint32) k, sl_largest (t, (gint32) k));
      labelled->item[labelled->n++] = (gint32) i;
    }
  if ((gsize) labelled->n < n_items)
    sl_run_warn (labelled->run,
                 "%" G_GINT64_FORMAT " of %" G_GSIZE_FORMAT
                 " labelled items are left out, as they have no predictions",
                 (gint64) n_items - labelled->n, n_items);
  if (labelled->n_strange > 0)
    sl_run_note (labelled->run, "%" G_GINT64_FORMAT " predictions are of items without labels",
                 labelled->n_strange);
  return TRUE;
}

gboolean
sl_labelled_read (SlLabelled *labelled, SlRun *run, const char *predictions, gboolean hard,
                  gboolean inner, GError **error)
{
  gint32 k = sl_reader_table (run->in)->n_classes;
  *labelled = (SlLabelled){ .run = run, .k = (gsize) k, .items = sl_intern_new () };
  sl_intern_set_threads (labelled->items, run->threads);
  sl_tally_init (&labelled->labels, k);
  sl_tally_init (&labelled->predictions, k);
  if (!read_labels (labelled, error) || !read_predictions (labelled, predictions, error)
      || !pair (labelled, hard, inner, error))
    return FALSE;
  return labelled->n > 0
         || sl_error_bad_input (error, "%s: it has no items with predictions",
                                sl_reader_name (run->in));
}
