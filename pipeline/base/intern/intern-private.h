/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What intern.c (the texts) and intern-column.c (looking up many) share.
 *
 * The texts lie one behind the other in one arena, in order of their numbers. A text is found
 * through one of N_SHARDS hash tables with open addressing, chosen by the upper bits of its
 * hash; a slot holds 32 bits of the hash, so that a text in the arena is hardly ever looked at
 * in vain. */
#pragma once

#include "intern.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

enum
{
  SHARD_BITS = 6,
  N_SHARDS = 1 << SHARD_BITS,
};

/* number is 0 for an empty slot, id + 1 for a text in the arena, and negative for one that
 * intern-column.c is about to put there. */
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

typedef struct _SlInternBlock SlInternBlock;

struct _SlIntern
{
  Shard shard[N_SHARDS];
  gint64 *offset; /* text i is data[offset[i]] up to data[offset[i + 1]]; NULL while all texts */
  gsize length;   /* are this long */
  char *data;
  gsize end; /* of the last text */
  gsize offset_room, data_room;
  gint32 n;
  int threads;
  SlInternBlock *block; /* what looking up a column needs; NULL before the first */
};

static inline guint64
hash_of (const char *text, gsize length)
{
  return XXH3_64bits (text, length);
}

static inline Shard *
shard_of (SlIntern *intern, guint64 hash)
{
  return &intern->shard[hash >> (64 - SHARD_BITS)];
}

static inline gint64
start_of (const SlIntern *intern, gint32 id)
{
  return intern->offset != NULL ? intern->offset[id] : (gint64) intern->length * id;
}

static inline const char *
text_of (const SlIntern *intern, gint32 id, gsize *length)
{
  gint64 start = start_of (intern, id);
  *length = intern->offset != NULL ? (gsize) (intern->offset[id + 1] - start) : intern->length;
  return intern->data + start;
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

/* Appends a text to the arena; returns its number. */
gint32 sl_intern_append (SlIntern *intern, const char *text, gsize length);

/* A new text's slot, which was found empty at AT. */
void sl_intern_occupy (Shard *shard, guint32 at, guint32 tag, gint32 number);

void sl_intern_block_free (SlIntern *intern);
gsize sl_intern_block_bytes (const SlIntern *intern);
