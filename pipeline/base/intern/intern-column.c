/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A column is looked up block by block. In a block every thread hashes a stretch of rows, then
 * looks up those rows whose shards are its own, so no table needs a lock. A text that is new gets
 * a provisional, negative number. When all threads are done, one pass over the block's rows makes
 * provisional numbers final, in row order: hence the numbers are those that one thread would have
 * given. */
#include "intern-block.h"

#include "pipeline/base/parallel.h"

#define ALONE 1024 /* rows fewer than which are not worth waking threads for */

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
    look_up_group (block, worker, groups,
                   step_groups (block, groups, worker->rows, n_rows, first, g, ask));
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
