/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A column is looked up block by block. In a block every thread hashes a stretch of rows, then
 * looks up those rows whose shards are its own, so no table needs a lock. A text that is new gets
 * a provisional, negative number. When all threads are done, one pass over the block's rows makes
 * provisional numbers final, in row order: hence the numbers are those that one thread would have
 * given.
 *
 * Looking up a text touches memory that no cache holds: its slot, then where its text begins, then
 * the text. Rows go through these three steps in groups, one step behind the other, and what a
 * step will touch is asked for one step earlier. */
#include "intern-private.h"

#include "parallel.h"

enum
{
  BLOCK = 16384,    /* rows; their hashes stay in the second-level cache */
  GROUP = 16,       /* rows that take a step together */
  STEPS = 4,        /* groups under way: one for each step, and the look-up itself */
  ALONE = 1024,     /* rows fewer than which are not worth waking threads for */
  IN_CACHE = 16384, /* texts fewer than which are not worth asking for */
};

typedef struct
{
  guint64 hash;
  guint32 at; /* its slot, unless the table has grown since */
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

/* Some rows of a column, under way. */
struct _SlInternBlock
{
  SlIntern *intern;
  SlText texts;
  gint32 n;
  int threads, n_workers;
  gint32 *ids;
  guint64 hash[BLOCK]; /* of the listed rows */
  gint32
      listed[BLOCK]; /* rows unlike the one before them; a thread's begin where its stretch does */
  Worker *worker[];
};

static inline gint32
stretch (const SlInternBlock *block, int t)
{
  return (gint32) ((gint64) block->n * t / block->threads);
}

static inline int
owner (const SlInternBlock *block, guint64 hash)
{
  return (int) (hash >> (64 - SHARD_BITS)) % block->threads;
}

/* Lists in ROWS, and hashes, those rows of FROM up to TO that do not repeat the row before them; returns how many they are. */
static gint32
list_rows (SlInternBlock *block, gint32 from, gint32 to, gint32 *rows)
{
  gint32 n_rows = 0;
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
      block->hash[rows[k]] = hash_of (text, length);
    }
  return n_rows;
}

/* Lists and hashes the T-th stretch. */
static void
hash_rows (int t, gpointer data)
{
  SlInternBlock *block = data;
  gint32 from = stretch (block, t);
  block->worker[t]->n_listed
      = list_rows (block, from, stretch (block, t + 1), block->listed + from);
}

/* The listed rows whose shards are those of thread T; without a branch, which could not be
 * predicted. */
static gint32
own_rows (const SlInternBlock *block, int t, gint32 *rows)
{
  gint32 n_rows = 0;
  for (int u = 0; u < block->threads; u++)
    {
      const gint32 *listed = block->listed + stretch (block, u);
      gint32 n_listed = block->worker[u]->n_listed;
      for (gint32 k = 0; k < n_listed; k++)
        {
          rows[n_rows] = listed[k];
          n_rows += block->threads == 1 || owner (block, block->hash[listed[k]]) == t;
        }
    }
  return n_rows;
}

typedef struct
{
  const gint32 *rows;
  gint32 n;
  guint32 place[GROUP]; /* the first slot that is empty or has the right tag */
} Group;

static void
ask_for_slots (SlInternBlock *block, Group *group)
{
  for (gint32 k = 0; k < group->n; k++)
    {
      guint64 hash = block->hash[group->rows[k]];
      const Shard *shard = shard_of (block->intern, hash);
      group->place[k] = (guint32) hash & shard->mask;
      __builtin_prefetch (&shard->slots[group->place[k]]);
    }
}

static void
ask_for_offsets (SlInternBlock *block, Group *group)
{
  for (gint32 k = 0; k < group->n; k++)
    {
      guint64 hash = block->hash[group->rows[k]];
      const Shard *shard = shard_of (block->intern, hash);
      guint32 at = group->place[k];
      while (shard->slots[at].number != 0 && shard->slots[at].tag != (guint32) hash)
        at = (at + 1) & shard->mask;
      group->place[k] = at;
      if (block->intern->offset != NULL)
        __builtin_prefetch (&block->intern->offset[MAX (shard->slots[at].number, 1) - 1]);
    }
}

static void
ask_for_texts (SlInternBlock *block, const Group *group)
{
  const SlIntern *intern = block->intern;
  for (gint32 k = 0; k < group->n; k++)
    {
      const Shard *shard = shard_of (block->intern, block->hash[group->rows[k]]);
      gint32 number = shard->slots[group->place[k]].number;
      __builtin_prefetch (intern->data + start_of (intern, MAX (number, 1) - 1));
    }
}

/* Whether SLOT, whose tag fits, holds the text. */
static inline guint8
holds (const SlInternBlock *block, const Worker *worker, const Slot *slot, const char *text,
       gsize length)
{
  gsize other_length;
  const char *other
      = slot->number > 0
            ? text_of (block->intern, slot->number - 1, &other_length)
            : sl_text_get (block->texts, worker->newcomers[-(slot->number + 1)].row, &other_length);
  return same_text (text, length, other, other_length);
}

/* Looks up ROW, which is WORKER's, from place AT of its shard on: ids[row] becomes a number, or
 * a provisional, negative one. Returns whether the table has grown. */
static inline gboolean
look_up (SlInternBlock *block, Worker *worker, gint32 row, guint32 at)
{
  gsize length;
  const char *text = sl_text_get (block->texts, row, &length);
  guint64 hash = block->hash[row];
  Shard *shard = shard_of (block->intern, hash);
  guint32 mask = shard->mask;
  for (;; at = (at + 1) & mask)
    {
      const Slot *slot = &shard->slots[at];
      if (slot->number == 0)
        break;
      if (slot->tag == (guint32) hash && holds (block, worker, slot, text, length))
        {
          block->ids[row] = slot->number > 0 ? slot->number - 1 : slot->number;
          return FALSE;
        }
    }
  worker->newcomers[worker->n_newcomers++] = (Newcomer){ hash, at, row, -1 };
  block->ids[row] = -worker->n_newcomers;
  sl_intern_occupy (shard, at, (guint32) hash, -worker->n_newcomers);
  return shard->mask != mask;
}

/* Where a table has grown, the places in it have moved: the search starts again from the home
 * slots. */
static void
go_home (SlInternBlock *block, Group *group)
{
  for (gint32 k = 0; k < group->n; k++)
    {
      guint64 hash = block->hash[group->rows[k]];
      group->place[k] = (guint32) hash & shard_of (block->intern, hash)->mask;
    }
}

static void
look_up_group (SlInternBlock *block, Worker *worker, Group *groups, Group *group)
{
  for (gint32 k = 0; k < group->n; k++)
    if (look_up (block, worker, group->rows[k], group->place[k]))
      for (int g = 0; g < STEPS; g++)
        go_home (block, &groups[g]);
}

static void
find_own_rows (int t, gpointer data)
{
  SlInternBlock *block = data;
  Worker *worker = block->worker[t];
  Group groups[STEPS] = { 0 };
  gint32 n_rows = own_rows (block, t, worker->rows);
  gboolean ask = block->intern->n > IN_CACHE;
  worker->n_newcomers = 0;
  for (gint32 first = 0, g = 0; first < n_rows + (STEPS - 1) * GROUP; first += GROUP, g++)
    {
      groups[g % STEPS] = (Group){ worker->rows + first, CLAMP (n_rows - first, 0, GROUP), { 0 } };
      ask_for_slots (block, &groups[g % STEPS]);
      if (ask)
        {
          ask_for_offsets (block, &groups[(g + 3) % STEPS]);
          ask_for_texts (block, &groups[(g + 2) % STEPS]);
        }
      look_up_group (block, worker, groups, &groups[(g + 1) % STEPS]);
    }
}

/* Takes a new text into the arena, and tells its slot. */
static void
settle (SlIntern *intern, Newcomer *newcomer, gint32 provisional, const char *text, gsize length)
{
  newcomer->id = sl_intern_append (intern, text, length);
  Shard *shard = shard_of (intern, newcomer->hash);
  guint32 at = newcomer->at & shard->mask;
  if (shard->slots[at].number != provisional)
    at = (guint32) newcomer->hash & shard->mask;
  while (shard->slots[at].number != provisional)
    at = (at + 1) & shard->mask;
  shard->slots[at].number = newcomer->id + 1;
}

/* The number of listed row I, which a new text gets here. */
static gint32
final_id (SlInternBlock *block, gint32 i)
{
  gint32 id = block->ids[i];
  if (id >= 0)
    return id;
  Worker *worker = block->worker[owner (block, block->hash[i])];
  Newcomer *newcomer = &worker->newcomers[-(id + 1)];
  if (newcomer->id < 0)
    {
      gsize length;
      const char *text = sl_text_get (block->texts, i, &length);
      settle (block->intern, newcomer, id, text, length);
    }
  return newcomer->id;
}

/* Makes all numbers final, in row order; rows that are not listed have that of the row before
 * them. */
static void
settle_rows (SlInternBlock *block)
{
  for (int t = 0; t < block->threads; t++)
    {
      const gint32 *listed = block->listed + stretch (block, t);
      gint32 n_listed = block->worker[t]->n_listed;
      for (gint32 k = 0; k < n_listed; k++)
        {
          gint32 id = final_id (block, listed[k]);
          gint32 end = k + 1 < n_listed ? listed[k + 1] : stretch (block, t + 1);
          for (gint32 i = listed[k]; i < end; i++)
            block->ids[i] = id;
        }
    }
}

static SlInternBlock *
new_block (SlIntern *intern)
{
  gsize threads = (gsize) intern->threads;
  SlInternBlock *block = g_malloc (sizeof *block + threads * sizeof (Worker *));
  block->intern = intern;
  block->n_workers = intern->threads;
  for (gsize t = 0; t < threads; t++)
    block->worker[t] = g_new (Worker, 1);
  return block;
}

void
sl_intern_block_free (SlIntern *intern)
{
  for (int t = 0; intern->block != NULL && t < intern->block->n_workers; t++)
    g_free (intern->block->worker[t]);
  g_free (intern->block);
}

gsize
sl_intern_block_bytes (const SlIntern *intern)
{
  return intern->block == NULL
             ? 0
             : sizeof *intern->block + (gsize) intern->block->n_workers * sizeof (Worker);
}

void
sl_intern_column (SlIntern *intern, SlText texts, gint64 n, gint32 *ids)
{
  if (intern->block == NULL)
    intern->block = new_block (intern);
  SlInternBlock *block = intern->block;
  for (gint64 first = 0; first < n; first += BLOCK)
    {
      block->texts = (SlText){ texts.offset + first, texts.data };
      block->n = (gint32) MIN (BLOCK, n - first);
      block->threads = block->n >= ALONE ? block->n_workers : 1;
      block->ids = ids + first;
      sl_parallel (block->threads, block->threads, hash_rows, block);
      sl_parallel (block->threads, block->threads, find_own_rows, block);
      settle_rows (block);
    }
}

typedef struct
{
  const SlIntern *intern;
  SlText texts;
  gint64 n;
  gint32 *ids;
} Finding;

static void
find_group (SlInternBlock *block, const Group *group)
{
  for (gint32 k = 0; k < group->n; k++)
    {
      gint32 row = group->rows[k], number = 0;
      guint64 hash = block->hash[row];
      const Shard *shard = shard_of (block->intern, hash);
      gsize length, other_length;
      const char *text = sl_text_get (block->texts, row, &length);
      for (guint32 at = group->place[k]; shard->slots[at].number != 0; at = (at + 1) & shard->mask)
        if (shard->slots[at].tag == (guint32) hash)
          {
            const char *other = text_of (block->intern, shard->slots[at].number - 1, &other_length);
            if (!same_text (text, length, other, other_length))
              continue;
            number = shard->slots[at].number;
            break;
          }
      block->ids[row] = number - 1;
    }
}

/* Rows that repeat the one before them are not looked up. */
static void
find_block (int t, gpointer data)
{
  const Finding *finding = data;
  gint64 first = (gint64) t * BLOCK;
  g_autofree SlInternBlock *block = g_malloc (sizeof *block);
  block->intern = (SlIntern *) finding->intern; /* which is only read */
  block->texts = (SlText){ finding->texts.offset + first, finding->texts.data };
  block->n = (gint32) MIN (BLOCK, finding->n - first);
  block->ids = finding->ids + first;
  gint32 n_rows = list_rows (block, 0, block->n, block->listed);
  Group groups[STEPS] = { 0 };
  gboolean ask = finding->intern->n > IN_CACHE;
  for (gint32 from = 0, g = 0; from < n_rows + (STEPS - 1) * GROUP; from += GROUP, g++)
    {
      groups[g % STEPS] = (Group){ block->listed + from, CLAMP (n_rows - from, 0, GROUP), { 0 } };
      ask_for_slots (block, &groups[g % STEPS]);
      if (ask)
        {
          ask_for_offsets (block, &groups[(g + 3) % STEPS]);
          ask_for_texts (block, &groups[(g + 2) % STEPS]);
        }
      find_group (block, &groups[(g + 1) % STEPS]);
    }
  for (gint32 k = 0; k < n_rows; k++)
    {
      gint32 end = k + 1 < n_rows ? block->listed[k + 1] : block->n;
      for (gint32 i = block->listed[k] + 1; i < end; i++)
        block->ids[i] = block->ids[block->listed[k]];
    }
}

void
sl_intern_find_column (const SlIntern *intern, SlText texts, gint64 n, int threads, gint32 *ids)
{
  Finding finding = { intern, texts, n, ids };
  sl_parallel (threads, (int) ((n + BLOCK - 1) / BLOCK), find_block, &finding);
}
