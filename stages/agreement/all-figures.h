/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of all answers together: a row each, in a table of scores. */
#pragma once

#include "schemas/kinds.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/figures/coefficient-intervals.h"
#include "habits.h"

typedef struct
{
  const char *metric, *definition;
  SlCoefficientResult result;
} SlAgreementFigure;

/* Writes the figures of CROWD, whose answers AGREED has, and of HABITS to run->out. */
gboolean sl_all_figures_write (SlGathering *crowd, const SlHabits *habits, const SlAgreed *agreed,
                               const SlIntervalPlan *plan, SlTable *table, GError **error);
