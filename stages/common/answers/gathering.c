/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gathering.h"

#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"
#include "pipeline/table/batch.h"
#include "pipeline/table/types/types.h"
#include "schemas/kinds.h"

#include <string.h>

void
sl_gathering_init (SlGathering *gathering, SlRun *run, SlReader *from)
{
  /* One thread reads ahead. */
  *gathering = (SlGathering){
    .run = run, .from = from, .threads = MAX (run->threads - 1, 1), .items = sl_intern_new ()
  };
  sl_intern_set_threads (gathering->items, gathering->threads);
  const SlTable *table = sl_reader_table (from);
  sl_tally_init (&gathering->tally, table->n_classes);
}

void
sl_gathering_clear (SlGathering *gathering)
{
  g_clear_pointer (&gathering->items, sl_intern_free);
  sl_tally_clear (&gathering->tally);
  sl_collected_clear (&gathering->answers);
  g_clear_pointer (&gathering->item_place, g_free);
  g_clear_pointer (&gathering->annotator_place, g_free);
  g_clear_pointer (&gathering->ids, g_free);
  sl_row_tags_clear (&gathering->tags);
  sl_parting_clear (&gathering->parting);
}

void
sl_gathering_collect (SlGathering *gathering, gboolean named)
{
  const SlTable *in = sl_reader_table (gathering->from);
  sl_collected_init (&gathering->answers, in->n_classes,
                     in->kind != &sl_annotations || gathering->percents, !named,
                     gathering->threads);
  if (gathering->percents)
    sl_collected_add_choices (&gathering->answers);
}

/* What there is, with the batch of N rows that is about to be added. */
static gboolean
claim (SlGathering *gathering, gint64 n, GError **error)
{
  gboolean collects = sl_gathering_collects (gathering);
  gsize bytes = sl_intern_bytes (gathering->items)
                + (gsize) sl_intern_size (gathering->items) * (gathering->tally.exact ? 2 : 1)
                      * sl_tally_item_bytes (gathering->tally.n_classes);
  /* Who wants the answers keeps them a second time, by item. */
  if (collects)
    bytes += 2
             * (sl_collected_bytes (&gathering->answers)
                + (gsize) n * sl_collected_answer_bytes (&gathering->answers));
  const char *what = collects ? "every answer, and a sum for every item and class"
                     : gathering->sortable
                         ? "a sum for every item and class (--sorted holds one batch)"
                         : "a sum for every item and class";
  return sl_run_claim_up_to (gathering->run, &gathering->claimed, bytes, what, error);
}

static gboolean
add_batch (SlGathering *gathering, SlBatch *batch, GError **error)
{
  SlTally *tally = &gathering->tally;
  g_autoptr (SlBatch) rows = sl_parting_rows (&gathering->parting, batch, error);
  g_auto (SlRowVotes) evidence = { 0 };
  if (rows == NULL || !sl_row_votes_init (&evidence, rows, error)
      || !sl_parting_name (&gathering->parting, &evidence, error))
    return FALSE;
  if (evidence.n > gathering->ids_room)
    {
      gathering->ids_room = evidence.n;
      gathering->ids = g_renew (gint32, gathering->ids, gathering->ids_room);
    }
  gint32 *ids = gathering->ids;
  sl_intern_column (gathering->items, evidence.item, evidence.n, ids);
  if (!claim (gathering, evidence.n, error)
      || (gathering->percents && !sl_row_votes_believe (&evidence, gathering->threads, error)))
    return FALSE;
  sl_tally_resize (tally, sl_intern_size (gathering->items));
  sl_row_tags_add (&gathering->tags, evidence.batch, ids);
  gint64 wrong
      = evidence.gold != NULL ? sl_tally_add_gold (tally, ids, evidence.n, evidence.gold) : -1;
  if (wrong >= 0)
    return sl_row_votes_gold_error (&evidence, wrong, tally->gold[ids[wrong]], error);
  if (evidence.label != NULL)
    sl_tally_add_labels (tally, ids, evidence.n, evidence.label, evidence.weight,
                         gathering->threads);
  else
    sl_tally_add_votes (tally, ids, evidence.n, evidence.vote, evidence.count, gathering->threads);
  return !sl_gathering_collects (gathering)
         || sl_collected_add (&gathering->answers, &evidence, ids, 0, evidence.n, error);
}

gboolean
sl_gathering_read (SlGathering *gathering, GError **error)
{
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next_of (gathering->run, gathering->from, &batch, error))
        return FALSE;
      if (batch == NULL)
        break;
      if ((gathering->each != NULL && !gathering->each (gathering->each_data, batch, error))
          || !add_batch (gathering, batch, error))
        return FALSE;
    }
  sl_tally_settle (&gathering->tally,
                   gathering->percents
                       || sl_reader_table (gathering->from)->kind != &sl_annotations);
  return TRUE;
}

static gint32 *
places (const gint32 *order, gint32 n)
{
  gint32 *place = g_new (gint32, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    place[order[i]] = i;
  return place;
}

static void
arrange_annotators (SlGathering *gathering)
{
  SlIntern *names = gathering->answers.annotators;
  g_autofree gint32 *order = sl_intern_order (names);
  if (order == NULL)
    return;
  gathering->annotator_place = places (order, sl_intern_size (names));
  gathering->answers.annotators = sl_intern_new ();
  for (gint32 a = 0; a < sl_intern_size (names); a++)
    sl_intern_copy (gathering->answers.annotators, names, order[a]);
  sl_intern_free (names);
  sl_collected_renumber (&gathering->answers, NULL, gathering->annotator_place,
                         gathering->run->threads);
}

gboolean
sl_gathering_arrange (SlGathering *gathering, gboolean spend, GError **error)
{
  gboolean collects = sl_gathering_collects (gathering);
  int threads = gathering->run->threads;
  gsize n = (gsize) gathering->tally.n_items,
        bytes = n * (2 * SL_ORDER_BYTES + sl_tally_item_bytes (gathering->tally.n_classes));
  if (!sl_run_claim (gathering->run, bytes, "the items once more, in the order of their names",
                     error))
    return FALSE;
  g_autofree gint32 *order = sl_intern_order (gathering->items);
  if (order != NULL)
    {
      gathering->item_place = places (order, gathering->tally.n_items);
      sl_tally_reorder (&gathering->tally, order, threads);
      if (collects)
        sl_collected_renumber (&gathering->answers, gathering->item_place, NULL, threads);
    }
  if (collects && !gathering->answers.anonymous)
    arrange_annotators (gathering);
  if (collects && !spend)
    sl_collected_sort (&gathering->answers, gathering->tally.n_items, threads);
  sl_run_release (gathering->run, bytes);
  return TRUE;
}

void
sl_gathering_arrange_values (const SlGathering *gathering, gpointer values, gsize size)
{
  gsize n = (gsize) gathering->tally.n_items;
  if (gathering->item_place == NULL)
    return;
  g_autofree char *before = g_memdup2 (values, n * size);
  for (gsize i = 0; i < n; i++)
    memcpy ((char *) values + (gsize) gathering->item_place[i] * size, before + i * size, size);
}

typedef struct
{
  const SlGathering *gathering;
  guint64 *key;
} Keys;

enum
{
  KEYS = 4096 /* items at a time for one thread */
};

static void
key_share (int share, gpointer data)
{
  const Keys *keys = data;
  gint32 from = share * KEYS, to = MIN (from + KEYS, keys->gathering->tally.n_items);
  for (gint32 i = from; i < to; i++)
    {
      gsize length;
      const char *name = sl_intern_get (keys->gathering->items, i, &length);
      keys->key[sl_gathering_place (keys->gathering, i)]
          = sl_text_hash (name, sl_parting_item (name, length));
    }
}

guint64 *
sl_gathering_keys (const SlGathering *gathering)
{
  gint32 n = gathering->tally.n_items;
  Keys keys = { gathering, g_new (guint64, MAX (n, 1)) };
  sl_parallel (gathering->run->threads, n / KEYS + 1, key_share, &keys);
  return keys.key;
}

/* ---- answers parted by an attribute of their annotators ---- */

void
sl_parting_init (SlParting *parting, const SlTable *answers, int column, const char *source)
{
  *parting = (SlParting){ .column = column,
                          .source = source,
                          .names = g_byte_array_new (),
                          .offsets = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  sl_annotator_tags_want (&parting->tags, answers, column);
}

void
sl_parting_clear (SlParting *parting)
{
  if (parting->column == 0)
    return;
  sl_annotator_tags_clear (&parting->tags);
  g_byte_array_unref (parting->names);
  g_array_unref (parting->offsets);
  parting->column = 0;
}

SlBatch *
sl_parting_rows (SlParting *parting, SlBatch *batch, GError **error)
{
  if (parting->column == 0)
    return sl_batch_ref (batch);
  gint64 without = 0;
  g_autofree guint8 *keep = g_new (guint8, MAX (batch->n_rows, 1));
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      keep[i] = !sl_value_is_missing (batch, parting->column, i);
      without += !keep[i];
    }
  parting->n_without += without;
  return without > 0 ? sl_batch_filter (batch, keep, error) : sl_batch_ref (batch);
}

gboolean
sl_parting_name (SlParting *parting, SlRowVotes *rows, GError **error)
{
  if (parting->column == 0)
    return TRUE;
  SlText values = rows->batch->column[parting->column].text;
  g_byte_array_set_size (parting->names, 0);
  g_array_set_size (parting->offsets, (guint) rows->n + 1);
  gint32 *offset = (gint32 *) (gpointer) parting->offsets->data;
  for (gint64 i = 0; i < rows->n; i++)
    {
      gsize length, own;
      const char *item = sl_text_get (rows->item, i, &length);
      const char *value = sl_text_get (values, i, &own);
      offset[i] = (gint32) parting->names->len;
      if (length + own + parting->names->len >= G_MAXINT32)
        return sl_error_bad_input (error, "%s: a batch of rows has too long names",
                                   parting->source);
      g_byte_array_append (parting->names, (const guint8 *) item, (guint) length);
      g_byte_array_append (parting->names, (const guint8 *) "", 1);
      g_byte_array_append (parting->names, (const guint8 *) value, (guint) own);
    }
  offset[rows->n] = (gint32) parting->names->len;
  g_byte_array_append (parting->names, (const guint8 *) "", 1);
  rows->item = (SlText){ offset, (const char *) parting->names->data };
  return rows->annotator.offset == NULL
         || sl_annotator_tags_add (&parting->tags, rows->batch, rows->annotator, parting->source,
                                   error);
}
