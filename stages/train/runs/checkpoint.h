/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All there is to go on from, in one safetensors file. */
#pragma once

#include "run-plans.h"

/* Whose state it is: a text of options, seed, threads and all that PLAN and ITEMS (or NULL) have
 * from files, that is the same if and only if they are. */
char *sl_checkpoint_mark (const SlTrainPlan *plan, const SlItemFigures *items);

/* Lands the file PATH: RESULTS so far, and TRAINING after an epoch of training AT of all; or
 * with TRAINING NULL, before it. */
gboolean sl_checkpoint_write (SlRun *run, const char *path, const char *mark,
                              const SlResults *results, const SlItemFigures *items,
                              SlTraining *training, gsize at, GError **error);

typedef struct
{
  SlSafetensors file;
  gboolean found; /* there is one */
  gsize at;
  gboolean amid; /* of a run that has begun */
} SlCheckpoint;

/* What a sound one may say. */
typedef struct
{
  gsize k; /* classes */
  const SlRunGrid *grid;
  gsize n_items, n_confusion;
} SlCheckpointBounds;

/* Reads PATH if it is there: it must be of MARK, as it was written, and within BOUNDS. RESULTS and
 * ITEMS become what it says. */
gboolean sl_checkpoint_read (SlCheckpoint *checkpoint, SlRun *run, const char *path,
                             const char *mark, const SlCheckpointBounds *bounds, SlResults *results,
                             SlItemFigures *items, GError **error);
void sl_checkpoint_clear (SlCheckpoint *checkpoint);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCheckpoint, sl_checkpoint_clear)

/* TRAINING, newly made, goes on where it was. */
gboolean sl_checkpoint_restore (const SlCheckpoint *checkpoint, SlTraining *training,
                                GError **error);
