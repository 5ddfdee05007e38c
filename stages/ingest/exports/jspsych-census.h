/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts what is unusual in the answers of a survey, for --verbose. */
#pragma once

#include "pipeline/command/run.h"
#include "answer-form.h"

enum
{
  SL_CENSUS_ANSWERS,
  SL_CENSUS_REPEATS,
  SL_CENSUS_REPLACED,
  SL_CENSUS_UNREADABLE,
  SL_CENSUS_OUTSIDE,
  SL_CENSUS_ZERO,
  SL_CENSUS_NO_SECOND,
  SL_CENSUS_SECOND_WITHOUT_PERCENT,
  SL_CENSUS_PERCENT_WITHOUT_SECOND,
  SL_CENSUS_SAME_CLASS,
  SL_CENSUS_SECOND_ZERO,
  SL_CENSUS_SECOND_ABOVE,
  SL_CENSUS_FIRST_IMPOSSIBLE,
  SL_CENSUS_SECOND_IMPOSSIBLE,
  SL_CENSUS_EITHER_IMPOSSIBLE,
  SL_CENSUS_SUM_BELOW,
  SL_CENSUS_SUM_EQUAL,
  SL_CENSUS_SUM_ABOVE,
  SL_CENSUS_UNFINISHED,
  SL_CENSUS_N,
};

typedef struct
{
  gint64 n[SL_CENSUS_N];
} SlJspsychCensus;

/* FORM names the classes FIRST and SECOND (-1: none), and IMPOSSIBLE[n_impossible]. REPEAT: the
 * item was shown before. */
void sl_jspsych_census_add (SlJspsychCensus *census, const SlAnswerForm *form, gboolean repeat,
                            gint32 first, gint32 second, const gint32 *impossible,
                            guint n_impossible);
void sl_jspsych_census_tell (const SlJspsychCensus *census, gint32 n_annotators, gint32 n_items,
                             SlRun *run);
