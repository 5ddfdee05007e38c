/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders drawn at random. */
#pragma once

#include <glib.h>

/* order[n] <- 0 .. n - 1 shuffled, a function of SEED, PURPOSE and ROUND. */
void sl_shuffle (gint32 *order, gsize n, guint64 seed, const char *purpose, guint32 round);

/* fold[n] <- which of FOLDS each of N belongs to: of a shuffled order the first n / folds and so
 * on, sizes apart by one at most. */
void sl_fold_all (gint32 *fold, gsize n, gsize folds, guint64 seed);
