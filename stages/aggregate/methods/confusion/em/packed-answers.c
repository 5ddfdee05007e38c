/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "packed-answers.h"

#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"
#include "pipeline/base/vector-math.h"
#include "stages/common/answers/answer-rows.h"

#include <stdlib.h>
#include <string.h>

/* Rows are read in so many equal ranges, and items sorted in about so many buckets, or more, of at
 * most 2^16 items: neither shows in the result. */
#define RANGES 64
#define BUCKETS 512
#define BUCKET_SHIFT 16

typedef struct
{
  SlPackedAnswers *packed;
  const SlAnswers *answers;
  const guint32 *cell; /* [answers->n_answers]: in place of their annotators and votes; or NULL */
  int bucket_shift;    /* a bucket has 2^bucket_shift items */
  int n_buckets;
  gboolean unsorted[RANGES];
  gint64 *at;     /* [RANGES][n_buckets]: where the range's next answer of each bucket goes */
  gint64 *bucket; /* [n_buckets + 1]: the first answer of each */
  /* [n_answers]: once packed->cell is in order of the buckets, each answer's item, counted from the
   * bucket's first; NULL: the rows are in the order of the items */
  guint16 *item;
  GArray **stretches; /* [n_buckets] */
} Packing;

/* The cell of the vote in row J, or for distributions that of its annotator and the first class. */
static inline guint32
packing_cell (const Packing *packing, gint64 j)
{
  const SlAnswers *answers = packing->answers;
  if (packing->cell != NULL)
    return packing->cell[j];
  guint32 first = (guint32) answers->annotator[j] * (guint32) packing->packed->n_classes;
  return answers->distribution == NULL ? first + (guint32) answers->answer[j] : first;
}

/* ---- from buckets of items to chunks ---- */

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return SL_COMPARE (x, y);
}

/* Items with so many answers or more are sorted by comparing, all others by counting. */
#define MANY 256

/* Lists the N items of a chunk in item[], by their number of answers; items with equally many
 * stay in order. */
static void
sort_chunk (gint32 n, const gint32 *answers, guint16 *item, guint64 *key)
{
  gint32 place[MANY + 1] = { 0 };
  for (gint32 i = 0; i < n; i++)
    place[MIN (answers[i], MANY - 1) + 1]++;
  for (int d = 0; d < MANY; d++)
    place[d + 1] += place[d];
  gint32 first_many = place[MANY - 1];
  for (gint32 i = 0; i < n; i++)
    item[place[MIN (answers[i], MANY - 1)]++] = (guint16) i;
  for (gint32 i = first_many; i < n; i++)
    key[i] = (guint64) answers[item[i]] << 16 | item[i];
  if (first_many < n)
    qsort (key + first_many, (gsize) (n - first_many), sizeof *key, compare_keys);
  for (gint32 i = first_many; i < n; i++)
    item[i] = (guint16) key[i];
}

static void
add_stretches (gint32 n, const gint32 *answers, const guint16 *item, GArray *stretches)
{
  SlStretch stretch = { answers[item[0]], 0 };
  for (gint32 i = 0; i < n; i++)
    {
      if (answers[item[i]] != stretch.answers)
        {
          g_array_append_val (stretches, stretch);
          stretch = (SlStretch){ answers[item[i]], 0 };
        }
      stretch.items++;
    }
  g_array_append_val (stretches, stretch);
}

/* How many answers each of the N items from FIRST on has, and the first row of them, where rows
 * are in the items' order. */
static void
find_rows (const Packing *packing, gint64 begin, gint64 end, gint32 first, gint32 n,
           gint32 *answers, gint64 *row)
{
  const gint32 *item = packing->answers->item;
  for (gint64 j = begin; j < end; j++)
    row[item[j] - first] = j + 1;
  gint64 before = begin;
  for (gint32 i = 0; i < n; i++)
    {
      gint64 after = MAX (row[i], before);
      answers[i] = (gint32) (after - before);
      row[i] = before;
      before = after;
    }
}

typedef struct
{
  guint32 cell;
  double weight;
} Entry;

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  return SL_COMPARE (x->cell, y->cell) ?: SL_COMPARE (x->weight, y->weight);
}

static void
sort_entries (guint32 *cell, double *weight, gint32 n)
{
  g_autofree Entry *entry = g_new (Entry, n);
  for (gint32 j = 0; j < n; j++)
    entry[j] = (Entry){ cell[j], weight != NULL ? weight[j] : 1 };
  qsort (entry, (gsize) n, sizeof *entry, compare_entries);
  for (gint32 j = 0; j < n; j++)
    {
      cell[j] = entry[j].cell;
      if (weight != NULL)
        weight[j] = entry[j].weight;
    }
}

static void
sort_cells (guint32 *cell, gint32 n)
{
  for (gint32 j = 1; j < n; j++)
    {
      guint32 one = cell[j];
      gint32 at = j;
      for (; at > 0 && cell[at - 1] > one; at--)
        cell[at] = cell[at - 1];
      cell[at] = one;
    }
}

#define FEW 32 /* answers to an item that are sorted without a call */
#define SIDE 8 /* items with equally many answers that are sorted side by side, without branches */

typedef guint32 Side __attribute__ ((vector_size (4 * SIDE)));

/* SIDE items with N answers each: insertion, of each place in all of them. */
SL_INLINE void
sort_side (guint32 *cell, gint32 n)
{
  union
  {
    guint32 one[SIDE];
    Side all;
  } row[FEW];
  for (gint32 i = 0; i < SIDE; i++)
    for (gint32 j = 0; j < n; j++)
      row[j].one[i] = cell[i * n + j];
  for (gint32 j = 1; j < n; j++)
    for (gint32 at = j; at > 0; at--)
      {
        Side low = row[at - 1].all, high = row[at].all, less = (Side) (high < low);
        row[at - 1].all = (high & less) | (low & ~less);
        row[at].all = (low & less) | (high & ~less);
      }
  for (gint32 i = 0; i < SIDE; i++)
    for (gint32 j = 0; j < n; j++)
      cell[i * n + j] = row[j].one[i];
}

/* The answers of N_ITEMS items, one behind the other from FIRST on, each item's by their cells;
 * mostly the next item has as many. Those that are not to be spent have been sorted before. */
SL_VECTORS static void
sort_answers (const Packing *packing, gint64 first, gint32 n_items, const gint32 *answers,
              const guint16 *item)
{
  if (packing->cell == NULL)
    return;
  guint32 *cell = packing->packed->cell + first;
  double *weight = packing->packed->weight != NULL ? packing->packed->weight + first : NULL;
  for (gint32 i = 0, alike; i < n_items; i += alike)
    {
      gint32 n = answers[item[i]];
      alike = 1;
      while (alike < SIDE && i + alike < n_items && answers[item[i + alike]] == n)
        alike++;
      if (alike == SIDE && n <= FEW && weight == NULL)
        sort_side (cell, n);
      else
        for (gint32 each = 0; each < alike; each++)
          if (n > FEW || weight != NULL)
            sort_entries (cell + each * n, weight != NULL ? weight + each * n : NULL, n);
          else
            sort_cells (cell + each * n, n);
      cell += alike * n;
      weight = weight != NULL ? weight + alike * n : NULL;
    }
}

/* Rows that are in the items' order to their places; returns the place after them. */
static gint64
place_rows (const Packing *packing, gint32 n, const gint32 *answers, const gint64 *row,
            const guint16 *item, gint64 place)
{
  const SlAnswers *rows = packing->answers;
  SlPackedAnswers *packed = packing->packed;
  for (gint32 i = 0; i < n; i++)
    {
      gint64 from = row[item[i]];
      gint32 n_here = answers[item[i]];
      for (gint32 j = 0; j < n_here; j++)
        packed->cell[place + j] = packing_cell (packing, from + j);
      for (gint32 j = 0; packed->weight != NULL && j < n_here; j++)
        packed->weight[place + j] = rows->count[from + j];
      place += n_here;
    }
  return place;
}

/* Where the answers of each of the N items go; returns the place after them. */
static gint64
plan_places (gint32 n, const gint32 *answers, gint64 *at, const guint16 *item, gint64 place)
{
  for (gint32 i = 0; i < n; i++)
    {
      at[item[i]] = place;
      place += answers[item[i]];
    }
  return place;
}

/* Answers BEGIN .. END - 1 from the order of the rows to places AT of their items. */
static void
move_answers (const Packing *packing, gint64 begin, gint64 end, gint64 *at)
{
  SlPackedAnswers *packed = packing->packed;
  gsize n = (gsize) (end - begin);
  const guint16 *item = packing->item + begin;
  g_autofree guint32 *cell = g_memdup2 (packed->cell + begin, n * sizeof *cell);
  g_autofree double *weight
      = packed->weighted ? g_memdup2 (packed->weight + begin, n * sizeof *weight) : NULL;
  for (gsize j = 0; j < n; j++)
    {
      gint64 to = at[item[j]]++;
      packed->cell[to] = cell[j];
      if (weight != NULL)
        packed->weight[to] = weight[j];
    }
}

/* Puts the answers of a bucket's items in their places. A task for sl_parallel(). */
static void
arrange_bucket (int b, gpointer data)
{
  Packing *packing = data;
  SlPackedAnswers *packed = packing->packed;
  gint32 first = b << packing->bucket_shift,
         n = MIN (1 << packing->bucket_shift, packed->n_items - first);
  gint64 begin = packing->bucket[b], end = packing->bucket[b + 1], place = begin;
  gboolean in_order = packing->item == NULL;
  g_autofree gint64 *at = g_new0 (gint64, n);
  g_autofree gint32 *answers = g_new0 (gint32, n);
  g_autofree guint64 *key = g_new (guint64, packed->chunk);
  if (in_order)
    find_rows (packing, begin, end, first, n, answers, at);
  else
    for (gint64 j = begin; j < end; j++)
      answers[packing->item[j]]++;
  for (gint32 i = 0; i < n; i += packed->chunk)
    {
      gint32 c = (first + i) / packed->chunk, n_here = MIN (packed->chunk, n - i);
      guint before = packing->stretches[b]->len;
      guint16 *item = packed->item + first + i;
      sort_chunk (n_here, answers + i, item, key);
      add_stretches (n_here, answers + i, item, packing->stretches[b]);
      packed->start[c] = place;
      packed->stretch_start[c] = packing->stretches[b]->len - before; /* their number, for now */
      place = in_order ? place_rows (packing, n_here, answers + i, at + i, item, place)
                       : plan_places (n_here, answers + i, at + i, item, place);
    }
  if (!in_order)
    move_answers (packing, begin, end, at);
  for (gint32 i = 0; i < n; i += packed->chunk)
    sort_answers (packing, packed->start[(first + i) / packed->chunk], MIN (packed->chunk, n - i),
                  answers + i, packed->item + first + i);
}

/* The stretches of all buckets, in one array. */
static void
join_stretches (Packing *packing)
{
  SlPackedAnswers *packed = packing->packed;
  gint64 n = 0;
  for (gint32 c = 0; c < packed->n_chunks; c++)
    {
      gint64 here = packed->stretch_start[c];
      packed->stretch_start[c] = n;
      n += here;
    }
  packed->stretch_start[packed->n_chunks] = n;
  packed->stretch = g_new (SlStretch, n);
  SlStretch *to = packed->stretch;
  for (int b = 0; b < packing->n_buckets; b++)
    {
      const GArray *from = packing->stretches[b];
      memcpy (to, from->data, from->len * sizeof *to);
      to += from->len;
    }
}

/* ---- from rows to buckets of items ---- */

static gint64
range_start (const SlAnswers *answers, int range)
{
  return (gint64) ((__int128) answers->n_answers * range / RANGES);
}

static void
check_order (int range, gpointer data)
{
  Packing *packing = data;
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
      guint32 cell = packing_cell (packing, j);                                                    \
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
  Packing *packing = data;
  gint64 *at = packing->at + (gsize) range * (gsize) packing->n_buckets;
#define COUNT(bucket, item, cell, weight)                                                          \
  ((void) (item), (void) (cell), (void) (weight), at[bucket]++)
  FOR_EACH_ENTRY (packing, range, COUNT)
}

static void
place_entries (int range, gpointer data)
{
  Packing *packing = data;
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
add_up_buckets (Packing *packing)
{
  gint64 sum = 0;
  for (int b = 0; b < packing->n_buckets; b++)
    {
      packing->bucket[b] = sum;
      for (int r = 0; r < RANGES; r++)
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
find_buckets (Packing *packing, int threads)
{
  const SlAnswers *answers = packing->answers;
  gboolean in_order = answers->distribution == NULL;
  sl_parallel (threads, RANGES, check_order, packing);
  for (int r = 0; r < RANGES; r++)
    in_order &= !packing->unsorted[r];
  if (in_order)
    for (int b = 0; b <= packing->n_buckets; b++)
      packing->bucket[b] = find_row (answers, (gint64) b << packing->bucket_shift);
  else
    {
      packing->at = g_new0 (gint64, RANGES * (gsize) packing->n_buckets);
      sl_parallel (threads, RANGES, count_entries, packing);
      add_up_buckets (packing);
    }
  return in_order;
}

static void
packing_clear (Packing *packing)
{
  g_free (packing->at);
  g_free (packing->bucket);
  free (packing->item);
  for (int b = 0; b < packing->n_buckets; b++)
    g_array_unref (packing->stretches[b]);
  g_free (packing->stretches);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Packing, packing_clear)

static void
plan_buckets (Packing *packing)
{
  const SlPackedAnswers *packed = packing->packed;
  packing->bucket_shift = __builtin_ctz ((guint) packed->chunk);
  while (packing->bucket_shift < BUCKET_SHIFT
         && (packed->n_items - 1) >> packing->bucket_shift >= BUCKETS)
    packing->bucket_shift++;
  packing->n_buckets
      = packed->n_items == 0 ? 0 : ((packed->n_items - 1) >> packing->bucket_shift) + 1;
  packing->bucket = g_new0 (gint64, packing->n_buckets + 1);
  packing->stretches = g_new (GArray *, MAX (packing->n_buckets, 1));
  for (int b = 0; b < packing->n_buckets; b++)
    packing->stretches[b] = g_array_new (FALSE, FALSE, sizeof (SlStretch));
}

static gboolean
pack (Packing *packing, int threads, GError **error)
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
      sl_parallel (threads, RANGES, place_entries, packing);
    }
  sl_parallel (threads, packing->n_buckets, arrange_bucket, packing);
  join_stretches (packing);
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
  g_auto (Packing) packing = { .packed = packed, .answers = answers };
  if (!pack (&packing, threads, error))
    return FALSE;
  return (gint64) n_cells <= packed->n_answers || sl_packed_answers_drop_cells (packed, error);
}
