/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of votes, item by item. */
#pragma once

#include <glib.h>

typedef struct
{
  gint32 n_items, n_classes;
  gsize room;     /* items there is memory for */
  double *sum;    /* [n_items][n_classes] */
  double *weight; /* [n_items]: votes in all, once settled */
  /* Sums of labels are to be the same for any order of rows: set before the first. Sums of votes
   * are, as whole numbers. */
  gboolean exact;
  double *rest; /* [n_items][n_classes + 1]: what rounding has taken off each sum and the weight */
  gint32 *gold; /* [n_items]; -1: not known */
} SlTally;

void sl_tally_init (SlTally *tally, gint32 n_classes);
void sl_tally_clear (SlTally *tally);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTally, sl_tally_clear)

/* Room for items up to N_ITEMS; new ones have no votes. */
void sl_tally_resize (SlTally *tally, gint32 n_items);
gsize sl_tally_item_bytes (gint32 n_classes); /* memory of one item; twice that where exact */

/* Item I becomes what item order[I] was; takes as much memory again meanwhile. */
void sl_tally_reorder (SlTally *tally, const gint32 *order, int threads);

/* Adds rows to the items item[n]: labels label[n][n_classes] with weight[n], or votes vote[n]
 * with count[n] (NULL: 1). Each item's rows are added in their order whatever the number of
 * threads, so the sums are the same to the last bit. */
void sl_tally_add_labels (SlTally *tally, const gint32 *item, gint64 n, const double *label,
                          const double *weight, int threads);
void sl_tally_add_votes (SlTally *tally, const gint32 *item, gint64 n, const gint32 *vote,
                         const gint64 *count, int threads);

/* After the last row: votes are added up to weights; exact sums of LABELS get what was rounded. */
void sl_tally_settle (SlTally *tally, gboolean labels);

/* Notes the items' gold classes gold[n] (-1: not known). Returns -1, or the first row that
 * contradicts an earlier one. */
gint64 sl_tally_add_gold (SlTally *tally, const gint32 *item, gint64 n, const gint32 *gold);
