/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a crowd is made of, from the text of options. */
#pragma once

#include "crowd-matrix.h"

/* Parses TYPE=SHARE[:P[:S]],... into an array of SlCrowdPart, whose shares sum to 1. */
GArray *sl_crowd_mix_parse (const char *text, GError **error);

/* counts[mix->len] of N annotators: each part's share, rounded so that the sum is N (largest
 * remainders). */
void sl_crowd_mix_counts (const GArray *mix, gint64 n, gint64 *counts);

/* The group of each class, group[n_classes]. TEXT is a|b,c|d|e, by the names of CLASSES; a class
 * that is not named is in a group of its own. NULL: neighbours in class order are pairs, and an odd
 * last one joins the last pair. */
gboolean sl_crowd_groups_parse (const char *text, char *const *classes, gint32 *group,
                                GError **error);

/* share[n_classes]: numbers with commas that sum to 1. */
gboolean sl_crowd_priors_parse (const char *text, gint32 n_classes, double *share, GError **error);

/* share[k] falls geometrically from the first class to the last, which has 1 / RATIO of the
 * first's. */
void sl_crowd_long_tail (double ratio, gint32 n_classes, double *share);
