/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reference.h"

#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/classes/class-map.h"

#include <string.h>

static const SlKind *const kinds[] = { &sl_labels, &sl_predictions, &sl_annotations, NULL };

void
sl_reference_clear (SlReference *reference)
{
  g_clear_pointer (&reference->name, g_free);
  g_clear_pointer (&reference->table, sl_table_unref);
  g_clear_pointer (&reference->items, sl_intern_free);
  g_clear_pointer (&reference->target, g_array_unref);
  g_clear_pointer (&reference->gold, g_array_unref);
  g_clear_pointer (&reference->annotators, sl_intern_free);
  g_clear_pointer (&reference->answers, g_hash_table_unref);
}

char *
sl_item_shown (const SlIntern *items, gint32 item)
{
  gsize length;
  const char *text = sl_intern_get (items, item, &length);
  return sl_shown (text, length);
}

/* Items are numbered as they come, so an item that is there already has a number below its
 * place. */
static gboolean
refuse_again (const SlReference *reference, const SlBatch *batch, gint64 i, gint32 item,
              GError **error)
{
  g_autofree char *shown = sl_item_shown (reference->items, item);
  return sl_error_row (error, batch->first_row + i + 1,
                       batch->table->kind == &sl_predictions
                           ? "item '%s' is there twice; one row an item is wanted: those of one "
                             "run, not attacked"
                           : "item '%s' is there twice; one row an item is wanted",
                       shown);
}

static gboolean
claim (SlReference *reference, SlRun *run, gint64 more, GError **error)
{
  gsize row = (gsize) reference->table->n_classes * sizeof (double) + sizeof (gint32);
  gsize rows = (gsize) reference->gold->len + (gsize) more;
  return sl_run_claim_up_to (run, &reference->claimed,
                             sl_intern_bytes (reference->items) + rows * row,
                             "a target for every item and class", error);
}

static gboolean
add_batch (SlReference *reference, SlRun *run, const SlBatch *batch, GArray *ids, GError **error)
{
  gboolean labels = batch->table->kind == &sl_labels;
  gint64 n = batch->n_rows;
  gint32 before = sl_intern_size (reference->items);
  const double *target
      = batch->column[labels ? (int) SL_LABELS_LABEL : (int) SL_PREDICTIONS_PROB].real;
  const gint32 *gold
      = batch->column[labels ? (int) SL_LABELS_GOLD : (int) SL_PREDICTIONS_GOLD].code;
  g_array_set_size (ids, (guint) n);
  sl_intern_column (reference->items, batch->column[SL_LABELS_ITEM].text, n,
                    (gint32 *) (gpointer) ids->data);
  for (gint64 i = 0; i < n; i++)
    if (g_array_index (ids, gint32, i) != before + i)
      return refuse_again (reference, batch, i, g_array_index (ids, gint32, i), error);
  if (!claim (reference, run, n, error))
    return FALSE;
  g_array_append_vals (reference->target, target, (guint) n);
  if (gold != NULL)
    {
      g_array_append_vals (reference->gold, gold, (guint) n);
      reference->has_gold = TRUE;
      return TRUE;
    }
  static const gint32 unknown = -1;
  for (gint64 i = 0; i < n; i++)
    g_array_append_val (reference->gold, unknown);
  return TRUE;
}

static gboolean
read_rows (SlReference *reference, SlRun *run, SlReader *reader, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (reference, run, batch, ids, error);
  return ok;
}

gint32
sl_reference_answer (const SlReference *reference, gint32 item, const char *annotator, gsize length)
{
  gint32 a = sl_intern_find (reference->annotators, annotator, length);
  gint64 key = (gint64) a << 32 | item;
  return a < 0 ? -1 : GPOINTER_TO_INT (g_hash_table_lookup (reference->answers, &key)) - 1;
}

/* Bytes of one answer that is kept. */
#define ANSWER_BYTES 64

/* NUMBER[i] is what the gathering's item i is called here; -1: it is not there. */
static gboolean
keep_answers (SlReference *reference, SlRun *run, SlGathering *votes, const gint32 *number,
              GError **error)
{
  const SlAnswers all = sl_collected_answers (&votes->answers);
  if (!sl_run_claim_array (run, (gsize) all.n_answers, ANSWER_BYTES, "every annotator's answers",
                           error))
    return FALSE;
  reference->annotators = g_steal_pointer (&votes->answers.annotators);
  reference->answers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (gint64 j = 0; j < all.n_answers; j++)
    {
      gint64 key = (gint64) all.annotator[j] << 32 | number[all.item[j]];
      if (number[all.item[j]] >= 0 && !g_hash_table_contains (reference->answers, &key))
        g_hash_table_insert (reference->answers, g_memdup2 (&key, sizeof key),
                             GINT_TO_POINTER (all.answer[j] + 1));
    }
  return TRUE;
}

/* Items of whose answers none counts have no target; they are not there. */
static gboolean
read_votes (SlReference *reference, SlRun *run, SlReader *reader, gboolean answers, GError **error)
{
  g_auto (SlGathering) votes;
  sl_gathering_init (&votes, run, reader);
  if (answers)
    sl_gathering_collect (&votes, TRUE);
  if (!sl_gathering_read (&votes, error))
    {
      sl_reader_name_rows (reader, error);
      return FALSE;
    }
  const SlTally *tally = &votes.tally;
  gsize n = (gsize) tally->n_classes;
  if (!claim (reference, run, tally->n_items, error))
    return FALSE;
  g_autofree gint32 *number = g_new (gint32, MAX (tally->n_items, 1));
  for (gint32 i = 0; i < tally->n_items; i++)
    {
      number[i] = -1;
      if (!(tally->weight[i] > 0))
        continue;
      gsize length;
      const char *item = sl_intern_get (votes.items, i, &length);
      number[i] = sl_intern (reference->items, item, length);
      g_array_set_size (reference->target, reference->target->len + 1);
      double *target
          = (double *) (gpointer) reference->target->data + (reference->target->len - 1) * n;
      for (gsize k = 0; k < n; k++)
        target[k] = tally->sum[(gsize) i * n + k] / tally->weight[i];
      g_array_append_val (reference->gold, tally->gold[i]);
      reference->has_gold |= tally->gold[i] >= 0;
    }
  return !answers || keep_answers (reference, run, &votes, number, error);
}

gboolean
sl_reference_read (SlReference *reference, SlRun *run, const char *option, const char *path,
                   gboolean answers, GError **error)
{
  g_autoptr (SlReader) reader = sl_run_open (run, option, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  SlTable *table = sl_reader_table (reader);
  reference->name = g_strdup (sl_reader_name (reader));
  reference->table = sl_table_ref (table);
  reference->items = sl_intern_new ();
  sl_intern_set_threads (reference->items, run->threads);
  reference->target
      = g_array_new (FALSE, FALSE, (guint) MAX (table->n_classes, 1) * sizeof (double));
  reference->gold = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (table->n_classes == 0)
    return sl_error_bad_input (error, "%s: it has no classes", reference->name);
  if (table->kind == &sl_annotations)
    return read_votes (reference, run, reader,
                       answers && sl_table_has (table, SL_ANNOTATIONS_ANNOTATOR), error);
  return (table->kind != &sl_labels || sl_labels_check_whole (table, reference->name, error))
         && read_rows (reference, run, reader, error);
}

static void
move_row (double *target, const gint32 *map, gsize k, double *room)
{
  memcpy (room, target, k * sizeof *room);
  for (gsize j = 0; j < k; j++)
    target[map[j]] = room[j];
}

gboolean
sl_reference_follow (SlReference *reference, SlTable *table, const char *name, GError **error)
{
  gsize k = (gsize) table->n_classes;
  g_autofree gint32 *map
      = sl_class_map_named (reference->table, reference->name, table, name, error);
  if (map == NULL)
    return FALSE;
  reference->moved = sl_class_map_moves (map, table->n_classes);
  sl_table_unref (reference->table);
  reference->table = sl_table_ref (table);
  if (!reference->moved)
    return TRUE;
  g_autofree double *room = g_new (double, k);
  double *target = (double *) (gpointer) reference->target->data;
  for (gint32 i = 0; i < sl_reference_size (reference); i++)
    move_row (target + (gsize) i * k, map, k, room);
  for (guint i = 0; i < reference->gold->len; i++)
    {
      gint32 *gold = &g_array_index (reference->gold, gint32, i);
      *gold = *gold >= 0 ? map[*gold] : *gold;
    }
  GHashTableIter answers;
  gpointer answer;
  if (reference->answers != NULL)
    g_hash_table_iter_init (&answers, reference->answers);
  while (reference->answers != NULL && g_hash_table_iter_next (&answers, NULL, &answer))
    g_hash_table_iter_replace (&answers, GINT_TO_POINTER (map[GPOINTER_TO_INT (answer) - 1] + 1));
  return TRUE;
}
