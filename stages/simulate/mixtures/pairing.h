/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which item is mixed with which. */
#pragma once

#include "pipeline/base/intern/intern.h"

/* partner[i] of each of ITEMS, at least two: the next one in a circle whose order is drawn for
 * every SEED and ROUND. Items are ordered by a number drawn for each item alone. So pairs do not
 * depend on the order of rows, and one item more or less changes one pair. HASH[n] are the items'
 * sl_text_hash(). */
void sl_pair_up (const SlIntern *items, const guint64 *hash, guint64 seed, guint32 round,
                 int threads, gint32 *partner);
