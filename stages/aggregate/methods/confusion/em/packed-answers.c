/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"
#include "stages/common/answers/answer-rows.h"
#include "packing.h"

#include <stdlib.h>
#include <string.h>

static gint64
range_start (const SlAnswers *answers, int range)
{
  return (gint64) ((__int128) answers->n_answers * range / SL_RANGES);
}

static void
check_order (int range, gpointer data)
{
  SlPacking *packing = data;
  const gint32 *item = packing->answers->item;
  gint64 end = range_start (packing->answers, range + 1);
  gboolean unsorted = FALSE;
  for (gint64 j = MAX (range_start (packing->answers, range), 1); j < end; j++)
    unsorted |= item[j] < item[j - 1];
  packing->unsorted[range] = unsorted;
}

/* Calls EACH (bucket, item, cell, weight) for every vote in the rows of a range. */
#define FOR_EACH_ENTRY(packing, range, each)                                                       \
  for (gint64 j = range_start ((packing)->answers, range),                                         \
              end = range_start ((packing)->answers, (range) + 1);                                 \
       j < end; j++)                                                                               \
    {                                                                                              \
      const SlAnswers *rows = (packing)->answers;                                                  \
      gint32 n_classes = (packing)->packed->n_classes, item = rows->item[j],                       \
             bucket = item >> (packing)->bucket_shift;                                             \
      guint32 cell = sl_packing_cell (packing, j);                                                 \
      double count = rows->count != NULL ? rows->count[j] : 1;                                     \
      if (rows->distribution == NULL)                                                              \
        each (bucket, item, cell, count);                                                          \
      else                                                                                         \
        for (gint32 k = 0; k < n_classes; k++)                                                     \
          if (rows->distribution[j * n_classes + k] > 0)                                           \
            each (bucket, item, cell + (guint32) k,                                                \
                  rows->distribution[j * n_classes + k] * count);                                  \
    }

static void
count_entries (int range, gpointer data)
{
  SlPacking *packing = data;
  gint64 *at = packing->at + (gsize) range * (gsize) packing->n_buckets;
#define COUNT(bucket, item, cell, weight)                                                          \
  ((void) (item), (void) (cell), (void) (weight), at[bucket]++)
  FOR_EACH_ENTRY (packing, range, COUNT)
}

static void
place_entries (int range, gpointer data)
{
  SlPacking *packing = data;
  SlPackedAnswers *packed = packing->packed;
  gint64 *at = packing->at + (gsize) range * (gsize) packing->n_buckets;
  gint32 within = (1 << packing->bucket_shift) - 1;
#define PLACE(b, i, c, w)                                                                          \
  do                                                                                               \
    {                                                                                              \
      gint64 place = at[b]++;                                                                      \
      packed->cell[place] = c;                                                                     \
      packing->item[place] = (guint16) ((i) &within);                                              \
      if (packed->weight != NULL)                                                                  \
        packed->weight[place] = w;                                                                 \
    }                                                                                              \
  while (0)
  FOR_EACH_ENTRY (packing, range, PLACE)
}

/* Where the entries of each bucket begin: for rows in order, by looking for its first item. */
static gint64
find_row (const SlAnswers *answers, gint64 item)
{
  gint64 low = 0, high = answers->n_answers;
  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;
      if (answers->item[middle] < item)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_up_buckets (SlPacking *packing)
{
  gint64 sum = 0;
  for (int b = 0; b < packing->n_buckets; b++)
    {
      packing->bucket[b] = sum;
      for (int r = 0; r < SL_RANGES; r++)
        {
          gint64 *at = &packing->at[(gsize) r * (gsize) packing->n_buckets + (gsize) b], n = *at;
          *at = sum;
          sum += n;
        }
    }
  packing->bucket[packing->n_buckets] = sum;
}

/* Where the answers of each bucket begin. Returns whether the rows are in the items' order and can
 * be read where they are. */
static gboolean
find_buckets (SlPacking *packing, int threads)
{
  const SlAnswers *answers = packing->answers;
  gboolean in_order = answers->distribution == NULL;
  sl_parallel (threads, SL_RANGES, check_order, packing);
  for (int r = 0; r < SL_RANGES; r++)
    in_order &= !packing->unsorted[r];
  if (in_order)
    for (int b = 0; b <= packing->n_buckets; b++)
      packing->bucket[b] = find_row (answers, (gint64) b << packing->bucket_shift);
  else
    {
      packing->at = g_new0 (gint64, SL_RANGES * (gsize) packing->n_buckets);
      sl_parallel (threads, SL_RANGES, count_entries, packing);
      add_up_buckets (packing);
    }
  return in_order;
}

static void
packing_clear (SlPacking *packing)
{
  g_free (packing->at);
  g_free (packing->bucket);
  free (packing->item);
  for (int b = 0; b < packing->n_buckets; b++)
    g_array_unref (packing->stretches[b]);
  g_free (packing->stretches);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPacking, packing_clear)

static void
plan_buckets (SlPacking *packing)
{
  const SlPackedAnswers *packed = packing->packed;
  packing->bucket_shift = __builtin_ctz ((guint) packed->chunk);
  while (packing->bucket_shift < SL_BUCKET_SHIFT
         && (packed->n_items - 1) >> packing->bucket_shift >= SL_BUCKETS)
    packing->bucket_shift++;
  packing->n_buckets
      = packed->n_items == 0 ? 0 : ((packed->n_items - 1) >> packing->bucket_shift) + 1;
  packing->bucket = g_new0 (gint64, packing->n_buckets + 1);
  packing->stretches = g_new (GArray *, MAX (packing->n_buckets, 1));
  for (int b = 0; b < packing->n_buckets; b++)
    packing->stretches[b] = g_array_new (FALSE, FALSE, sizeof (SlStretch));
}

static gboolean
pack (SlPacking *packing, int threads, GError **error)
{
  SlPackedAnswers *packed = packing->packed;
  gint32 chunks = packed->n_chunks;
  SlCollected *spend = packing->answers->spend;
  plan_buckets (packing);
  gboolean in_order = find_buckets (packing, threads);
  gsize n = (gsize) packing->bucket[packing->n_buckets];
  if (spend != NULL)
    packing->cell = sl_collected_merge (spend);
  packed->n_answers = (gint64) n;
  packed->start = g_new0 (gint64, chunks + 1);
  packed->start[chunks] = packed->n_answers;
  packed->stretch_start = g_new0 (gint64, chunks + 1);
  packed->item = g_new (guint16, MAX (packed->n_items, 1));
  packed->cell = sl_aligned_new (n, 1, sizeof *packed->cell, "the answers", error);
  if (packed->cell == NULL)
    return FALSE;
  if (packed->weighted)
    packed->weight = sl_aligned_new (n, 1, sizeof (double), "the answers' weights", error);
  if (packed->weighted && packed->weight == NULL)
    return FALSE;
  if (!in_order)
    {
      packing->item = sl_aligned_new (n, 1, sizeof *packing->item, "the answers' items", error);
      if (packing->item == NULL)
        return FALSE;
      sl_parallel (threads, SL_RANGES, place_entries, packing);
    }
  sl_parallel (threads, packing->n_buckets, sl_arrange_bucket, packing);
  sl_join_stretches (packing);
  if (spend != NULL)
    sl_collected_drop (spend);
  return TRUE;
}

gboolean
sl_packed_answers_init (SlPackedAnswers *packed, const SlItems *items, const SlAnswers *answers,
                        gint32 chunk, int threads, GError **error)
{
  *packed = (SlPackedAnswers){
    .n_items = items->n_items,
    .n_classes = items->n_classes,
    .n_annotators = answers->n_annotators,
    .chunk = chunk,
    .n_chunks = items->n_items / chunk + (items->n_items % chunk > 0),
    .weighted = answers->count != NULL || answers->distribution != NULL,
  };
  guint64 n_cells = (guint64) answers->n_annotators * (guint64) items->n_classes;
  if (n_cells >= G_MAXUINT32)
    return sl_error_runtime (error, "%d annotators of %d classes: more than 2^32 in all",
                             answers->n_annotators, items->n_classes);
  packed->n_cells = (guint32) n_cells;
  g_auto (SlPacking) packing = { .packed = packed, .answers = answers };
  if (!pack (&packing, threads, error))
    return FALSE;
  return (gint64) n_cells <= packed->n_answers || sl_packed_answers_drop_cells (packed, error);
}
