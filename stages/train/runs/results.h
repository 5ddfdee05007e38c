/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has come of training: the runs that are done, and each epoch's figures. */
#pragma once

#include "training.h"

typedef struct
{
  gsize point, run;      /* of the grid; of the seeds and folds */
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
  gsize point, run;
  SlEpochFigures figures;
} SlLogRow;

typedef struct
{
  GPtrArray *done; /* of SlRunResult: of the best point of the grid, and of the one at work */
  GArray *log;     /* of SlLogRow */
} SlResults;

void sl_results_init (SlResults *results);
void sl_results_clear (SlResults *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlResults, sl_results_clear)

void sl_run_result_free (SlRunResult *result);

/* POINT's results are all there: of two points the worse one's go, by mean accuracy in validation,
 * then by loss, then the later. */
void sl_results_settle (SlResults *results, gsize point);

/* POINT's results go. */
void sl_results_drop (SlResults *results, gsize point);

/* Result of RUN among those that are kept; NULL where there is none. */
const SlRunResult *sl_results_find (const SlResults *results, gsize run);
