/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block of a column's rows on their way through the table of texts: what adding texts
 * (intern-column.c) and finding them (intern.c) have in common.
 *
 * Looking up a text touches memory that no cache holds: its slot, then where its text begins, then
 * the text. Rows go through these three steps in groups, one step behind the other, and what a
 * step will touch is asked for one step earlier. */
#pragma once

#include "intern-private.h"

enum
{
  BLOCK = 16384,    /* rows; their hashes stay in the second-level cache */
  GROUP = 16,       /* rows that take a step together */
  STEPS = 4,        /* groups under way: one for each step, and the look-up itself */
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
  /* rows unlike the one before them; a thread's begin where its stretch does */
  gint32 listed[BLOCK];
  Worker *worker[];
};

/* Lists in ROWS, and hashes, those rows of FROM up to TO that do not repeat the row before them;
 * returns how many they are. */
static inline gint32
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

typedef struct
{
  const gint32 *rows;
  gint32 n;
  guint32 place[GROUP]; /* the first slot that is empty or has the right tag */
} Group;

static inline void
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

static inline void
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

/* Inlined always: GCC 12 takes a function that only prefetches for one without effect, and leaves
 * it out. Names are 8 to 16 bytes, and may lie across two cache lines. */
static inline __attribute__ ((always_inline)) void
ask_for_texts (SlInternBlock *block, const Group *group)
{
  const SlIntern *intern = block->intern;
  for (gint32 k = 0; k < group->n; k++)
    {
      const Shard *shard = shard_of (block->intern, block->hash[group->rows[k]]);
      gint32 number = shard->slots[group->place[k]].number;
      const char *text = intern->data + start_of (intern, MAX (number, 1) - 1);
      __builtin_prefetch (text);
      __builtin_prefetch (text + 8);
    }
}

/* Group number G, from row FROM of ROWS[n_rows], takes the first step, and those before it their
 * next ones. Returns the one that is to be looked up. */
static inline Group *
step_groups (SlInternBlock *block, Group *groups, const gint32 *rows, gint32 n_rows, gint32 from,
             gint32 g, gboolean ask)
{
  groups[g % STEPS] = (Group){ rows + from, CLAMP (n_rows - from, 0, GROUP), { 0 } };
  ask_for_slots (block, &groups[g % STEPS]);
  if (ask)
    {
      ask_for_offsets (block, &groups[(g + 3) % STEPS]);
      ask_for_texts (block, &groups[(g + 2) % STEPS]);
    }
  return &groups[(g + 1) % STEPS];
}
