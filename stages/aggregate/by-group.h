/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels of groups of annotators, and of all groups together: aggregate --group. */
#pragma once

#include "stages/common/answers/gathering.h"
#include "stages/common/items/item-values.h"
#include "aggregation.h"

/* What each group counts in a label of all: --weights. */
typedef struct
{
  gboolean wanted, alike;
  SlItemValues file;
} SlGroupWeights;

/* Opens the file, before the output begins. */
gboolean sl_group_weights_open (SlGroupWeights *weights, SlAggregation *aggregation,
                                GError **error);
void sl_group_weights_clear (SlGroupWeights *weights);

/* Items once more, with the label of all groups together. */
typedef struct
{
  SlIntern *items;
  SlTally tally;
  double *votes; /* [n_items]: as many votes, of one weight, would be as sure (Kish, 1965) */
} SlMerged;

void sl_merged_clear (SlMerged *merged);

/* The labels of GATHERING's items, which are those of groups, become ones of all groups: each
 * item's is Σ_g w_g p_g / Σ_g w_g over the groups that have answered it. Its tags go with it. */
gboolean sl_merge_groups (SlGathering *gathering, const SlGroupWeights *weights, SlMerged *merged,
                          GError **error);

/* NAMES[n] of items FROM and on of ITEMS, without their groups; *DATA has them, OFFSET[n + 1]. */
SlText sl_ungrouped_names (const SlIntern *items, gint32 from, gint32 n, GByteArray *data,
                           gint32 *offset);
