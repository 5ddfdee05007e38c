/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which corruptions are asked for, and the rows of corrupted examples. */
#pragma once

#include "corruptions/corruption.h"
#include "predict.h"

typedef struct
{
  const SlCorruption *corruption;
  int severity;
} SlCorruptionLevel;

typedef struct _SlCorruptPlan
{
  SlCorruptionLevel *condition; /* [n]; of a corruption all severities, one after the other */
  gsize n;
  gboolean all; /* those that the pictures allow */
  guint64 seed;
} SlCorruptPlan;

/* NAMES is "all" or a list of names, SEVERITIES a list such as "3", "1,5" or "1-5". */
gboolean sl_corrupt_plan_init (SlCorruptPlan *plan, const char *names, const char *severities,
                               GError **error);
void sl_corrupt_plan_clear (SlCorruptPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCorruptPlan, sl_corrupt_plan_clear)

/* That the examples of PREDICTORS are pictures that can be corrupted so; claims the room. Of all
 * corruptions, grey pictures are left those that need no colours. */
gboolean sl_corrupt_plan_fits (SlCorruptPlan *plan, SlRun *run, const SlPredictors *predictors,
                               GError **error);

/* As sl_predict_plain(), of each example in turn the rows of all conditions. */
gboolean sl_predict_corrupted (SlPrediction *prediction, const float *x, const SlPredictedRow *rows,
                               gsize n, GError **error);
