/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gathering.h"

#include "schemas/labels.h"

void
sl_gathering_init (SlGathering *gathering, SlRun *run, SlReader *from)
{
  /* One thread reads ahead. */
  *gathering = (SlGathering){
    .run = run, .from = from, .threads = MAX (run->threads - 1, 1), .items = sl_intern_new ()
  };
  sl_intern_set_threads (gathering->items, gathering->threads);
  sl_tally_init (&gathering->tally, sl_reader_table (from)->n_classes);
}

void
sl_gathering_clear (SlGathering *gathering)
{
  g_clear_pointer (&gathering->items, sl_intern_free);
  sl_tally_clear (&gathering->tally);
  sl_collected_clear (&gathering->answers);
  g_clear_pointer (&gathering->ids, g_free);
}

void
sl_gathering_collect (SlGathering *gathering, gboolean named)
{
  const SlTable *in = sl_reader_table (gathering->from);
  sl_collected_init (&gathering->answers, in->n_classes, in->kind == &sl_labels, !named,
                     gathering->threads);
}

/* What there is, with the batch of N rows that is about to be added. */
static gboolean
claim (SlGathering *gathering, gint64 n, GError **error)
{
  gboolean collects = sl_gathering_collects (gathering);
  gsize bytes = sl_intern_bytes (gathering->items)
                + (gsize) sl_intern_size (gathering->items)
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
  g_auto (SlRowVotes) evidence;
  if (!sl_row_votes_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > gathering->ids_room)
    {
      gathering->ids_room = evidence.n;
      gathering->ids = g_renew (gint32, gathering->ids, gathering->ids_room);
    }
  gint32 *ids = gathering->ids;
  sl_intern_column (gathering->items, evidence.item, evidence.n, ids);
  if (!claim (gathering, evidence.n, error))
    return FALSE;
  sl_tally_resize (tally, sl_intern_size (gathering->items));
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
      if ((gathering->look != NULL && !gathering->look (gathering->look_data, batch, error))
          || !add_batch (gathering, batch, error))
        return FALSE;
    }
  if (sl_reader_table (gathering->from)->kind != &sl_labels)
    sl_tally_weigh (&gathering->tally);
  return TRUE;
}
