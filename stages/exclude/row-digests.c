/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two different rows are taken for the same one with probability 2^-128 a pair: for a billion rows,
 * about 10^-21. */
#include "row-digests.h"

#include <math.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Equal numbers get equal bits: one NaN, one zero. */
static guint64
bits_of (double value)
{
  double same = isnan (value) ? (double) NAN : value + 0.0;
  guint64 bits;
  memcpy (&bits, &same, sizeof bits);
  return bits;
}

void
sl_digest_rows (const SlAnnotations *view, const gint32 *annotator, gint64 first, gint64 end,
                SlDigest *digest)
{
  g_autoptr (GArray) key = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (gint64 i = first; i < end; i++)
    {
      gsize length;
      const char *item = sl_text_get (view->item, i, &length);
      gint32 n_choices = view->start[i + 1] - view->start[i];
      gint32 n_impossible = view->impossible_start[i + 1] - view->impossible_start[i];
      gsize item_words = length / 8 + 1;
      g_array_set_size (key,
                        (guint) (7 + item_words + 2 * (gsize) n_choices + (gsize) n_impossible));
      guint64 *word = &g_array_index (key, guint64, 0);

      /* Numbers of parts come first, so that no two rows give the same words. */
      *word++ = (guint64) annotator[i] << 32 | (guint64) n_choices;
      *word++ = length;
      *word++ = (view->repeat != NULL && view->repeat[i] ? 1 : 0)
                | (view->check != NULL && view->check[i] ? 2 : 0);
      *word++ = view->trial != NULL ? (guint32) view->trial[i] : 0;
      *word++ = bits_of (view->seconds != NULL ? view->seconds[i] : 0);
      *word++ = (guint64) (view->count != NULL ? view->count[i] : 1);
      *word++ = (guint64) n_impossible;
      word[item_words - 1] = 0;
      memcpy (word, item, length);
      word += item_words;
      for (gint32 j = view->start[i]; j < view->start[i + 1]; j++)
        {
          *word++ = (guint64) view->choice[j];
          *word++ = bits_of (view->percent[j]);
        }
      for (gint32 j = view->impossible_start[i]; j < view->impossible_start[i + 1]; j++)
        *word++ = (guint64) view->impossible[j];
      XXH128_hash_t hash = XXH3_128bits (key->data, key->len * sizeof (guint64));
      digest[i] = (SlDigest){ hash.low64, hash.high64 };
    }
}

void
sl_digest_pairs (const SlAnnotations *view, const gint32 *annotator, gint64 first, gint64 end,
                 SlDigest *digest)
{
  for (gint64 i = first; i < end; i++)
    {
      gsize length;
      const char *item = sl_text_get (view->item, i, &length);
      guint64 who = (guint64) annotator[i] << 1 | (view->check != NULL && view->check[i]);
      XXH128_hash_t hash = XXH3_128bits_withSeed (item, length, who);
      digest[i] = (SlDigest){ hash.low64, hash.high64 };
    }
}

/* Open addressing with linear probing; {0, 0} is a free place. A place is high * size / 2^64, so
 * any size will do and a table grows by a half rather than to the double. The set is in shards that
 * grow one by one, so growing takes little extra memory. */
#define SHARDS 32
#define FIRST_SIZE 16

typedef struct
{
  SlDigest *place;
  guint64 size, used;
} Shard;

struct _SlDigestSet
{
  Shard shard[SHARDS];
  gsize places;
};

SlDigestSet *
sl_digest_set_new (void)
{
  SlDigestSet *set = g_new (SlDigestSet, 1);
  for (int i = 0; i < SHARDS; i++)
    set->shard[i] = (Shard){ g_new0 (SlDigest, FIRST_SIZE), FIRST_SIZE, 0 };
  set->places = SHARDS * FIRST_SIZE;
  return set;
}

void
sl_digest_set_free (SlDigestSet *set)
{
  for (int i = 0; i < SHARDS; i++)
    g_free (set->shard[i].place);
  g_free (set);
}

static gboolean
is_free (const SlDigest *place)
{
  return (place->low | place->high) == 0;
}

static SlDigest *
home (const Shard *shard, SlDigest digest)
{
  return shard->place + (guint64) (((unsigned __int128) digest.high * shard->size) >> 64);
}

/* The place of DIGEST, or the free place where it belongs. */
static SlDigest *
find (const Shard *shard, SlDigest digest)
{
  SlDigest *place = home (shard, digest);
  while (!is_free (place) && (place->low != digest.low || place->high != digest.high))
    place = place + 1 < shard->place + shard->size ? place + 1 : shard->place;
  return place;
}

static void
grow (SlDigestSet *set, Shard *shard)
{
  guint64 size = shard->size + shard->size / 2;
  Shard larger = { g_new0 (SlDigest, size), size, shard->used };
  for (guint64 i = 0; i < shard->size; i++)
    if (!is_free (&shard->place[i]))
      *find (&larger, shard->place[i]) = shard->place[i];
  g_free (shard->place);
  set->places += size - shard->size;
  *shard = larger;
}

gboolean
sl_digest_set_add (SlDigestSet *set, SlDigest digest)
{
  if (is_free (&digest))
    digest.low = SHARDS;
  Shard *shard = &set->shard[digest.low % SHARDS];
  SlDigest *place = find (shard, digest);
  if (!is_free (place))
    return FALSE;
  *place = digest;
  if (++shard->used * 10 > shard->size * 9)
    grow (set, shard);
  return TRUE;
}

void
sl_digest_set_prepare (const SlDigestSet *set, SlDigest digest)
{
  __builtin_prefetch (home (&set->shard[digest.low % SHARDS], digest));
}

gsize
sl_digest_set_bytes (const SlDigestSet *set)
{
  return sizeof *set + set->places * sizeof (SlDigest);
}
