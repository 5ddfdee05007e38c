/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "from-answers.h"

#include "pipeline/base/shown-text.h"
#include "schemas/labels.h"
#include "stages/common/answers/votes-of-batch.h"

gboolean
sl_control_no_gold (const char *item, gsize length, gint64 row, GError **error)
{
  g_autofree char *shown = sl_shown (item, length);
  return sl_error_row (error, row,
                       "item '%s' has no gold class; `softlabel select --where 'gold present'` "
                       "leaves such rows out",
                       shown);
}

typedef struct
{
  SlRun *run;
  const SlControl *control;
  SlBuilder *builder;
  gint32 n_classes;
  SlIntern *items;
  GArray *gold; /* gint32, of the items */
  gsize claimed;
  gint32 *ids; /* [room] */
  gint64 room;
} Answered;

static void
answered_clear (Answered *answered)
{
  sl_builder_free (answered->builder);
  sl_intern_free (answered->items);
  g_array_unref (answered->gold);
  g_free (answered->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answered, answered_clear)

/* The label of an item that was not seen before row I. */
static gboolean
add_item (Answered *answered, const SlRowVotes *evidence, gint64 i, GError **error)
{
  SlBuilder *builder = answered->builder;
  gint32 gold = evidence->gold != NULL ? evidence->gold[i] : -1;
  gsize length;
  const char *item = sl_text_get (evidence->item, i, &length);
  if (!sl_control_make (answered->control, item, length, NULL, gold, answered->n_classes,
                        sl_builder_labels (builder, SL_LABELS_LABEL, 1)))
    return sl_control_no_gold (item, length, sl_row_votes_row (evidence, i), error);
  g_array_append_val (answered->gold, gold);
  sl_builder_text (builder, SL_LABELS_ITEM, item, length);
  sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
  if (evidence->gold != NULL)
    sl_builder_class (builder, SL_LABELS_GOLD, gold);
  return sl_writer_write_built (answered->run->out, builder, FALSE, error);
}

static gboolean
add_batch (Answered *answered, SlBatch *batch, GError **error)
{
  g_auto (SlRowVotes) evidence;
  if (!sl_row_votes_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > answered->room)
    answered->ids = g_renew (gint32, answered->ids, answered->room = evidence.n);
  sl_intern_column (answered->items, evidence.item, evidence.n, answered->ids);
  gsize bytes = sl_intern_bytes (answered->items)
                + (gsize) sl_intern_size (answered->items) * sizeof (gint32);
  if (!sl_run_claim_up_to (answered->run, &answered->claimed, bytes, "the items", error))
    return FALSE;
  for (gint64 i = 0; i < evidence.n; i++)
    {
      guint id = (guint) answered->ids[i];
      if (id == answered->gold->len)
        {
          if (!add_item (answered, &evidence, i, error))
            return FALSE;
          continue;
        }
      gint32 before = g_array_index (answered->gold, gint32, id);
      if (evidence.gold != NULL && evidence.gold[i] != before)
        return before >= 0 && evidence.gold[i] >= 0
                   ? sl_row_votes_gold_error (&evidence, i, before, error)
                   : sl_error_row (error, sl_row_votes_row (&evidence, i),
                                   "the gold class of an item is there in one row, and missing in "
                                   "another");
    }
  return TRUE;
}

gboolean
sl_control_from_answers (SlRun *run, SlTable *table, const SlControl *control, GError **error)
{
  g_auto (Answered) answered = { .run = run,
                                 .control = control,
                                 .builder = sl_builder_new (table),
                                 .n_classes = table->n_classes,
                                 .items = sl_intern_new (),
                                 .gold = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  sl_intern_set_threads (answered.items, run->threads);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = add_batch (&answered, batch, error);
  return ok && sl_writer_write_built (run->out, answered.builder, TRUE, error);
}
