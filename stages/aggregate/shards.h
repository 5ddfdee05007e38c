/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A round of Dawid-Skene, or of a method that differs from it by its θ alone, over answers that are
 * in parts, each item's in one of them: every part's sums
 *   c_a[k][l] = Σ of T_ik over a's answers l,   C_k = Σ_i T_ik
 * become a table of confusion, and those tables together the confusion for the next round,
 *   θ_a: what the method makes of c_a,   π_k = C_k / Σ_k C_k,
 * or, of ibcc and hierarchical-dawid-skene, exp E log θ_a and exp E log π, whose rows sum to less
 * than 1. zencrowd, whose round begins with the labels, makes those of its own first step; the sums
 * of glad are those of glad-parts.h, in answers and information. An annotator's same answer to an
 * item again is left out where the method leaves it out.
 * C is kept in rows of no annotator, (k, k, C_k). */
#pragma once

#include "stages/common/answers/gathering.h"
#include "aggregation.h"

/* Labels for a part's sums: by settings->start, the shares of the votes before the first round. */
gboolean sl_shard_label (const SlAggregation *aggregation, const SlItems *items,
                         const SlAnswers *answers, GError **error);

/* Writes the sums of CROWD's ANSWERS, where ITEMS have labels T. START_ID: of the table that labels
 * were made by; NULL: by none. */
gboolean sl_shard_write (const SlAggregation *aggregation, const SlItems *items,
                         const SlAnswers *answers, const SlGathering *crowd, const char *start_id,
                         GError **error);

/* The tag of sums: the method whose they are, and the options that say how they were made, the
 * table of --init by its id. Parts with another tag are no parts of the same round. */
#define SL_SUMS_TAG "sums"

/* Reads the parts' tables, one behind the other, and writes the confusion that they make, by the
 * method and the smoothing of the sums. */
gboolean sl_shard_merge (SlAggregation *aggregation, GError **error);
