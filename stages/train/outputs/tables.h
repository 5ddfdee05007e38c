/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training writes beside the model: its log, items' dynamics, predictions of what was not
 * shown. */
#pragma once

#include "stages/train/runs/run-plans.h"
#include "stages/train/runs/results.h"

gboolean sl_write_log (SlRun *run, const char *path, const SlResults *results,
                       const SlRunGrid *grid, GError **error);
gboolean sl_write_dynamics (SlRun *run, const char *path, const SlTrainData *data,
                            const SlItemFigures *items, GError **error);
gboolean sl_write_held_out (SlRun *run, const char *path, const SlTrainData *data,
                            const SlResults *results, GError **error);
