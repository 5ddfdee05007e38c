/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drawing.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/tally.h"
#include "stages/common/answers/votes-of-batch.h"
#include "choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  SlRun *run;
  SlStratify by;
  int column; /* of gold, or of distributions; -1: of annotations, whose votes are counted */
  SlTally tally;
  gsize claimed;
  gint32 *ids; /* room for a batch's */
  gint64 ids_room;
} Strata;

/* The first column of distributions that TABLE has; -1: none. */
static int
find_distributions (const SlTable *table)
{
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && table->spec[c].type == SL_TYPE_LABEL)
      return c;
  return -1;
}

/* FALSE where TABLE, which READER reads, does not have what is asked for. */
static gboolean
strata_init (Strata *strata, SlRun *run, SlReader *reader, SlStratify by, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  *strata = (Strata){ .run = run, .by = by, .column = -1 };
  if (by == SL_STRATIFY_GOLD)
    strata->column = sl_table_column (table, "gold");
  else if (by == SL_STRATIFY_ARGMAX)
    strata->column = find_distributions (table);
  sl_tally_init (&strata->tally, by == SL_STRATIFY_ARGMAX ? table->n_classes : 1);
  if (by == SL_STRATIFY_NONE || strata->column >= 0
      || (by == SL_STRATIFY_ARGMAX && table->kind == &sl_annotations))
    return TRUE;
  return sl_error_bad_input (
      error,
      by == SL_STRATIFY_GOLD
          ? "%s: it has no column 'gold' to stratify by; `softlabel join` brings one"
          : "%s: it has no distributions to stratify by",
      sl_reader_name (reader));
}

static void
strata_clear (Strata *strata)
{
  sl_tally_clear (&strata->tally);
  g_clear_pointer (&strata->ids, g_free);
}

/* What annotations or labels say, with their weights. */
static gboolean
add_evidence (Strata *strata, SlBatch *batch, SlIntern *items, GError **error)
{
  g_auto (SlRowVotes) evidence;
  if (!sl_row_votes_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > strata->ids_room)
    strata->ids = g_renew (gint32, strata->ids, strata->ids_room = evidence.n);
  int threads = strata->run->threads;
  sl_intern_find_column (items, evidence.item, evidence.n, threads, strata->ids);
  if (evidence.label != NULL)
    sl_tally_add_labels (&strata->tally, strata->ids, evidence.n, evidence.label, evidence.weight,
                         threads);
  else
    sl_tally_add_votes (&strata->tally, strata->ids, evidence.n, evidence.vote, evidence.count,
                        threads);
  return TRUE;
}

/* Takes BATCH into account, whose rows are of the items ids[n_rows], by their numbers in ITEMS. */
static gboolean
strata_add (Strata *strata, SlBatch *batch, const gint32 *ids, SlIntern *items, GError **error)
{
  if (strata->by == SL_STRATIFY_NONE)
    return TRUE;
  SlTally *tally = &strata->tally;
  sl_tally_resize (tally, sl_intern_size (items));
  if (!sl_run_claim_up_to (strata->run, &strata->claimed,
                           (gsize) tally->n_items * sl_tally_item_bytes (tally->n_classes),
                           "the class of every item", error))
    return FALSE;
  if (strata->by == SL_STRATIFY_GOLD)
    {
      gint64 wrong
          = sl_tally_add_gold (tally, ids, batch->n_rows, batch->column[strata->column].code);
      return wrong < 0
             || sl_error_row (error, batch->first_row + wrong + 1,
                              "gold is '%s', and was '%s' in a row of the same item before",
                              batch->table->classes[batch->column[strata->column].code[wrong]],
                              batch->table->classes[tally->gold[ids[wrong]]]);
    }
  const SlKind *kind = batch->table->kind;
  if (kind == &sl_annotations || kind == &sl_labels)
    return add_evidence (strata, batch, items, error);
  g_autofree double *weight = g_new (double, MAX (batch->n_rows, 1));
  for (gint64 i = 0; i < batch->n_rows; i++)
    weight[i] = 1;
  sl_tally_add_labels (tally, ids, batch->n_rows, batch->column[strata->column].real, weight,
                       strata->run->threads);
  return TRUE;
}

/* The stratum of ITEM: 0 of items without a class, else 1 and the class. */
static gint32
strata_find (const Strata *strata, gint32 item)
{
  const SlTally *tally = &strata->tally;
  if (strata->by == SL_STRATIFY_NONE)
    return 0;
  if (strata->by == SL_STRATIFY_GOLD)
    return tally->gold[item] + 1;
  const double *sum = tally->sum + (gsize) item * (gsize) tally->n_classes;
  gint32 best = sl_largest (sum, tally->n_classes);
  return sum[best] > 0 ? best + 1 : 0;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Strata, strata_clear)

/* Items that a sample may still be of. Of a sample of N, without strata, only the N with the least
 * keys can be, so that memory does not grow with the table. */
typedef struct
{
  SlRun *run;
  const SlDrawing *drawing;
  int column;
  gint64 most;       /* of the candidates only so many are wanted; 0: all */
  guint64 threshold; /* no key above it can be among them */
  SlIntern *items;
  GArray *keys; /* guint64, of the items */
  Strata strata;
  gsize claimed;
  gsize claimed_to_order; /* all of them, at once */
  gint64 room;            /* rows there is room for */
  guint64 *row_keys;
  gint32 *ids;
} Draw;

static void
draw_clear (Draw *draw)
{
  g_clear_pointer (&draw->items, sl_intern_free);
  g_clear_pointer (&draw->keys, g_array_unref);
  strata_clear (&draw->strata);
  g_free (draw->row_keys);
  g_free (draw->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draw, draw_clear)

static SlIntern *
new_items (const Draw *draw)
{
  SlIntern *items = sl_intern_new ();
  sl_intern_set_threads (items, draw->run->threads);
  return items;
}

/* All candidates, in order: by stratum, by key. */
static SlRanked *
order (Draw *draw, GError **error)
{
  gint64 n = draw->keys->len;
  gsize bytes = (gsize) MAX (n, 1) * sizeof (SlRanked); /* n has 32 bits */
  if (!sl_run_claim_up_to (draw->run, &draw->claimed_to_order, 2 * bytes,
                           "the items to choose from", error))
    return NULL;
  g_autofree SlRanked *ranked = g_try_malloc (bytes), *room = g_try_malloc (bytes);
  if (ranked == NULL || room == NULL)
    {
      sl_error_runtime (error, "not enough memory to hold the items to choose from");
      return NULL;
    }
  for (gint64 i = 0; i < n; i++)
    ranked[i] = (SlRanked){ g_array_index (draw->keys, guint64, i), (gint32) i,
                            strata_find (&draw->strata, (gint32) i) };
  sl_choice_order (ranked, n, draw->items, room);
  return g_steal_pointer (&ranked);
}

/* Lets go of all but the candidates with the least keys. */
static gboolean
prune (Draw *draw, GError **error)
{
  if (draw->most == 0 || (gint64) draw->keys->len < 2 * draw->most + 4096)
    return TRUE;
  g_autofree SlRanked *ranked = order (draw, error);
  if (ranked == NULL)
    return FALSE;
  SlIntern *items = new_items (draw);
  for (gint64 i = 0; i < draw->most; i++)
    {
      (void) sl_intern_copy (items, draw->items, ranked[i].item);
      g_array_index (draw->keys, guint64, i) = ranked[i].key;
    }
  g_array_set_size (draw->keys, (guint) draw->most);
  sl_intern_free (draw->items);
  draw->items = items;
  draw->threshold = ranked[draw->most - 1].key;
  return TRUE;
}

static gboolean
claim (Draw *draw, GError **error)
{
  gsize bytes = sl_intern_bytes (draw->items) + draw->keys->len * sizeof (guint64);
  return sl_run_claim_up_to (draw->run, &draw->claimed, bytes, "the items to choose from", error);
}

static void
add_candidates (Draw *draw, SlText items, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      if (draw->row_keys[i] > draw->threshold)
        continue;
      if ((guint) sl_intern_text (draw->items, items, i) == draw->keys->len)
        g_array_append_val (draw->keys, draw->row_keys[i]);
    }
}

static void
add_all (Draw *draw, SlText items, gint64 n)
{
  sl_intern_column (draw->items, items, n, draw->ids);
  for (gint64 i = 0; i < n; i++)
    if ((guint) draw->ids[i] == draw->keys->len)
      g_array_append_val (draw->keys, draw->row_keys[i]);
}

static gboolean
add_batch (Draw *draw, SlBatch *batch, GError **error)
{
  gint64 n = batch->n_rows;
  SlText items = batch->column[draw->column].text;
  if (n > draw->room)
    {
      draw->room = n;
      draw->row_keys = g_renew (guint64, draw->row_keys, n);
      draw->ids = g_renew (gint32, draw->ids, n);
    }
  sl_choice_keys (draw->run->seed, items, n, draw->run->threads, draw->row_keys);
  if (draw->most > 0)
    add_candidates (draw, items, n);
  else
    add_all (draw, items, n);
  return claim (draw, error) && prune (draw, error)
         && (draw->drawing->stratify == SL_STRATIFY_NONE
             || strata_add (&draw->strata, batch, draw->ids, draw->items, error));
}

/* How many items are wanted of so many; -1 and ERROR where there are too few. */
static gint64
count_wanted (const Draw *draw, gint64 n, GError **error)
{
  const SlDrawing *drawing = draw->drawing;
  gint64 wanted
      = drawing->sample > 0 ? drawing->sample : (gint64) floor (drawing->share * (double) n + 0.5);
  gint64 least = drawing->n_folds > 0 ? drawing->n_folds : wanted;
  if (least <= n)
    return wanted;
  sl_error_bad_input (error,
                      drawing->n_folds > 0
                          ? "%s: has %" G_GINT64_FORMAT " items; --folds %" G_GINT64_FORMAT
                            " needs one for each"
                          : "%s: has %" G_GINT64_FORMAT " items; --sample %" G_GINT64_FORMAT
                            " wants more than there are",
                      sl_reader_name (draw->run->in), n, least);
  return -1;
}

/* What of RANKED[n] is chosen, as chosen[item]. */
static gboolean
choose (const Draw *draw, const SlRanked *ranked, gint64 n, guint8 *chosen, GError **error)
{
  const SlDrawing *drawing = draw->drawing;
  gint64 wanted = count_wanted (draw, n, error);
  if (wanted < 0)
    return FALSE;
  if (drawing->n_folds > 0)
    {
      sl_choice_deal (ranked, n, drawing->n_folds, drawing->fold - 1, chosen);
      return TRUE;
    }
  gint32 n_strata = n > 0 ? ranked[n - 1].stratum + 1 : 1;
  g_autofree gint64 *count = g_new0 (gint64, n_strata);
  g_autofree gint64 *quota = g_new (gint64, n_strata);
  for (gint64 i = 0; i < n; i++)
    count[ranked[i].stratum]++;
  sl_choice_share_out (count, n_strata, wanted, quota);
  sl_choice_take (ranked, n, quota, chosen);
  return TRUE;
}

static SlIntern *
finish (Draw *draw, GError **error)
{
  gint64 n = draw->keys->len;
  g_autofree SlRanked *ranked = order (draw, error);
  g_autofree guint8 *chosen
      = ranked != NULL ? sl_run_alloc0 (draw->run, (gsize) n, 1, "the items to choose from", error)
                       : NULL;
  if (chosen == NULL || !choose (draw, ranked, n, chosen, error))
    return NULL;
  gint64 unknown = 0;
  while (draw->drawing->stratify != SL_STRATIFY_NONE && unknown < n && ranked[unknown].stratum == 0)
    unknown++;
  if (unknown > 0)
    sl_run_warn (draw->run,
                 "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " items have no class; they are a group of their own",
                 unknown, n);
  g_autoptr (SlIntern) items = new_items (draw);
  for (gint32 i = 0; i < (gint32) n; i++)
    if (chosen[i])
      (void) sl_intern_copy (items, draw->items, i);
  return g_steal_pointer (&items);
}

SlIntern *
sl_draw_items (SlRun *run, int column, const SlDrawing *drawing, GError **error)
{
  g_auto (Draw) draw
      = { .run = run, .drawing = drawing, .column = column, .threshold = G_MAXUINT64 };
  if (drawing->sample > 0 && drawing->stratify == SL_STRATIFY_NONE)
    draw.most = drawing->sample;
  draw.items = new_items (&draw);
  draw.keys = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (!strata_init (&draw.strata, run, run->in, drawing->stratify, error))
    return NULL;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = add_batch (&draw, batch, error);
  return ok ? finish (&draw, error) : NULL;
}
