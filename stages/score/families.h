/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of one kind: those that differ in no more than what figures are averaged over. */
#pragma once

#include "scoring.h"

/* Runs of each family that are folds of one become one (runs.h). TAGS are told apart. */
gboolean sl_families_join (SlScoring *scoring, const GPtrArray *tags, GError **error);
