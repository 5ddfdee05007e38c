/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a crowd layer has learned of each annotator, as a confusion table. */
#pragma once

#include "stages/train/runs/results.h"

/* result->confusion <- TRAINING's: of items of class k, by the network's share of k in each, what
 * annotator r answers on average. */
gboolean sl_learned_confusion (SlTraining *training, SlRunResult *result, GError **error);

/* Writes the table PATH: the mean of all kept runs. */
gboolean sl_learned_confusion_write (SlRun *run, const char *path, const SlTrainData *data,
                                     const SlResults *results, GError **error);
