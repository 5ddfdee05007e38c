/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../../pipeline/intern.h"
#include "../../pipeline/parallel.h"
#include "aggregation.h"

typedef struct
{
  const SlAggregation *aggregation;
  SlIntern *items;
  SlTally tally;
  gint32 *ids; /* of a batch's rows */
  gint64 ids_room;
  guint64 *key;  /* of the items */
  gsize claimed; /* bytes */
} Whole;

static void
whole_clear (Whole *whole)
{
  g_clear_pointer (&whole->items, sl_intern_free);
  sl_tally_clear (&whole->tally);
  g_free (whole->ids);
  g_free (whole->key);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Whole, whole_clear)

static gboolean
claim (Whole *whole, GError **error)
{
  gsize bytes = sl_intern_bytes (whole->items)
                + (gsize) whole->tally.n_items * sl_tally_item_bytes (whole->tally.n_classes);
  gsize more = bytes - MIN (bytes, whole->claimed);
  whole->claimed += more;
  return sl_run_claim (whole->aggregation->run, more,
                       "a sum for every item and class (--sorted holds one batch)", error);
}

static gboolean
add_batch (Whole *whole, SlBatch *batch, GError **error)
{
  int threads = whole->aggregation->run->threads;
  g_auto (SlEvidence) evidence;
  if (!sl_evidence_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > whole->ids_room)
    {
      whole->ids_room = evidence.n;
      whole->ids = g_renew (gint32, whole->ids, whole->ids_room);
    }
  sl_intern_column (whole->items, evidence.item, evidence.n, whole->ids);
  sl_tally_resize (&whole->tally, sl_intern_size (whole->items));
  if (!claim (whole, error))
    return FALSE;
  gint64 wrong = -1;
  if (evidence.gold != NULL)
    wrong = sl_tally_add_gold (&whole->tally, whole->ids, evidence.n, evidence.gold);
  if (wrong >= 0)
    return sl_aggregation_gold_error (whole->aggregation, &evidence, wrong,
                                      whole->tally.gold[whole->ids[wrong]], error);
  if (evidence.label != NULL)
    sl_tally_add_labels (&whole->tally, whole->ids, evidence.n, evidence.label, evidence.weight,
                         threads);
  else
    sl_tally_add_votes (&whole->tally, whole->ids, evidence.n, evidence.vote, evidence.count,
                        threads);
  return TRUE;
}

static gboolean
check_items (const Whole *whole, GError **error)
{
  for (gint32 i = 0; i < whole->tally.n_items; i++)
    {
      gsize length;
      const char *name = sl_intern_get (whole->items, i, &length);
      if (!sl_aggregation_check_item (whole->aggregation, &whole->tally, i, name, length, error))
        return FALSE;
    }
  return TRUE;
}

/* Items labelled at a time by one thread, where the method allows. */
#define SHARE 4096

static void
label_share (int share, gpointer data)
{
  Whole *whole = data;
  gint32 first = share * SHARE, n = MIN (SHARE, whole->tally.n_items - first);
  for (gint32 i = first; whole->key != NULL && i < first + n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (whole->items, i, &length);
      whole->key[i] = sl_text_hash (name, length);
    }
  sl_aggregation_label (whole->aggregation, &whole->tally, first, n, whole->key);
}

static void
label_items (Whole *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  gint32 n_items = whole->tally.n_items;
  if (aggregation->method->flags & SL_METHOD_TIES && aggregation->settings.ties == SL_TIES_RANDOM)
    whole->key = g_new (guint64, MAX (n_items, 1));
  if (aggregation->method->flags & SL_METHOD_LOCAL)
    sl_parallel (aggregation->run->threads, n_items / SHARE + (n_items % SHARE > 0), label_share,
                 whole);
  else
    sl_aggregation_label (aggregation, &whole->tally, 0, n_items, NULL);
}

static gboolean
write_items (const Whole *whole, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  g_autoptr (SlBuilder) builder = sl_builder_new (aggregation->table);
  g_autofree gint32 *offset = g_new (gint32, sl_builder_room (builder) + 1);
  gint32 n;
  for (gint32 first = 0; first < whole->tally.n_items; first += n)
    {
      n = (gint32) MIN (sl_builder_room (builder), whole->tally.n_items - first);
      SlText names = sl_intern_texts (whole->items, first, n, offset);
      if (!sl_aggregation_write (aggregation, builder, &whole->tally, first, n, names, error))
        return FALSE;
    }
  return sl_writer_write_built (aggregation->run->out, builder, TRUE, error);
}

gboolean
sl_aggregate_whole (const SlAggregation *aggregation, GError **error)
{
  g_auto (Whole) whole = { .aggregation = aggregation, .items = sl_intern_new () };
  sl_intern_set_threads (whole.items, aggregation->run->threads);
  sl_tally_init (&whole.tally, aggregation->table->n_classes);
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next (aggregation->run, &batch, error))
        return FALSE;
      if (batch == NULL)
        break;
      if (!add_batch (&whole, batch, error))
        return FALSE;
    }
  if (!check_items (&whole, error))
    return FALSE;
  label_items (&whole);
  return write_items (&whole, error);
}
