/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which items are chosen: a function of the seed and of the set of items, whatever their order.
 *
 * An item's key is a random number of 64 bits that (seed, item) tells. A sample of N is the N items
 * with the least keys, so that a smaller sample is part of a larger one, and the sample of a whole
 * table is the sample of the samples of its parts (bottom-k sampling: E. Cohen, H. Kaplan,
 * "Summarizing data using bottom-k sketches", PODC 2007). */
#pragma once

#include "pipeline/base/intern/intern.h"

typedef struct
{
  guint64 key;
  gint32 item;    /* its number */
  gint32 stratum; /* from 0 */
} SlRanked;

guint64 sl_choice_key (guint64 seed, const char *item, gsize length);

/* keys[n] of ITEMS, on THREADS threads. */
void sl_choice_keys (guint64 seed, SlText items, gint64 n, int threads, guint64 *keys);

/* Orders RANKED[n] by stratum, then by key; items with one key, which hardly occurs, by their names
 * in NAMES. ROOM is for N, too. */
void sl_choice_order (SlRanked *ranked, gint64 n, const SlIntern *names, SlRanked *room);

/* quota[n_strata] <- WANTED, at most Σ count, shared in proportion to count[n_strata] by largest
 * remainders; of equal ones the stratum that comes first gets the item. count <= 2^31. */
void sl_choice_share_out (const gint64 *count, gint32 n_strata, gint64 wanted, gint64 *quota);

/* RANKED is in order: chosen[item] <- 1 for the first quota[s] items of each stratum s. */
void sl_choice_take (const SlRanked *ranked, gint64 n, const gint64 *quota, guint8 *chosen);

/* RANKED is in order, and dealt out like cards: chosen[item] <- 1 for those that fold FOLD of
 * N_FOLDS gets, FOLD < N_FOLDS. Two folds differ by one item at most, in each stratum and in
 * all. */
void sl_choice_deal (const SlRanked *ranked, gint64 n, gint64 n_folds, gint64 fold, guint8 *chosen);
