/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All runs, one after the other, with checkpoints between their epochs. */
#pragma once

#include "run-plans.h"

typedef struct
{
  SlRun *run;
  SlTrainPlan common;
  SlRunGrid grid;
  SlResults results;
  SlItemFigures *items; /* or NULL */
} SlTrainRuns;

gboolean sl_train_runs (SlTrainRuns *runs, GError **error);
