/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of each annotator, as a table of annotators. */
#pragma once

#include "stages/common/answers/gathering.h"
#include "figure-rows.h"
#include "habits.h"

/* Writes a row for each annotator of CROWD, with what TABLE has of their HABITS, to run->out. */
gboolean sl_annotator_figures_write (SlGathering *crowd, const SlHabits *habits,
                                     const SlRowOrder *order, SlTable *table, GError **error);
