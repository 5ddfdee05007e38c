/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts lie one behind the other in one arena, in order of their numbers. A text is found
 * through one of N_SHARDS hash tables with open addressing, chosen by the upper bits of its
 * hash; a slot holds 32 bits of the hash, so that a text in the arena is hardly ever looked at
 * in vain.
 *
 * A column is looked up block by block. In a block every thread hashes a stretch of rows, then
 * looks up those rows whose shards are its own, so no table needs a lock. A text that is new gets
 * a provisional, negative number. When all threads are done, one pass over the block's rows makes
 * provisional numbers final, in row order: hence the numbers are those that one thread would have
 * given. */
#include "intern.h"

#include "parallel.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

enum
{
  SHARD_BITS = 6,
  N_SHARDS = 1 << SHARD_BITS,
  BLOCK = 16384, /* rows; their hashes stay in the second-level cache */
  AHEAD = 16,    /* look-ups under way at once, to hide the latency of memory */
  ALONE = 1024,  /* rows fewer than which are not worth waking threads for */
  FIRST_SLOTS = 16,
};

/* number is 0 for an empty slot, id + 1 for a text in the arena, -(index + 1) for one of the
 * block's new texts */
typedef struct
{
  guint32 tag;
  gint32 number;
} Slot;

typedef struct
{
  Slot *slots;
  guint32 mask, used;
} Shard;

typedef struct
{
  guint64 hash;
  gint32 row; /* in the block */
  gint32 id;  /* -1 until it has one */
} Newcomer;

/* What one thread needs for a block. */
typedef struct
{
  gint32 rows[BLOCK]; /* those it looks up, in order */
  Newcomer newcomers[BLOCK];
  gint32 n_newcomers;
  gint32 n_listed; /* in its stretch */
} Worker;

struct _SlIntern
{
  Shard shard[N_SHARDS];
  gint64 *offset; /* text i is data[offset[i]] up to data[offset[i + 1]] */
  char *data;
  gsize offset_room, data_room;
  gint32 n;
  int threads;
  Worker **worker;
  guint64 *hash;  /* of the block's listed rows */
  gint32 *listed; /* rows unlike the one before them; a thread's begin where its stretch does */
};

guint64
sl_text_hash (const char *text, gsize length)
{
  return XXH3_64bits (text, length);
}

static inline guint32
shard_of (guint64 hash)
{
  return (guint32) (hash >> (64 - SHARD_BITS));
}

SlIntern *
sl_intern_new (void)
{
  SlIntern *intern = g_new0 (SlIntern, 1);
  for (int s = 0; s < N_SHARDS; s++)
    {
      intern->shard[s].slots = g_new0 (Slot, FIRST_SLOTS);
      intern->shard[s].mask = FIRST_SLOTS - 1;
    }
  intern->offset_room = 64;
  intern->offset = g_new0 (gint64, intern->offset_room);
  intern->threads = 1;
  return intern;
}

void
sl_intern_free (SlIntern *intern)
{
  for (int s = 0; s < N_SHARDS; s++)
    g_free (intern->shard[s].slots);
  for (int t = 0; intern->worker != NULL && t < intern->threads; t++)
    g_free (intern->worker[t]);
  g_free (intern->worker);
  g_free (intern->hash);
  g_free (intern->listed);
  g_free (intern->offset);
  g_free (intern->data);
  g_free (intern);
}

void
sl_intern_set_threads (SlIntern *intern, int threads)
{
  g_assert (intern->worker == NULL); /* before the first column */
  intern->threads = CLAMP (threads, 1, N_SHARDS);
}

/* Appends a text to the arena; returns its number. */
static gint32
append (SlIntern *intern, const char *text, gsize length)
{
  if (intern->n == G_MAXINT32 - 1)
    g_error ("more than %d distinct texts", G_MAXINT32 - 1);
  gsize end = (gsize) intern->offset[intern->n], n = (gsize) intern->n;
  if (n + 2 > intern->offset_room)
    {
      intern->offset_room += intern->offset_room / 2;
      intern->offset = g_renew (gint64, intern->offset, intern->offset_room);
    }
  if (length > intern->data_room - end)
    {
      intern->data_room = end + MAX (length, end / 2 + 4096);
      intern->data = g_realloc (intern->data, intern->data_room);
    }
  if (length > 0)
    memcpy (intern->data + end, text, length);
  intern->offset[n + 1] = (gint64) (end + length);
  return intern->n++;
}

static void
grow (Shard *shard)
{
  guint32 mask = 2 * shard->mask + 1;
  Slot *slots = g_new0 (Slot, (gsize) mask + 1);
  for (guint32 i = 0; i <= shard->mask; i++)
    if (shard->slots[i].number != 0)
      {
        guint32 at = shard->slots[i].tag & mask;
        while (slots[at].number != 0)
          at = (at + 1) & mask;
        slots[at] = shard->slots[i];
      }
  g_free (shard->slots);
  shard->slots = slots;
  shard->mask = mask;
}

/* A new text's slot, which was found empty at AT. */
static inline void
occupy (Shard *shard, guint32 at, guint32 tag, gint32 number)
{
  shard->slots[at] = (Slot){ tag, number };
  shard->used++;
  if (shard->used > shard->mask / 2 + shard->mask / 8)
    grow (shard);
}

static inline guint8
same_text (const char *a, gsize a_length, const char *b, gsize b_length)
{
  if (a_length != b_length)
    return 0;
  if (a_length < 8 || a_length > 16)
    return a_length == 0 || memcmp (a, b, a_length) == 0;
  /* Most keys are of this length: two words that may overlap, without a call. */
  guint64 a_word[2], b_word[2];
  memcpy (&a_word[0], a, 8);
  memcpy (&b_word[0], b, 8);
  memcpy (&a_word[1], a + a_length - 8, 8);
  memcpy (&b_word[1], b + a_length - 8, 8);
  return ((a_word[0] ^ b_word[0]) | (a_word[1] ^ b_word[1])) == 0;
}

/* Whether SLOT, whose tag fits, holds the text; TEXTS and WORKER tell the block's new texts. */
static inline guint8
holds (const SlIntern *intern, const Slot *slot, const char *text, gsize length,
       const SlText *block, const Worker *worker)
{
  gsize other_length;
  if (slot->number > 0)
    {
      const char *other = sl_intern_get (intern, slot->number - 1, &other_length);
      return same_text (text, length, other, other_length);
    }
  const char *other
      = sl_text_get (*block, worker->newcomers[-(slot->number + 1)].row, &other_length);
  return same_text (text, length, other, other_length);
}

/* The place of the text in SHARD from AT on, or that of the empty slot where it belongs. */
static inline guint32
seek (const SlIntern *intern, const Shard *shard, guint32 at, guint32 tag, const char *text,
      gsize length, const SlText *block, const Worker *worker)
{
  for (;; at = (at + 1) & shard->mask)
    {
      const Slot *slot = &shard->slots[at];
      if (slot->number == 0
          || (slot->tag == tag && holds (intern, slot, text, length, block, worker)))
        return at;
    }
}

gint32
sl_intern (SlIntern *intern, const char *text, gsize length)
{
  guint64 hash = sl_text_hash (text, length);
  Shard *shard = &intern->shard[shard_of (hash)];
  guint32 tag = (guint32) hash;
  guint32 at = seek (intern, shard, tag & shard->mask, tag, text, length, NULL, NULL);
  if (shard->slots[at].number == 0)
    {
      gint32 id = append (intern, text, length);
      occupy (shard, at, tag, id + 1);
      return id;
    }
  return shard->slots[at].number - 1;
}

gint32
sl_intern_find (const SlIntern *intern, const char *text, gsize length)
{
  guint64 hash = sl_text_hash (text, length);
  const Shard *shard = &intern->shard[shard_of (hash)];
  guint32 tag = (guint32) hash;
  return shard->slots[seek (intern, shard, tag & shard->mask, tag, text, length, NULL, NULL)].number
         - 1;
}

/* Some rows of a column, under way. */
typedef struct
{
  SlIntern *intern;
  SlText texts;
  gint32 n;
  int threads;
  gint32 *ids;
} Block;

static inline gint32
stretch (const Block *block, int t)
{
  return (gint32) ((gint64) block->n * t / block->threads);
}

/* Lists and hashes those rows of the T-th stretch that do not repeat the row before them. */
static void
hash_rows (int t, gpointer data)
{
  const Block *block = data;
  SlIntern *intern = block->intern;
  gint32 from = stretch (block, t), to = stretch (block, t + 1);
  gint32 *rows = intern->listed + from, n_rows = 0;
  const char *before = NULL;
  gsize before_length = 0;
  for (gint32 i = from; i < to; i++)
    {
      gsize length;
      const char *text = sl_text_get (block->texts, i, &length);
      rows[n_rows] = i;
      n_rows += before == NULL || !same_text (text, length, before, before_length);
      before = text;
      before_length = length;
    }
  for (gint32 k = 0; k < n_rows; k++)
    {
      gsize length;
      const char *text = sl_text_get (block->texts, rows[k], &length);
      intern->hash[rows[k]] = sl_text_hash (text, length);
    }
  intern->worker[t]->n_listed = n_rows;
}

/* The listed rows whose shards are those of thread T; without a branch, which could not be
 * predicted. */
static gint32
own_rows (const Block *block, int t, gint32 *rows)
{
  const SlIntern *intern = block->intern;
  guint8 mine[N_SHARDS];
  for (int s = 0; s < N_SHARDS; s++)
    mine[s] = s % block->threads == t;
  gint32 n_rows = 0;
  for (int u = 0; u < block->threads; u++)
    {
      const gint32 *listed = intern->listed + stretch (block, u);
      for (gint32 k = 0; k < intern->worker[u]->n_listed; k++)
        {
          rows[n_rows] = listed[k];
          n_rows += mine[shard_of (intern->hash[listed[k]])];
        }
    }
  return n_rows;
}

/* Brings what looking up ROWS[n] will touch into the cache: first the slots, then the offsets of
 * the texts that they point to, then those texts. PLACE[n] becomes the first slot that is empty
 * or has the right tag. */
static inline void
prefetch (const SlIntern *intern, const gint32 *rows, gint32 n, guint32 *place)
{
  for (gint32 k = 0; k < n; k++)
    {
      guint64 hash = intern->hash[rows[k]];
      const Shard *shard = &intern->shard[shard_of (hash)];
      __builtin_prefetch (&shard->slots[(guint32) hash & shard->mask]);
    }
  for (gint32 k = 0; k < n; k++)
    {
      guint64 hash = intern->hash[rows[k]];
      const Shard *shard = &intern->shard[shard_of (hash)];
      guint32 at = (guint32) hash & shard->mask;
      while (shard->slots[at].number != 0 && shard->slots[at].tag != (guint32) hash)
        at = (at + 1) & shard->mask;
      place[k] = at;
      if (shard->slots[at].number > 0)
        __builtin_prefetch (&intern->offset[shard->slots[at].number - 1]);
    }
  for (gint32 k = 0; k < n; k++)
    {
      gint32 number = intern->shard[shard_of (intern->hash[rows[k]])].slots[place[k]].number;
      if (number > 0)
        __builtin_prefetch (intern->data + intern->offset[number - 1]);
    }
}

/* Looks up ROWS[n], which are WORKER's and at most AHEAD: ids[row] becomes a number, or a
 * provisional, negative one. */
static void
find_rows (const Block *block, Worker *worker, const gint32 *rows, gint32 n)
{
  SlIntern *intern = block->intern;
  guint32 place[AHEAD];
  prefetch (intern, rows, n, place);
  for (gint32 k = 0; k < n; k++)
    {
      gsize length;
      const char *text = sl_text_get (block->texts, rows[k], &length);
      guint64 hash = intern->hash[rows[k]];
      Shard *shard = &intern->shard[shard_of (hash)];
      guint32 mask = shard->mask;
      guint32 at = seek (intern, shard, place[k] & mask, (guint32) hash, text, length,
                         &block->texts, worker);
      gint32 number = shard->slots[at].number;
      if (number == 0)
        {
          worker->newcomers[worker->n_newcomers++] = (Newcomer){ hash, rows[k], -1 };
          number = -worker->n_newcomers;
          occupy (shard, at, (guint32) hash, number);
        }
      /* Where the table has grown, the places in it have moved: the search starts again from the
       * home slots. */
      if (shard->mask != mask)
        for (gint32 j = k + 1; j < n; j++)
          place[j] = (guint32) intern->hash[rows[j]];
      block->ids[rows[k]] = number > 0 ? number - 1 : number;
    }
}

static void
find_own_rows (int t, gpointer data)
{
  const Block *block = data;
  Worker *worker = block->intern->worker[t];
  gint32 n_rows = own_rows (block, t, worker->rows);
  worker->n_newcomers = 0;
  for (gint32 first = 0; first < n_rows; first += AHEAD)
    find_rows (block, worker, worker->rows + first, MIN (AHEAD, n_rows - first));
}

/* Takes a new text into the arena, and tells its slot. */
static void
settle (SlIntern *intern, Newcomer *newcomer, gint32 provisional, const char *text, gsize length)
{
  newcomer->id = append (intern, text, length);
  Shard *shard = &intern->shard[shard_of (newcomer->hash)];
  guint32 at = (guint32) newcomer->hash & shard->mask;
  while (shard->slots[at].number != provisional)
    at = (at + 1) & shard->mask;
  shard->slots[at].number = newcomer->id + 1;
}

/* The number of listed row I, which a new text gets here. */
static gint32
final_id (const Block *block, gint32 i)
{
  gint32 id = block->ids[i];
  if (id >= 0)
    return id;
  SlIntern *intern = block->intern;
  Worker *worker = intern->worker[(int) shard_of (intern->hash[i]) % block->threads];
  Newcomer *newcomer = &worker->newcomers[-(id + 1)];
  if (newcomer->id < 0)
    {
      gsize length;
      const char *text = sl_text_get (block->texts, i, &length);
      settle (intern, newcomer, id, text, length);
    }
  return newcomer->id;
}

/* Makes all numbers final, in row order; rows that are not listed have that of the row before
 * them. */
static void
settle_rows (const Block *block)
{
  for (int t = 0; t < block->threads; t++)
    {
      const gint32 *listed = block->intern->listed + stretch (block, t);
      gint32 n_listed = block->intern->worker[t]->n_listed;
      for (gint32 k = 0; k < n_listed; k++)
        {
          gint32 id = final_id (block, listed[k]);
          gint32 end = k + 1 < n_listed ? listed[k + 1] : stretch (block, t + 1);
          for (gint32 i = listed[k]; i < end; i++)
            block->ids[i] = id;
        }
    }
}

static void
intern_block (Block *block)
{
  sl_parallel (block->threads, block->threads, hash_rows, block);
  sl_parallel (block->threads, block->threads, find_own_rows, block);
  settle_rows (block);
}

void
sl_intern_column (SlIntern *intern, SlText texts, gint64 n, gint32 *ids)
{
  if (intern->worker == NULL)
    {
      intern->worker = g_new0 (Worker *, intern->threads);
      for (int t = 0; t < intern->threads; t++)
        intern->worker[t] = g_new (Worker, 1);
      intern->hash = g_new (guint64, BLOCK);
      intern->listed = g_new (gint32, BLOCK);
    }
  for (gint64 first = 0; first < n; first += BLOCK)
    {
      Block block = { intern,
                      { texts.offset + first, texts.data },
                      (gint32) MIN (BLOCK, n - first),
                      1,
                      ids + first };
      if (block.n >= ALONE)
        block.threads = intern->threads;
      intern_block (&block);
    }
}

gint32
sl_intern_size (const SlIntern *intern)
{
  return intern->n;
}

gsize
sl_intern_bytes (const SlIntern *intern)
{
  gsize bytes = sizeof *intern + intern->offset_room * sizeof (gint64) + intern->data_room;
  for (int s = 0; s < N_SHARDS; s++)
    bytes += ((gsize) intern->shard[s].mask + 1) * sizeof (Slot);
  if (intern->worker != NULL)
    bytes
        += (gsize) intern->threads * sizeof (Worker) + BLOCK * (sizeof (guint64) + sizeof (gint32));
  return bytes;
}

const char *
sl_intern_get (const SlIntern *intern, gint32 id, gsize *length)
{
  *length = (gsize) (intern->offset[id + 1] - intern->offset[id]);
  return intern->data + intern->offset[id];
}

SlText
sl_intern_texts (const SlIntern *intern, gint32 first, gint32 n, gint32 *offset)
{
  gint64 base = intern->offset[first];
  g_assert (intern->offset[first + n] - base <= G_MAXINT32);
  for (gint32 i = 0; i <= n; i++)
    offset[i] = (gint32) (intern->offset[first + i] - base);
  return (SlText){ offset, intern->n > 0 ? intern->data + base : "" };
}
