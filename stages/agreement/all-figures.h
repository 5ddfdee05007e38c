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
  const char *of; /* the group of annotators, a value of --group; NULL: all of them */
  double p;       /* of a difference */
} SlAgreementFigure;

/* Figures are added to SCORES, a GArray of SlAgreementFigure. */
void sl_all_figures_one (GArray *scores, const char *metric, double value, gint64 n);

/* The coefficients that the classes of AGREED allow. */
gboolean sl_all_figures_coefficients (GArray *scores, SlRun *run, const SlAgreed *agreed,
                                      const SlIntervalPlan *plan, GError **error);

/* The figures of CROWD, whose answers AGREED has, and of HABITS. */
gboolean sl_all_figures_add (GArray *scores, const SlGathering *crowd, const SlHabits *habits,
                             const SlAgreed *agreed, const SlIntervalPlan *plan, GError **error);

/* Writes them to run->out; ATTRIBUTE is the key of --group, or NULL. */
gboolean sl_all_figures_write (const GArray *scores, SlRun *run, double level,
                               const char *attribute, SlTable *table, GError **error);
