/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With several threads, each owns some items and adds all their rows, so that no sum depends on
 * which thread came first. Items lie at random in memory that no cache holds: the sums of a row
 * a little ahead are fetched while those of this row are added. */
#include "tally.h"

#include "pipeline/base/large-pages.h"
#include "pipeline/base/parallel.h"

#include <string.h>

enum
{
  AHEAD = 12,            /* rows */
  CACHE_LINE = 64,       /* bytes */
  BLOCK = 16384,         /* rows whose owner is found at a time */
  ALONE = 4096,          /* rows fewer than which are not worth waking threads for */
  SPARE_BYTES = 1 << 20, /* room for items to come */
};

void
sl_tally_init (SlTally *tally, gint32 n_classes)
{
  *tally = (SlTally){ .n_classes = n_classes };
}

/* Room and classes have 31 bits each. */
static gsize
sum_bytes (const SlTally *tally)
{
  return tally->room * (gsize) tally->n_classes * sizeof (double);
}

static gsize
weight_bytes (const SlTally *tally)
{
  return tally->room * sizeof (double);
}

static gsize
rest_bytes (const SlTally *tally)
{
  return tally->rest != NULL ? sum_bytes (tally) + weight_bytes (tally) : 0;
}

void
sl_tally_clear (SlTally *tally)
{
  sl_memory_free (tally->rest, rest_bytes (tally));
  sl_memory_free (tally->sum, sum_bytes (tally));
  sl_memory_free (tally->weight, weight_bytes (tally));
  g_free (tally->gold);
  sl_tally_init (tally, tally->n_classes);
}

gsize
sl_tally_item_bytes (gint32 n_classes)
{
  return sizeof (double) * ((gsize) n_classes + 1) + sizeof (gint32);
}

void
sl_tally_resize (SlTally *tally, gint32 n_items)
{
  gsize n = (gsize) n_items, before = (gsize) tally->n_items, n_classes = (gsize) tally->n_classes;
  if (n > tally->room)
    {
      /* Pages that are not used yet take no memory; but where an item is large, there are to be
       * few. */
      gsize more = MAX (SPARE_BYTES / sl_tally_item_bytes (tally->n_classes), 1);
      gsize sums = sum_bytes (tally), weights = weight_bytes (tally), rest = rest_bytes (tally);
      tally->room = MAX (n, tally->room + tally->room / 2 + more);
      tally->sum = sl_memory_grow (tally->sum, sums, sum_bytes (tally));
      tally->weight = sl_memory_grow (tally->weight, weights, weight_bytes (tally));
      if (tally->exact)
        tally->rest = sl_memory_grow (tally->rest, rest, sum_bytes (tally) + weight_bytes (tally));
      tally->gold = g_renew (gint32, tally->gold, tally->room);
    }
  if (n <= before)
    return;
  memset (tally->sum + before * n_classes, 0, (n - before) * n_classes * sizeof (double));
  memset (tally->weight + before, 0, (n - before) * sizeof (double));
  if (tally->exact)
    memset (tally->rest + before * (n_classes + 1), 0,
            (n - before) * (n_classes + 1) * sizeof (double));
  memset (tally->gold + before, 0xff, (n - before) * sizeof (gint32));
  tally->n_items = n_items;
}

typedef struct
{
  const guint32 *from;
  guint32 *to;
  gsize words; /* of an item */
  const gint32 *order;
  gint32 n;
} Move;

enum
{
  MOVED = 65536 /* items at a time */
};

/* Rows of 4-byte words, of WORDS of them, or if that is 0, of any number. */
static inline void
move_words (const Move *move, gint32 from, gint32 to, gsize words)
{
  gsize n = words > 0 ? words : move->words;
  for (gint32 i = from; i < to; i++)
    {
      const guint32 *row = move->from + (gsize) move->order[i] * n;
      for (gsize w = 0; w < n; w++)
        move->to[(gsize) i * n + w] = row[w];
    }
}

static void
move_share (int share, gpointer data)
{
  const Move *move = data;
  gint32 from = share * MOVED, to = MIN (move->n, from + MOVED);
  if (move->words == 1)
    move_words (move, from, to, 1);
  else if (move->words == 2)
    move_words (move, from, to, 2);
  else if (move->words == 4)
    move_words (move, from, to, 4);
  else
    move_words (move, from, to, 0);
}

/* FROM's items, of SIZE bytes each, in another order, in room for tally->n_items of them. */
static gpointer
move_items (const SlTally *tally, gconstpointer from, gpointer to, gsize size, const gint32 *order,
            int threads)
{
  Move move = { from, to, size / sizeof (guint32), order, tally->n_items };
  sl_parallel (threads, tally->n_items / MOVED + 1, move_share, &move);
  return to;
}

static gboolean
knows_gold (const SlTally *tally)
{
  for (gint32 i = 0; i < tally->n_items; i++)
    if (tally->gold[i] >= 0)
      return TRUE;
  return FALSE;
}

void
sl_tally_reorder (SlTally *tally, const gint32 *order, int threads)
{
  gsize n = (gsize) tally->n_items, row = (gsize) tally->n_classes * sizeof (double);
  double *sum = move_items (tally, tally->sum, sl_memory_new (n * row), row, order, threads);
  sl_memory_free (tally->sum, sum_bytes (tally));
  double *weight = move_items (tally, tally->weight, sl_memory_new (n * sizeof *weight),
                               sizeof *weight, order, threads);
  sl_memory_free (tally->weight, weight_bytes (tally));
  if (knows_gold (tally))
    {
      gint32 *gold
          = move_items (tally, tally->gold, g_new (gint32, n), sizeof *gold, order, threads);
      g_free (tally->gold);
      tally->gold = gold;
    }
  sl_memory_free (tally->rest, rest_bytes (tally));
  tally->rest = NULL;
  tally->sum = sum;
  tally->weight = weight;
  tally->room = n;
}

typedef struct
{
  SlTally *tally;
  const gint32 *item;
  gint64 n;
  const double *label, *weight;
  const gint32 *vote;
  const gint64 *count;
  int threads;
} Rows;

static inline void
prefetch (const double *memory, gsize bytes, int for_writing)
{
  for (gsize at = 0; at < bytes; at += CACHE_LINE)
    if (for_writing)
      __builtin_prefetch ((const char *) memory + at, 1);
    else
      __builtin_prefetch ((const char *) memory + at, 0);
}

/* SUM and REST += VALUE, exactly but for what REST loses (Knuth, The Art of Computer Programming 2,
 * section 4.2.2). */
static inline void
add_exactly (double *sum, double *rest, double value)
{
  double all = *sum + value, added = all - *sum;
  *rest += (*sum - (all - added)) + (value - added);
  *sum = all;
}

/* Rows list[n] of ROWS. */
static void
add_labels (const Rows *rows, const gint64 *list, gint64 n)
{
  SlTally *tally = rows->tally;
  gsize n_classes = (gsize) tally->n_classes, bytes = n_classes * sizeof (double);
  for (gint64 j = 0; j < n; j++)
    {
      if (j + AHEAD < n)
        {
          gsize next = (gsize) list[j + AHEAD], next_item = (gsize) rows->item[next];
          prefetch (tally->sum + next_item * n_classes, bytes, 1);
          if (tally->exact)
            prefetch (tally->rest + next_item * (n_classes + 1), bytes + sizeof (double), 1);
          prefetch (tally->weight + next_item, sizeof (double), 1);
          prefetch (rows->label + next * n_classes, bytes, 0);
        }
      gsize i = (gsize) list[j], item = (gsize) rows->item[i];
      double *restrict sum = tally->sum + item * n_classes;
      const double *label = rows->label + i * n_classes;
      double weight = rows->weight[i];
      if (!tally->exact)
        {
          for (gsize k = 0; k < n_classes; k++)
            sum[k] += weight * label[k];
          tally->weight[item] += weight;
          continue;
        }
      double *restrict rest = tally->rest + item * (n_classes + 1);
      for (gsize k = 0; k < n_classes; k++)
        add_exactly (&sum[k], &rest[k], weight * label[k]);
      add_exactly (&tally->weight[item], &rest[n_classes], weight);
    }
}

static void
add_votes (const Rows *rows, const gint64 *list, gint64 n)
{
  SlTally *tally = rows->tally;
  gsize n_classes = (gsize) tally->n_classes;
  for (gint64 j = 0; j < n; j++)
    {
      if (j + AHEAD < n)
        {
          gsize next = (gsize) list[j + AHEAD], next_item = (gsize) rows->item[next];
          prefetch (tally->sum + next_item * n_classes + (gsize) rows->vote[next], sizeof (double),
                    1);
        }
      gsize i = (gsize) list[j], item = (gsize) rows->item[i];
      double count = rows->count != NULL ? (double) rows->count[i] : 1;
      tally->sum[item * n_classes + (gsize) rows->vote[i]] += count;
    }
}

/* Owners change every 16 items, so that two threads hardly ever share a cache line. */
static inline int
owner (gint32 item, int threads)
{
  return (int) ((guint32) item / 16 % (guint32) threads);
}

/* Thread T's share. */
static void
add_own (int t, gpointer data)
{
  const Rows *rows = data;
  gint64 list[BLOCK];
  for (gint64 first = 0; first < rows->n; first += BLOCK)
    {
      gint64 end = MIN (first + BLOCK, rows->n), n = 0;
      for (gint64 i = first; i < end; i++)
        {
          list[n] = i;
          n += rows->threads == 1 || owner (rows->item[i], rows->threads) == t;
        }
      if (rows->label != NULL)
        add_labels (rows, list, n);
      else
        add_votes (rows, list, n);
    }
}

static void
add (Rows *rows)
{
  if (rows->n < ALONE)
    rows->threads = 1;
  sl_parallel (rows->threads, rows->threads, add_own, rows);
}

void
sl_tally_add_labels (SlTally *tally, const gint32 *item, gint64 n, const double *label,
                     const double *weight, int threads)
{
  Rows rows = {
    .tally = tally, .item = item, .n = n, .label = label, .weight = weight, .threads = threads
  };
  add (&rows);
}

void
sl_tally_add_votes (SlTally *tally, const gint32 *item, gint64 n, const gint32 *vote,
                    const gint64 *count, int threads)
{
  Rows rows
      = { .tally = tally, .item = item, .n = n, .vote = vote, .count = count, .threads = threads };
  add (&rows);
}

static void
add_rest (SlTally *tally)
{
  const double *rest = tally->rest;
  double *sum = tally->sum;
  for (gint32 i = 0; i < tally->n_items; i++)
    {
      for (gint32 k = 0; k < tally->n_classes; k++)
        *sum++ += *rest++;
      tally->weight[i] += *rest++;
    }
}

void
sl_tally_settle (SlTally *tally, gboolean labels)
{
  const double *sum = tally->sum;
  if (tally->exact)
    add_rest (tally);
  for (gint32 i = 0; i < tally->n_items && !labels; i++)
    {
      double weight = 0;
      for (gint32 k = 0; k < tally->n_classes; k++)
        weight += *sum++;
      tally->weight[i] = weight;
    }
}

gint64
sl_tally_add_gold (SlTally *tally, const gint32 *item, gint64 n, const gint32 *gold)
{
  for (gint64 i = 0; i < n; i++)
    if (gold[i] >= 0)
      {
        gint32 *known = &tally->gold[item[i]];
        if (*known >= 0 && *known != gold[i])
          return i;
        *known = gold[i];
      }
  return -1;
}
