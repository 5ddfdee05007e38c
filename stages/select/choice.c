/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "choice.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
  BLOCK = 16384, /* items whose keys are one task */
};

static inline guint64
key_of (guint64 seed, guint32 purpose, const char *item, gsize length)
{
  SlRandom random = sl_random (seed, purpose, sl_text_hash (item, length), 0, 0);
  return sl_random_u64 (&random);
}

guint64
sl_choice_key (guint64 seed, const char *item, gsize length)
{
  return key_of (seed, sl_random_purpose ("select"), item, length);
}

typedef struct
{
  guint64 seed;
  guint32 purpose;
  SlText items;
  gint64 n;
  guint64 *keys;
} Keys;

static void
find_keys (int t, gpointer data)
{
  const Keys *all = data;
  gint64 first = (gint64) t * BLOCK, end = MIN (all->n, first + BLOCK);
  const char *before = NULL;
  gsize before_length = 0;
  for (gint64 i = first; i < end; i++)
    {
      gsize length;
      const char *item = sl_text_get (all->items, i, &length);
      gboolean again
          = before != NULL && length == before_length && memcmp (item, before, length) == 0;
      all->keys[i] = again ? all->keys[i - 1] : key_of (all->seed, all->purpose, item, length);
      before = item;
      before_length = length;
    }
}

void
sl_choice_keys (guint64 seed, SlText items, gint64 n, int threads, guint64 *keys)
{
  Keys all = { seed, sl_random_purpose ("select"), items, n, keys };
  sl_parallel (threads, (int) ((n + BLOCK - 1) / BLOCK), find_keys, &all);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer names)
{
  const SlRanked *x = a, *y = b;
  return SL_COMPARE (x->key, y->key) ?: sl_intern_compare (names, x->item, y->item);
}

/* Keys are even over all of 64 bits: bins by their first bits have a few dozen each, which are in
 * the cache. Then each bin goes, in order, to its strata. */
#define BIN_BITS 16
#define N_BINS (1 << BIN_BITS)

static gint32
stratum_of (const SlRanked *ranked)
{
  return ranked->stratum;
}

static gint32
bin_of (const SlRanked *ranked)
{
  return (gint32) (ranked->key >> (64 - BIN_BITS));
}

/* to[n] <- FROM by its group, of N_GROUPS, in the order it has in each; end[n_groups] <- where each
 * ends. */
static void
sort_by (gint32 (*group_of) (const SlRanked *), const SlRanked *from, gint64 n, gint32 n_groups,
         SlRanked *to, gint64 *end)
{
  for (gint32 g = 0; g < n_groups; g++)
    end[g] = 0;
  for (gint64 i = 0; i < n; i++)
    end[group_of (&from[i])]++;
  gint64 before = 0;
  for (gint32 g = 0; g < n_groups; g++)
    {
      gint64 size = end[g];
      end[g] = before;
      before += size;
    }
  for (gint64 i = 0; i < n; i++)
    to[end[group_of (&from[i])]++] = from[i];
}

void
sl_choice_order (SlRanked *ranked, gint64 n, const SlIntern *names, SlRanked *room)
{
  gint32 n_strata = 1;
  for (gint64 i = 0; i < n; i++)
    n_strata = MAX (n_strata, ranked[i].stratum + 1);
  g_autofree gint64 *end = g_new (gint64, MAX (N_BINS, n_strata));
  sort_by (bin_of, ranked, n, N_BINS, room, end);
  for (gint32 b = 0; b < N_BINS; b++)
    {
      gint64 first = b > 0 ? end[b - 1] : 0;
      qsort_r (room + first, (gsize) (end[b] - first), sizeof *room, compare, (gpointer) names);
    }
  sort_by (stratum_of, room, n, n_strata, ranked, end);
}

typedef struct
{
  guint64 remainder;
  gint32 stratum;
} Remainder;

static int
compare_remainders (gconstpointer a, gconstpointer b)
{
  const Remainder *x = a, *y = b;
  return SL_COMPARE (y->remainder, x->remainder) ?: SL_COMPARE (x->stratum, y->stratum);
}

/* With n = Σ count, stratum s gets floor (wanted count_s / n); what is left over goes, one each, to
 * the strata that lost most by the rounding (Hamilton's method). */
void
sl_choice_share_out (const gint64 *count, gint32 n_strata, gint64 wanted, gint64 *quota)
{
  guint64 n = 0;
  for (gint32 s = 0; s < n_strata; s++)
    n += (guint64) count[s];
  g_assert (n == 0 || (guint64) wanted <= n);
  g_autofree Remainder *left = g_new (Remainder, MAX (n_strata, 1));
  gint64 shared = 0;
  for (gint32 s = 0; s < n_strata; s++)
    {
      guint64 product = (guint64) wanted * (guint64) count[s];
      quota[s] = n > 0 ? (gint64) (product / n) : 0;
      left[s] = (Remainder){ n > 0 ? product % n : 0, s };
      shared += quota[s];
    }
  qsort (left, (gsize) n_strata, sizeof *left, compare_remainders);
  for (gint32 i = 0; shared < wanted; i++, shared++)
    quota[left[i].stratum]++;
}

void
sl_choice_take (const SlRanked *ranked, gint64 n, const gint64 *quota, guint8 *chosen)
{
  gint64 first = 0; /* of the stratum */
  for (gint64 i = 0; i < n; i++)
    {
      if (i > 0 && ranked[i].stratum != ranked[i - 1].stratum)
        first = i;
      if (i - first < quota[ranked[i].stratum])
        chosen[ranked[i].item] = 1;
    }
}

void
sl_choice_deal (const SlRanked *ranked, gint64 n, gint64 n_folds, gint64 fold, guint8 *chosen)
{
  for (gint64 i = fold; i < n; i += n_folds)
    chosen[ranked[i].item] = 1;
}
