/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pairs of item and annotator have been met, by two hashes of 64 bits: 16 bytes each, in a
 * table at most three quarters full. So answers are found that an annotator gives to an item again:
 * the option --repeats. */
#pragma once

#include "pipeline/command/run.h"
#include "pipeline/text/csv-split.h"
#include "pipeline/base/json-value.h"

typedef struct _SlSeenPairs SlSeenPairs;

/* The option --repeats. */
typedef enum
{
  SL_REPEATS_UNSAID = -1,
  SL_REPEATS_KEEP,
  SL_REPEATS_MARK,
  SL_REPEATS_DROP,
} SlRepeats;

typedef struct
{
  guint64 item, annotator;
} SlSeenPair;

SlSeenPairs *sl_seen_pairs_new (SlRun *run);
void sl_seen_pairs_free (SlSeenPairs *seen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSeenPairs, sl_seen_pairs_free)

/* Where many pairs come only some are looked at, those of an ever smaller part of the items, in
 * bounded memory. */
void sl_seen_pairs_sample (SlSeenPairs *seen);

SlSeenPair sl_pair_of (SlCell item, SlCell annotator);

/* Adds the pairs of ROWS that are looked at to PAIRS; ITEM and ANNOTATOR are columns of ROWS. By
 * any thread. */
void sl_seen_pairs_note (const SlSeenPairs *seen, const SlCsvRows *rows, int item, int annotator,
                         GArray *pairs);

/* *BEFORE: the pair had been met. Of a pair that is not looked at it is FALSE. */
gboolean sl_seen_pairs_add (SlSeenPairs *seen, SlSeenPair pair, gboolean *before, GError **error);

/* PAIR is added soon. */
void sl_seen_pairs_expect (const SlSeenPairs *seen, SlSeenPair pair);

/* How many pairs had been met when they were added. */
gint64 sl_seen_pairs_again (const SlSeenPairs *seen);

/* At the end: how many pairs had been met, and what became of them by HOW. */
void sl_seen_pairs_tell (const SlSeenPairs *seen, SlRepeats how);
