/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drawing.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/tally.h"
#include "stages/common/answers/votes-of-batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which items are chosen ---- */

/* Which items are chosen: a function of the seed and of the set of items, whatever their order.
 *
 * An item's key is a random number of 64 bits that (seed, item) tells. A sample of N is the N items
 * with the least keys, so that a smaller sample is part of a larger one, and the sample of a whole
 * table is the sample of the samples of its parts (bottom-k sampling: E. Cohen, H. Kaplan,
 * "Summarizing data using bottom-k sketches", PODC 2007). */

enum
{
  BLOCK = 16384, /* items whose keys are one task */
};

static inline guint64
key_of (guint64 seed, guint32 purpose, const char *item, gsize length)
{
  SlRandom random = sl_random (seed, purpose, sl_text_hash (item, length), 0, 0);
  return sl_random_u64 (&random);
}

guint64
sl_choice_key (guint64 seed, const char *item, gsize length)
{
  return key_of (seed, sl_random_purpose ("select"), item, length);
}

typedef struct
{
  guint64 seed;
  guint32 purpose;
  SlText items;
  gint64 n;
  guint64 *keys;
} Keys;

static void
find_keys (int t, gpointer data)
{
  const Keys *all = data;
  gint64 first = (gint64) t * BLOCK, end = MIN (all->n, first + BLOCK);
  const char *before = NULL;
  gsize before_length = 0;
  for (gint64 i = first; i < end; i++)
    {
      gsize length;
      const char *item = sl_text_get (all->items, i, &length);
      gboolean again
          = before != NULL && length == before_length && memcmp (item, before, length) == 0;
      all->keys[i] = again ? all->keys[i - 1] : key_of (all->seed, all->purpose, item, length);
      before = item;
      before_length = length;
    }
}

void
sl_choice_keys (guint64 seed, SlText items, gint64 n, int threads, guint64 *keys)
{
  Keys all = { seed, sl_random_purpose ("select"), items, n, keys };
  sl_parallel (threads, (int) ((n + BLOCK - 1) / BLOCK), find_keys, &all);
}

static int
compare_names (const SlIntern *names, gint32 a, gint32 b)
{
  gsize n_a, n_b;
  const char *x = sl_intern_get (names, a, &n_a), *y = sl_intern_get (names, b, &n_b);
  int order = memcmp (x, y, MIN (n_a, n_b));
  return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer names)
{
  const SlRanked *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return compare_names (names, x->item, y->item);
}

/* Keys are even over all of 64 bits: bins by their first bits have a few dozen each, which are in
 * the cache. Then each bin goes, in order, to its strata. */
#define BIN_BITS 16
#define N_BINS (1 << BIN_BITS)

static gint32
stratum_of (const SlRanked *ranked)
{
  return ranked->stratum;
}

static gint32
bin_of (const SlRanked *ranked)
{
  return (gint32) (ranked->key >> (64 - BIN_BITS));
}

/* to[n] <- FROM by its group, of N_GROUPS, in the order it has in each; end[n_groups] <- where each
 * ends. */
static void
sort_by (gint32 (*group_of) (const SlRanked *), const SlRanked *from, gint64 n, gint32 n_groups,
         SlRanked *to, gint64 *end)
{
  for (gint32 g = 0; g < n_groups; g++)
    end[g] = 0;
  for (gint64 i = 0; i < n; i++)
    end[group_of (&from[i])]++;
  gint64 before = 0;
  for (gint32 g = 0; g < n_groups; g++)
    {
      gint64 size = end[g];
      end[g] = before;
      before += size;
    }
  for (gint64 i = 0; i < n; i++)
    to[end[group_of (&from[i])]++] = from[i];
}

void
sl_choice_order (SlRanked *ranked, gint64 n, const SlIntern *names, SlRanked *room)
{
  gint32 n_strata = 1;
  for (gint64 i = 0; i < n; i++)
    n_strata = MAX (n_strata, ranked[i].stratum + 1);
  g_autofree gint64 *end = g_new (gint64, MAX (N_BINS, n_strata));
  sort_by (bin_of, ranked, n, N_BINS, room, end);
  for (gint32 b = 0; b < N_BINS; b++)
    {
      gint64 first = b > 0 ? end[b - 1] : 0;
      qsort_r (room + first, (gsize) (end[b] - first), sizeof *room, compare, (gpointer) names);
    }
  sort_by (stratum_of, room, n, n_strata, ranked, end);
}

typedef struct
{
  guint64 remainder;
  gint32 stratum;
} Remainder;

static int
compare_remainders (gconstpointer a, gconstpointer b)
{
  const Remainder *x = a, *y = b;
  if (x->remainder != y->remainder)
    return x->remainder > y->remainder ? -1 : 1;
  return x->stratum < y->stratum ? -1 : 1;
}

/* With n = Σ count, stratum s gets floor (wanted count_s / n); what is left over goes, one each, to
 * the strata that lost most by the rounding (Hamilton's method). */
void
sl_choice_share_out (const gint64 *count, gint32 n_strata, gint64 wanted, gint64 *quota)
{
  guint64 n = 0;
  for (gint32 s = 0; s < n_strata; s++)
    n += (guint64) count[s];
  g_assert (n == 0 || (guint64) wanted <= n);
  g_autofree Remainder *left = g_new (Remainder, MAX (n_strata, 1));
  gint64 shared = 0;
  for (gint32 s = 0; s < n_strata; s++)
    {
      guint64 product = (guint64) wanted * (guint64) count[s];
      quota[s] = n > 0 ? (gint64) (product / n) : 0;
      left[s] = (Remainder){ n > 0 ? product % n : 0, s };
      shared += quota[s];
    }
  qsort (left, (gsize) n_strata, sizeof *left, compare_remainders);
  for (gint32 i = 0; shared < wanted; i++, shared++)
    quota[left[i].stratum]++;
}

void
sl_choice_take (const SlRanked *ranked, gint64 n, const gint64 *quota, guint8 *chosen)
{
  gint64 first = 0; /* of the stratum */
  for (gint64 i = 0; i < n; i++)
    {
      if (i > 0 && ranked[i].stratum != ranked[i - 1].stratum)
        first = i;
      if (i - first < quota[ranked[i].stratum])
        chosen[ranked[i].item] = 1;
    }
}

void
sl_choice_deal (const SlRanked *ranked, gint64 n, gint64 n_folds, gint64 fold, guint8 *chosen)
{
  for (gint64 i = fold; i < n; i += n_folds)
    chosen[ranked[i].item] = 1;
}

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
      gsize length;
      const char *name = sl_intern_get (draw->items, ranked[i].item, &length);
      (void) sl_intern (items, name, length);
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
      gsize length;
      const char *item = sl_text_get (items, i, &length);
      if ((guint) sl_intern (draw->items, item, length) == draw->keys->len)
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
      {
        gsize length;
        const char *name = sl_intern_get (draw->items, i, &length);
        (void) sl_intern (items, name, length);
      }
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
