/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/intern/intern.h"
#include "schemas/labels.h"
#include "stages/common/answers/answer-rows.h"
#include "aggregation.h"
#include "came-again.h"

#include <string.h>

/* Items whose rows have begun, up to a batch of them; the last is still open. */
typedef struct
{
  SlAggregation *aggregation;
  SlBuilder *builder;
  SlTally tally;
  GArray *offset; /* of gint32 */
  GString *names;
  guint64 *key; /* [room] */
  gint32 room;
  gint32 *ids; /* of a batch's rows */
  gint64 ids_room;
  SlCameAgain seen;
  gpointer stream;     /* of a method that looks at each answer; NULL otherwise */
  SlCollected answers; /* to these items, where there is a stream */
} Sorted;

static void
sorted_clear (Sorted *sorted)
{
  g_clear_pointer (&sorted->builder, sl_builder_free);
  sl_tally_clear (&sorted->tally);
  g_array_unref (sorted->offset);
  g_string_free (sorted->names, TRUE);
  g_free (sorted->key);
  g_free (sorted->ids);
  sl_came_again_clear (&sorted->seen);
  if (sorted->stream != NULL)
    sorted->aggregation->method->stream->end (sorted->stream);
  sl_collected_clear (&sorted->answers);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sorted, sorted_clear)

static SlText
names (const Sorted *sorted)
{
  return (SlText){ (const gint32 *) (gpointer) sorted->offset->data, sorted->names->str };
}

/* Hands the items with their answers to the method, one after another. */
static void
pass_items (Sorted *sorted)
{
  const SlAnswers all = sl_collected_answers (&sorted->answers);
  gint64 first = 0;
  for (gint32 i = 0; i < sorted->tally.n_items; i++)
    {
      gint64 end = first;
      while (end < all.n_answers && all.item[end] == i)
        end++;
      SlItems item = sl_aggregation_items (&sorted->tally, i, 1, NULL);
      SlAnswers own = { .n_answers = end - first,
                        .n_annotators = all.n_annotators,
                        .annotator = all.annotator + first,
                        .answer = all.answer + first,
                        .count = all.count != NULL ? all.count + first : NULL };
      sorted->aggregation->method->stream->pass (sorted->stream, &item, &own);
      first = end;
    }
  sl_collected_empty (&sorted->answers);
}

/* Labels and writes the items so far, none of which is open any more. */
static gboolean
flush (Sorted *sorted, GError **error)
{
  gint32 n = sorted->tally.n_items;
  sl_tally_settle (&sorted->tally,
                   sl_reader_table (sorted->aggregation->run->in)->kind == &sl_labels);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *name = sl_text_get (names (sorted), i, &length);
      if (!sl_aggregation_check_item (sorted->aggregation, &sorted->tally, i, name, length, error))
        return FALSE;
    }
  if (sorted->stream != NULL)
    pass_items (sorted);
  else
    sl_aggregation_label (sorted->aggregation, &sorted->tally, 0, n, sorted->key,
                          sorted->aggregation->settings.fix_gold ? sorted->tally.gold : NULL);
  const SlLabelled items = { .tally = &sorted->tally, .n = n, .names = names (sorted) };
  if (!sl_aggregation_write (sorted->aggregation, sorted->builder, &items, error))
    return FALSE;
  sorted->tally.n_items = 0;
  g_array_set_size (sorted->offset, 1);
  g_string_truncate (sorted->names, 0);
  return TRUE;
}

static gboolean
is_open (const Sorted *sorted, const SlRowVotes *rows, gint64 i)
{
  if (sorted->tally.n_items == 0)
    return FALSE;
  gsize length, open_length;
  const char *name = sl_text_get (rows->item, i, &length);
  const char *open = sl_text_get (names (sorted), sorted->tally.n_items - 1, &open_length);
  return length == open_length && memcmp (name, open, length) == 0;
}

/* Begins the item of row I. */
static gboolean
open_item (Sorted *sorted, const SlRowVotes *rows, gint64 i, GError **error)
{
  gsize length;
  const char *name = sl_text_get (rows->item, i, &length);
  guint64 key = sl_text_hash (name, length);
  if (!sl_came_again_add (&sorted->seen, key))
    return sl_error_row (
        error, sl_row_votes_row (rows, i),
        "item '%.*s' comes again after rows of other items; %s needs an item's rows together",
        (int) length, name,
        sorted->stream != NULL ? "--method la (but for --iterations 2)" : "--sorted");
  sorted->key[sorted->tally.n_items] = key;
  sl_tally_resize (&sorted->tally, sorted->tally.n_items + 1);
  g_string_append_len (sorted->names, name, (gssize) length);
  gint32 end = (gint32) sorted->names->len;
  g_array_append_val (sorted->offset, end);
  return TRUE;
}

/* Whether there is room for the name of row I's item among those that wait. */
static gboolean
has_room (const Sorted *sorted, const SlRowVotes *rows, gint64 i)
{
  gsize length;
  sl_text_get (rows->item, i, &length);
  return sorted->tally.n_items < sorted->room && length <= G_MAXINT32 - sorted->names->len;
}

/* Adds rows FROM .. TO - 1 to their items. */
static gboolean
add_rows (Sorted *sorted, const SlRowVotes *rows, gint64 from, gint64 to, GError **error)
{
  SlTally *tally = &sorted->tally;
  const gint32 *ids = sorted->ids + from;
  gint64 n = to - from, wrong = -1;
  if (rows->gold != NULL)
    wrong = sl_tally_add_gold (tally, ids, n, rows->gold + from);
  if (wrong >= 0)
    return sl_row_votes_gold_error (rows, from + wrong, tally->gold[ids[wrong]], error);
  if (rows->label != NULL)
    sl_tally_add_labels (tally, ids, n, rows->label + (gsize) from * (gsize) tally->n_classes,
                         rows->weight + from, 1);
  else
    sl_tally_add_votes (tally, ids, n, rows->vote + from,
                        rows->count != NULL ? rows->count + from : NULL, 1);
  return sorted->stream == NULL
         || sl_collected_add (&sorted->answers, rows, sorted->ids, from, to, error);
}

static gboolean
add_batch (Sorted *sorted, SlBatch *batch, GError **error)
{
  g_auto (SlRowVotes) rows;
  if (!sl_row_votes_init (&rows, batch, error))
    return FALSE;
  if (rows.n > sorted->ids_room)
    {
      sorted->ids_room = rows.n;
      sorted->ids = g_renew (gint32, sorted->ids, sorted->ids_room);
    }
  gint64 from = 0;
  for (gint64 i = 0; i < rows.n; i++)
    {
      if (!is_open (sorted, &rows, i))
        {
          if (!has_room (sorted, &rows, i))
            {
              if (!add_rows (sorted, &rows, from, i, error) || !flush (sorted, error))
                return FALSE;
              from = i;
            }
          if (!open_item (sorted, &rows, i, error))
            return FALSE;
        }
      sorted->ids[i] = sorted->tally.n_items - 1;
    }
  return add_rows (sorted, &rows, from, rows.n, error);
}

static void
sorted_init (Sorted *sorted, SlAggregation *aggregation)
{
  gint32 zero = 0;
  sorted->aggregation = aggregation;
  sorted->builder = sl_builder_new (aggregation->table);
  sorted->offset = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_val (sorted->offset, zero);
  sorted->names = g_string_new (NULL);
  sorted->room = (gint32) sl_builder_room (sorted->builder);
  sorted->key = g_new (guint64, sorted->room);
  sl_tally_init (&sorted->tally, aggregation->table->n_classes);
  sorted->tally.exact = sl_aggregation_is_exact (aggregation);
  sl_came_again_init (&sorted->seen);
  if (aggregation->method->stream == NULL)
    return;
  gint32 n_classes = aggregation->table->n_classes;
  sorted->stream = aggregation->method->stream->begin (n_classes, &aggregation->settings);
  sl_collected_init (&sorted->answers, n_classes, FALSE, FALSE, 1);
}

gboolean
sl_aggregate_sorted (SlAggregation *aggregation, GError **error)
{
  g_auto (Sorted) sorted = { 0 };
  sorted_init (&sorted, aggregation);
  if ((sorted.stream != NULL
       && !sl_aggregation_check_answers (aggregation, sl_reader_table (aggregation->run->in), TRUE,
                                         error))
      || !sl_run_start (aggregation->run, aggregation->table, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (aggregation->run, &batch, &ok, error))
    ok = add_batch (&sorted, batch, error);
  return ok && flush (&sorted, error)
         && sl_writer_write_built (aggregation->run->out, sorted.builder, TRUE, error);
}
