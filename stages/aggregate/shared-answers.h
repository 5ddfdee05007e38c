/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotators who err alike say one thing together. Of the answers to item i by the members of group
 * g, which count c_j, each counts
 *
 *     c_j / (sum of c_j' over the answers j' of g to i)
 *
 * so that a group counts once, however many of it answer (each cluster has the weight of one: Kish,
 * Survey Sampling, 1965). */
#pragma once

#include "stages/common/answers/answers.h"
#include "stages/common/priors/prior-files.h"

typedef struct
{
  double *count, *weight; /* [n_answers]; [n_items]: the groups that answered */
} SlGroupShares;

/* Sets the counts of ANSWERS, which stand by item, the weights of ITEMS and the sums of the votes
 * in their labels, by group[n_annotators], from 0 to N_GROUPS - 1. */
void sl_group_shares (SlItems *items, SlAnswers *answers, const gint32 *group, gint32 n_groups,
                      SlGroupShares *shared);

/* The same by the groups that the file of PRIORS gives ANNOTATORS. */
gboolean sl_share_answers (SlPriors *priors, const SlIntern *annotators, SlItems *items,
                           SlAnswers *answers, SlGroupShares *shared, GError **error);
void sl_group_shares_clear (SlGroupShares *shared);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlGroupShares, sl_group_shares_clear)
