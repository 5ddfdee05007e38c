/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of all answers together: a row each, in a table of scores. */
#pragma once

#include "habits.h"
#include "schemas/kinds.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/figures/coefficient-intervals.h"

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

/* What annotators of each group say, by an attribute of theirs: agreement --group. */
typedef struct
{
  int column; /* of the answers' table; -1: there are to be no groups */
  const char *key;
  const char *source; /* for messages */
  SlAnnotatorTags tags;
  gint64 permutations;
} SlAgreementGroups;

/* For SlGathering.each, of a batch of answers. */
gboolean sl_agreement_groups_add (SlAgreementGroups *groups, SlBatch *batch, GError **error);

/* Adds to SCORES how far annotators of CROWD's groups agree within and between them, and then the
 * coefficients of each group's own answers. */
gboolean sl_agreement_groups_figures (const SlAgreementGroups *groups, SlGathering *crowd,
                                      const SlAgreed *agreed, const SlIntervalPlan *plan,
                                      GArray *scores, GError **error);
