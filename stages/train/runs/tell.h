/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training says of how far it is. */
#pragma once

#include "training.h"

/* An epoch of run AT of OF begins. */
void sl_tell_begin (SlTraining *training, gsize at, gsize of);

/* Batch INDEX of N_BATCHES begins. */
void sl_tell_batch (SlTraining *training, gsize index, gsize n_batches);

/* An epoch is over: one line at a terminal, at most one a second, and with -v. TOLD: when the last
 * one was. */
void sl_tell_epoch (SlTraining *training, const SlEpochFigures *figures, gsize at, gsize of,
                    gint64 *told);
