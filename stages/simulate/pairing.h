/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which item is mixed with which. */
#pragma once

#include "pipeline/base/intern.h"

/* partner[i] of each of ITEMS, at least two: the next one in a circle whose order is drawn for
 * every SEED and ROUND. The order is that of numbers drawn for each item alone, so who is whose
 * partner does not depend on the order of rows, and an item more, or less, changes one pair.
 * HASH[n] are the items' sl_text_hash(). */
void sl_pair_up (const SlIntern *items, const guint64 *hash, guint64 seed, guint32 round,
                 int threads, gint32 *partner);
