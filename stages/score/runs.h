/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs of one kind go together. Those of a cross-validation have no item in common and all
 * items together: they are one. Otherwise every run must have the same items. */
#pragma once

#include "scoring.h"

/* SETS (SlScoredSet) are runs of one kind, which a figure would be averaged over. Runs that are one
 * get the same file and run of ONE (by SlScoredSet: what its key is then). That they have other
 * items than each other, or than the reference, is an error, or with --inner told; that the same
 * one is there twice, too. TOGETHER: they will be scored as one. */
gboolean sl_runs_join (SlScoring *scoring, GPtrArray *sets, gboolean together, GHashTable *one,
                       GError **error);
