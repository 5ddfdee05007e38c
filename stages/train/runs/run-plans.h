/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs there are: every point of the grid with every seed and fold; and who is trained on in
 * each. */
#pragma once

#include "training.h"

typedef struct
{
  char **names; /* [n_points]: "lr=0.1 clip=1"; "" where there is no grid */
  gsize n_points;
  gsize n_seeds, n_folds;
  /* Each run chooses its own point, and by nothing that it holds out: every point is tried on a
   * part of what the run is trained on, or on all of it where there are other items to validate
   * with. Then the best one is trained on all. */
  gboolean inside;
} SlRunGrid;

gboolean sl_run_grid_init (SlRunGrid *grid, const SlTrainOptions *options, GError **error);
void sl_run_grid_clear (SlRunGrid *grid);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlRunGrid, sl_run_grid_clear)

static inline gsize
sl_run_grid_runs (const SlRunGrid *grid)
{
  return grid->n_seeds * grid->n_folds;
}

/* One training of all. */
typedef struct
{
  gsize point, run; /* of the grid, of the seeds and folds */
  gboolean trial;   /* to choose by: nothing else is kept of it */
  gboolean chooses; /* POINT is that of the run's best trial */
} SlRunStep;

/* How many there are, and training AT of them. */
gsize sl_run_grid_steps (const SlRunGrid *grid);
SlRunStep sl_run_grid_step (const SlRunGrid *grid, gsize at);

/* One run's plan, with what it owns. */
typedef struct
{
  SlTrainPlan plan;
  SlValidation held; /* the items that are not shown, unless there are none */
} SlPlannedRun;

/* COMMON: what is alike in all. */
gboolean sl_planned_run_init (SlPlannedRun *planned, const SlTrainPlan *common,
                              const SlRunGrid *grid, const SlRunStep *step, GError **error);
void sl_planned_run_clear (SlPlannedRun *planned);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPlannedRun, sl_planned_run_clear)

/* What has come of training: the runs that are done, and each epoch's figures. */
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
