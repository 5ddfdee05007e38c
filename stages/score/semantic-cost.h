/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "pipeline/command/run.h"

/* What mass costs to move between TABLE's classes, [n_classes][n_classes]: as the CSV file COST
 * says, or 1 - the cosine of the word vectors in VECTORS; one of the two is NULL. */
double *sl_semantic_cost (SlRun *run, const SlTable *table, const char *cost, const char *vectors,
                          GError **error);
