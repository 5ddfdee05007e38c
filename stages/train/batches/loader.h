/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches one after the other, the next being made while one is at work. */
#pragma once

#include "batch.h"

typedef struct _SlLoader SlLoader;

/* AHEAD: in a thread of its own, several where they are small. INPUT: where the inputs go
 * otherwise. */
SlLoader *sl_loader_new (const SlBatchPlan *plan, gboolean ahead, float *input);
void sl_loader_free (SlLoader *loader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlLoader, sl_loader_free)

gsize sl_loader_bytes (const SlBatchPlan *plan, gboolean ahead);

/* EPOCH's batches will come, in an order that is drawn. */
void sl_loader_begin (SlLoader *loader, gint64 epoch);

/* The next one, good until the one after it; NULL after the last. */
SlTrainBatch *sl_loader_next (SlLoader *loader);
