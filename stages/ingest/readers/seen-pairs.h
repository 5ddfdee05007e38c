/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pairs of item and annotator have been met, by two hashes of 64 bits: 16 bytes each, in a
 * table at most three quarters full. */
#pragma once

#include "pipeline/command/run.h"
#include "pipeline/text/json-value.h"

typedef struct _SlSeenPairs SlSeenPairs;

SlSeenPairs *sl_seen_pairs_new (SlRun *run);
void sl_seen_pairs_free (SlSeenPairs *seen);

/* *BEFORE: the pair had been met. */
gboolean sl_seen_pairs_add (SlSeenPairs *seen, SlCell item, SlCell annotator, gboolean *before,
                            GError **error);
