/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each annotator answers as others do. */
#pragma once

#include <glib.h>

/* SHARE[n_annotators] <- Σ w (c_i(l) - w) / Σ w (n_i - w) over the rows of each annotator: w
 * answers l to the item i, to which all rows together have n_i answers, c_i(l) of them l. NaN where
 * there are no others. ITEM, ANNOTATOR, CLASS[n]; COUNT[n], or NULL for 1 each.
 * VOTES[n_items][n_classes] is room of zeros. */
void sl_share_agreeing (const gint32 *item, const gint32 *annotator, const gint32 *class,
                        const double *count, gsize n, gint32 n_items, gint32 n_classes,
                        gint32 n_annotators, double *votes, double *share);
