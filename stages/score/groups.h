/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which cases go together: groups, which have a row for each metric, and their runs, over which
 * figures are averaged. */
#pragma once

#include "scoring.h"

typedef struct
{
  gint32 file, run;
  GPtrArray *cases; /* SlCase: one, or with --mean-over those that are averaged first */
} SlScoreRun;

typedef struct
{
  char *text;      /* what tells it apart (stages/common/tables/row-conditions.h) */
  SlTags tags;     /* those of it that are tags */
  GPtrArray *runs; /* SlScoreRun */
} SlScoreGroup;

/* The groups, in order of first appearance: by the conditions of predictions, by what SCORING tells
 * of items, and by tags: those of BY, or with BY NULL all that are not the same in every file.
 * MEAN_OVER, unless NULL, is not told apart, and each run's figure is the mean over it. */
GPtrArray *sl_score_groups (SlScoring *scoring, char *const *by, const char *mean_over,
                            GError **error);

/* What tells KEY apart, for the tags TAGS and whatever SCORING tells of rows; to be freed. */
char *sl_score_text_of (const SlScoring *scoring, const SlCaseKey *key, const GPtrArray *tags);

/* ---- runs.c ---- */

/* Runs that differ in no more than what figures are averaged over, and are folds of one, become
 * one. TAGS are told apart. */
gboolean sl_families_join (SlScoring *scoring, const GPtrArray *tags, GError **error);
