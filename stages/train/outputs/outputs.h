/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training writes. */
#pragma once

#include "stages/train/runs/runs.h"

/* The kept runs' networks, as the run's output. */
gboolean sl_write_model (const SlTrainRuns *runs, GError **error);

/* Tables: a row an epoch; predictions of what was not shown. */
gboolean sl_write_log (SlRun *run, const char *path, const SlResults *results,
                       const SlRunGrid *grid, GError **error);
gboolean sl_write_held_out (SlRun *run, const char *path, const SlTrainData *data,
                            const SlResults *results, GError **error);

/* Begins ITEMS if --item-log asks for them. *WORTH: what annotators are worth, where that is known,
 * to be freed with g_free(). */
gboolean sl_item_log_begin (SlItemFigures *items, SlTrainData *data, double **worth,
                            GError **error);
gboolean sl_item_log_write (SlRun *run, const char *path, const SlTrainData *data,
                            const SlItemFigures *items, GError **error);

/* What a crowd layer has learned of each annotator. result->confusion <- TRAINING's: of items of
 * class k, by the network's share of k in each, what annotator r answers on average. */
gboolean sl_learned_confusion (SlTraining *training, SlRunResult *result, GError **error);

/* Writes the table PATH: the mean of all kept runs. */
gboolean sl_learned_confusion_write (SlRun *run, const char *path, const SlTrainData *data,
                                     const SlResults *results, GError **error);
