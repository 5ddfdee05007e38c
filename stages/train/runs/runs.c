/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runs.h"

#include "checkpoint.h"
#include "stages/train/outputs/learned-confusion.h"
#include "tell.h"

#include <math.h>
#include <string.h>

typedef struct
{
  SlTrainRuns *runs;
  const SlTrainOptions *options;
  char *mark;
  SlCheckpoint checkpoint;
  gsize n_runs; /* of a point */
  gint64 told;  /* when the last line was printed, microseconds */
} Work;

static void
work_clear (Work *work)
{
  g_clear_pointer (&work->mark, g_free);
  sl_checkpoint_clear (&work->checkpoint);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static gboolean
save (Work *work, SlTraining *training, gsize at, GError **error)
{
  SlTrainRuns *runs = work->runs;
  return work->options->checkpoint == NULL
         || sl_checkpoint_write (runs->run, work->options->checkpoint, work->mark, &runs->results,
                                 runs->items, training, at / work->n_runs, at % work->n_runs,
                                 error);
}

static gboolean
stop (const Work *work, gint64 epoch, gint64 epochs, GError **error)
{
  g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
               "stopped after epoch %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
               "; with --resume it goes on from %s",
               epoch, epochs, work->options->checkpoint);
  return FALSE;
}

static gboolean
stop_between (const Work *work, gsize at, GError **error)
{
  g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
               "stopped after run %" G_GSIZE_FORMAT "; with --resume it goes on from %s", at,
               work->options->checkpoint);
  return FALSE;
}

static gboolean
all_epochs (Work *work, SlTraining *training, gsize at, GError **error)
{
  SlTrainRuns *runs = work->runs;
  gint64 epochs = training->plan->options.epochs;
  gsize of = work->n_runs * runs->grid.n_points;
  while (training->epoch < epochs)
    {
      SlEpochFigures figures;
      gboolean stopped;
      sl_tell_begin (training, at, of);
      if (!sl_training_epoch (training, &figures, &stopped, error))
        return FALSE;
      if (stopped)
        return stop (work, training->epoch, epochs, error);
      SlLogRow row = { at / work->n_runs, at % work->n_runs, figures };
      g_array_append_val (runs->results.log, row);
      sl_tell_epoch (training, &figures, at, of, &work->told);
      if (!save (work, training, at, error))
        return FALSE;
      if (training->epoch < epochs && sl_run_stopping (runs->run))
        return stop (work, training->epoch, epochs, error);
    }
  return TRUE;
}

typedef struct
{
  float *out;
  gsize k;
} Logits;

static void
keep_logits (gpointer data, gsize from, gsize n, const float *logits, const float *difficulty)
{
  (void) difficulty;
  const Logits *to = data;
  memcpy (to->out + from * to->k, logits, n * to->k * sizeof (float));
}

/* What the run's kept network says of the items that it was not shown. */
static gboolean
predict_held (SlTraining *training, const SlValidation *held, SlRunResult *result, GError **error)
{
  result->held = g_new (float, MAX (held->n * result->k, 1));
  result->held_item = g_memdup2 (held->which, MAX (held->n, 1) * sizeof (gint32));
  result->n_held = held->n;
  Logits to = { result->held, result->k };
  return sl_training_predict (training, held->examples, held->which, held->n, keep_logits, &to,
                              error);
}

static gboolean
finish (Work *work, SlTraining *training, const SlPlannedRun *planned, gsize at, GError **error)
{
  const SlTrainData *data = training->plan->data;
  SlResults *results = &work->runs->results;
  SlRunResult *result = g_new0 (SlRunResult, 1);
  g_ptr_array_add (results->done, result);
  result->point = at / work->n_runs;
  result->run = at % work->n_runs;
  result->k = data->k;
  result->size = training->size;
  gboolean best = training->best != NULL && training->best_epoch >= 0;
  const SlLogRow *last = &g_array_index (results->log, SlLogRow, results->log->len - 1);
  result->epoch = best ? training->best_epoch : training->epoch - 1;
  result->accuracy = best ? training->best_accuracy : last->figures.validation_accuracy;
  result->loss = best ? training->best_loss : last->figures.validation_loss;
  if (!sl_run_claim (work->runs->run, training->size * sizeof (float), "the models of all runs",
                     error))
    return FALSE;
  result->values = g_new (float, training->size);
  sl_training_values (training, result->values);
  sl_training_set_values (training, result->values);
  if (!predict_held (training, &planned->held, result, error)
      || (work->options->confusion != NULL && !sl_learned_confusion (training, result, error)))
    return FALSE;
  if (result->run + 1 == work->n_runs)
    sl_results_settle (results, result->point);
  return TRUE;
}

/* A point of the grid that diverges has lost: the next one's turn. But what it has told of items
 * cannot be taken back. */
static gboolean
lose_point (Work *work, const SlTraining *training, gsize *at, GError **error)
{
  SlTrainRuns *runs = work->runs;
  SlResults *results = &runs->results;
  gsize point = *at / work->n_runs;
  g_autoptr (GError) problem = NULL;
  if (!training->diverged || runs->items != NULL)
    return FALSE;
  sl_results_drop (results, point);
  if (point + 1 == runs->grid.n_points && results->done->len == 0)
    return FALSE;
  g_propagate_error (&problem, g_steal_pointer (error));
  sl_run_warn (runs->run, "--grid %s loses: %s", runs->grid.names[point], problem->message);
  *at = (point + 1) * work->n_runs;
  return save (work, NULL, *at, error);
}

/* *NEXT becomes the run that is next. */
static gboolean
one_run (Work *work, gsize *next, GError **error)
{
  gsize at = *next;
  SlTrainRuns *runs = work->runs;
  g_auto (SlPlannedRun) planned;
  if (!sl_planned_run_init (&planned, &runs->common, &runs->grid, at / work->n_runs,
                            at % work->n_runs, error))
    return FALSE;
  g_autoptr (SlTraining) training = sl_training_new (runs->run, &planned.plan, runs->items, error);
  if (training == NULL)
    return FALSE;
  if (work->checkpoint.amid)
    {
      if (!sl_checkpoint_restore (&work->checkpoint, training, error))
        return FALSE;
      work->checkpoint.amid = FALSE;
      sl_run_note (runs->run, "goes on after epoch %" G_GINT64_FORMAT, training->epoch);
    }
  if (!all_epochs (work, training, at, error))
    return lose_point (work, training, next, error);
  if (!finish (work, training, &planned, at, error))
    return FALSE;
  *next = at + 1;
  return save (work, NULL, *next, error);
}

static gboolean
resume (Work *work, GError **error)
{
  SlTrainRuns *runs = work->runs;
  const SlTrainData *data = runs->common.data;
  gsize n_annotators
      = work->options->confusion != NULL ? (gsize) sl_intern_size (data->annotators) : 0;
  const SlCheckpointBounds bounds = { .k = data->k,
                                      .n_points = runs->grid.n_points,
                                      .n_runs = work->n_runs,
                                      .n_items = (gsize) data->features.examples.n,
                                      .n_confusion = n_annotators * data->k * data->k };
  return sl_checkpoint_read (&work->checkpoint, runs->run, work->options->checkpoint, work->mark,
                             &bounds, &runs->results, runs->items, error);
}

gboolean
sl_train_runs (SlTrainRuns *runs, GError **error)
{
  const SlTrainOptions *options = &runs->common.options;
  g_auto (Work) work
      = { .runs = runs, .options = options, .n_runs = sl_run_grid_runs (&runs->grid) };
  if (options->checkpoint != NULL)
    {
      work.mark = sl_checkpoint_mark (&runs->common, runs->items);
      sl_run_may_stop (runs->run);
    }
  if (options->resume && !resume (&work, error))
    return FALSE;
  gsize from = work.checkpoint.found ? work.checkpoint.point * work.n_runs + work.checkpoint.at : 0;
  for (gsize at = from; at < work.n_runs * runs->grid.n_points;)
    {
      if (at > from && options->checkpoint != NULL && sl_run_stopping (runs->run))
        return stop_between (&work, at, error);
      if (!one_run (&work, &at, error))
        return FALSE;
    }
  return TRUE;
}
