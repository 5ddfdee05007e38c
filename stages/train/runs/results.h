/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has come of training: the runs that are done, and each epoch's figures. */
#pragma once

#include "run-plans.h"

typedef struct
{
  SlRunStep step;        /* which training it is; of one that chooses, the chosen point */
  gint64 epoch;          /* that was kept, from 0 */
  double accuracy, loss; /* in validation; NaN: none */
  gsize k, size, n_held, n_confusion;
  float *values;     /* [size] */
  gint32 *held_item; /* [n_held] */
  float *held;       /* [n_held][k]: logits */
  float *confusion;  /* [annotators][k][k], all of them n_confusion; or NULL */
} SlRunResult;

typedef struct
{
  gsize at, point; /* which training, and the point of the grid that it was of */
  SlEpochFigures figures;
} SlLogRow;

typedef struct
{
  GPtrArray *done; /* of SlRunResult: of the best point of the grid, and of the one at work; of
                      trials, which come last, the best of the run at work */
  GArray *log;     /* of SlLogRow */
} SlResults;

void sl_results_init (SlResults *results);
void sl_results_clear (SlResults *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlResults, sl_results_clear)

/* POINT's results, of trials or of runs, are all there: of two points the worse one's go, by mean
 * accuracy in validation, then by loss, then the later. */
void sl_results_settle (SlResults *results, gboolean trial, gsize point);

/* POINT's results go. */
void sl_results_drop (SlResults *results, gboolean trial, gsize point);

/* The trial that is best so far; NULL where there is none. */
const SlRunResult *sl_results_trial (const SlResults *results);

/* Result of RUN among those that are kept; NULL where there is none. */
const SlRunResult *sl_results_find (const SlResults *results, gsize run);
