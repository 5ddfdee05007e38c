/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seen-pairs.h"

#include "pipeline/base/intern/intern.h"

#include <string.h>

#define FIRST_ROOM 1024
#define SAMPLE_ROOM ((gsize) 1 << 17) /* 2 MiB: all of 98,304 pairs, some of more */

struct _SlSeenPairs
{
  SlRun *run;
  SlSeenPair *pairs; /* both hashes 0: nothing is here */
  gsize room, n;     /* a power of two */
  gsize most;        /* rather than more room, fewer items */
  int n_halved;      /* only items whose hash begins with so many zeros are looked at */
  gint64 n_again;
};

SlSeenPairs *
sl_seen_pairs_new (SlRun *run)
{
  SlSeenPairs *seen = g_new0 (SlSeenPairs, 1);
  seen->run = run;
  seen->most = G_MAXSIZE;
  return seen;
}

void
sl_seen_pairs_sample (SlSeenPairs *seen)
{
  seen->most = SAMPLE_ROOM;
}

void
sl_seen_pairs_free (SlSeenPairs *seen)
{
  if (seen->most == G_MAXSIZE)
    sl_run_release (seen->run, seen->room * sizeof (SlSeenPair));
  g_free (seen->pairs);
  g_free (seen);
}

/* Of short texts two multiplications, as every item of a file is asked for. 16 bytes from where
 * a field begins are readable. */
static inline guint64
hash_of (SlCell cell)
{
  guint64 half[2];
  if (G_UNLIKELY (cell.n > sizeof half || G_BYTE_ORDER != G_LITTLE_ENDIAN))
    return MAX (sl_text_hash (cell.text, cell.n), 1);
  memcpy (half, cell.text, sizeof half);
  int low = 8 * (int) MIN (cell.n, 8), high = 8 * (int) cell.n - low;
  half[0] = low > 0 ? half[0] << (64 - low) : 0;
  half[1] = high > 0 ? half[1] << (64 - high) : 0;
  guint64 mixed = (half[0] ^ cell.n) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 32) ^ half[1]) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  mixed = (mixed ^ (mixed >> 32)) * G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53);
  return MAX (mixed ^ (mixed >> 29), 1); /* 0: nothing is here */
}

static inline gboolean
is_looked_at (guint64 item, int n_halved)
{
  return n_halved == 0 || item >> (64 - n_halved) == 0;
}

SlSeenPair
sl_pair_of (SlCell item, SlCell annotator)
{
  return (SlSeenPair){ MAX (sl_text_hash (item.text, item.n), 1),
                       sl_text_hash (annotator.text, annotator.n) };
}

void
sl_seen_pairs_note (const SlSeenPairs *seen, const SlCsvRows *rows, int item, int annotator,
                    GArray *pairs)
{
  int n_halved = g_atomic_int_get (&seen->n_halved);
  for (guint32 r = 0; r < rows->n; r++)
    {
      SlCell name;
      name.text = sl_csv_field (rows, item, r, &name.n);
      SlSeenPair pair = { .item = hash_of (name) };
      if (!is_looked_at (pair.item, n_halved))
        continue;
      name.text = sl_csv_field (rows, annotator, r, &name.n);
      pair.annotator = hash_of (name);
      g_array_append_val (pairs, pair);
    }
}

static gsize
place_of (SlSeenPair pair, gsize room)
{
  return (pair.item ^ (pair.annotator * 0x9e3779b97f4a7c15u)) & (room - 1);
}

void
sl_seen_pairs_expect (const SlSeenPairs *seen, SlSeenPair pair)
{
  if (seen->room > 0)
    __builtin_prefetch (&seen->pairs[place_of (pair, seen->room)], 1);
}

/* Where PAIR is in PAIRS[room], or would be. */
static SlSeenPair *
find (SlSeenPair *pairs, gsize room, SlSeenPair pair)
{
  gsize i = place_of (pair, room);
  while (pairs[i].item != 0 && (pairs[i].item != pair.item || pairs[i].annotator != pair.annotator))
    i = (i + 1) & (room - 1);
  return &pairs[i];
}

/* Makes room for more pairs, or, where that is all there may be, looks at fewer. What a sample
 * takes is too little to be counted. */
static gboolean
grow (SlSeenPairs *seen, GError **error)
{
  gsize room = seen->room > 0 ? MIN (2 * seen->room, seen->most) : FIRST_ROOM;
  gboolean sampled = seen->most < G_MAXSIZE;
  SlSeenPair *pairs
      = sampled ? g_new0 (SlSeenPair, room)
                : sl_run_alloc0 (seen->run, room, sizeof (SlSeenPair),
                                 "who has answered which item, to find what comes again", error);
  if (pairs == NULL)
    return FALSE;
  if (room == seen->room)
    g_atomic_int_inc (&seen->n_halved);
  seen->n = 0;
  for (gsize i = 0; i < seen->room; i++)
    if (seen->pairs[i].item != 0 && is_looked_at (seen->pairs[i].item, seen->n_halved))
      {
        *find (pairs, room, seen->pairs[i]) = seen->pairs[i];
        seen->n++;
      }
  if (!sampled)
    sl_run_release (seen->run, seen->room * sizeof (SlSeenPair));
  g_free (seen->pairs);
  seen->pairs = pairs;
  seen->room = room;
  return TRUE;
}

gboolean
sl_seen_pairs_add (SlSeenPairs *seen, SlSeenPair pair, gboolean *before, GError **error)
{
  *before = FALSE;
  while (4 * (seen->n + 1) > 3 * seen->room)
    if (!grow (seen, error))
      return FALSE;
  if (!is_looked_at (pair.item, seen->n_halved))
    return TRUE;
  SlSeenPair *place = find (seen->pairs, seen->room, pair);
  *before = place->item != 0;
  seen->n += !*before;
  seen->n_again += *before;
  *place = pair;
  return TRUE;
}

gint64
sl_seen_pairs_again (const SlSeenPairs *seen)
{
  return seen->n_again;
}

void
sl_seen_pairs_tell (const SlSeenPairs *seen, SlRepeats how)
{
  static const char *const ends[]
      = { [SL_REPEATS_KEEP]
          = ", and each counts (--repeats mark marks them, --repeats drop leaves them out)",
          [SL_REPEATS_MARK] = ", marked in `repeat` (--repeats drop leaves them out)",
          [SL_REPEATS_DROP] = ": left out" };
  gboolean one = seen->n_again == 1;
  if (seen->n_again > 0)
    sl_run_warn (seen->run, "%s%" G_GINT64_FORMAT " answer%s who had answered the item before%s",
                 seen->n_halved > 0 ? "at least " : "", seen->n_again,
                 one ? " is of an annotator" : "s are of annotators", ends[how]);
}
