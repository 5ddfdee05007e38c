/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of all answers, as a table of scores. */
#pragma once

#include "stages/common/answers/gathering.h"
#include "habits.h"

/* Writes the figures of CROWD and of HABITS to run->out, a table of scores. */
gboolean sl_all_figures_write (SlGathering *crowd, const SlHabits *habits, SlTable *table,
                               GError **error);
