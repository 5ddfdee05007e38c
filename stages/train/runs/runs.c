/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runs.h"

#include "checkpoint.h"
#include "stages/train/outputs/outputs.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  SlTrainRuns *runs;
  const SlTrainOptions *options;
  char *mark;
  SlCheckpoint checkpoint;
  gboolean warned; /* of a loss that does not fall */
  gint64 told;     /* when the last line was printed, microseconds */
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
                                 runs->items, training, at, error);
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

static void
append_time (GString *line, double seconds)
{
  if (seconds < 90)
    g_string_append_printf (line, "%.0f s left", seconds);
  else if (seconds < 5400)
    g_string_append_printf (line, "%.0f min left", seconds / 60);
  else
    g_string_append_printf (line, "%.1f h left", seconds / 3600);
}

/* What the epoch came to, in a line where somebody reads it. */
static void
tell_epoch (SlTraining *training, const SlEpochFigures *figures, gsize at, gsize of, gint64 *told)
{
  SlRun *run = training->run;
  gint64 epochs = training->plan->options.epochs, now = g_get_monotonic_time ();
  double rows = (double) training->plan->n / MAX (figures->seconds, 1e-9);
  g_free (training->detail);
  training->detail = g_strdup_printf ("loss %.4f, accuracy %.4f, %.0f items/s", figures->loss,
                                      figures->accuracy, rows);
  /* A line a second is as much as one can read. */
  gboolean terminal = !run->quiet && isatty (STDERR_FILENO)
                      && (now - *told > G_USEC_PER_SEC || training->epoch == epochs);
  if (!terminal && !run->verbose)
    return;
  *told = now;
  g_autoptr (GString) line = g_string_new (NULL);
  if (of > 1)
    g_string_append_printf (line, "run %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT ", ", at + 1, of);
  g_string_append_printf (line, "epoch %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ": %s",
                          training->epoch, epochs, training->detail);
  if (!isnan (figures->validation_loss))
    g_string_append_printf (line, "; validation %.4f, %.4f", figures->validation_loss,
                            figures->validation_accuracy);
  g_string_append (line, "; ");
  append_time (line, figures->seconds * (double) (epochs - training->epoch));
  if (run->verbose)
    {
      sl_run_note (run, "%s", line->str);
      return;
    }
  g_string_append_c (line, '\n');
  sl_run_report (run, line->str);
}

/* So many epochs, and steps, should make a loss fall, to this share of what it was. */
#define SOON_EPOCHS 3
#define SOON_STEPS 50
#define FALLEN 0.98

/* Warns, once, of a loss that is not below what it began with, or, of cross-entropy, below that of
 * a guess, to which all classes are equally likely: log K. */
static void
warn_unless_falling (Work *work, const SlTraining *training, const SlEpochFigures *now)
{
  const SlObjectivePlan *loss = &training->objective.plan;
  const GArray *rows = work->runs->results.log;
  gint64 batches = (gint64) sl_batch_plan_batches (&training->batches);
  gint64 soon = MAX (SOON_EPOCHS, (SOON_STEPS + batches - 1) / batches);
  if (now->epoch + 1 != soon || work->warned || rows->len < soon)
    return;
  double least = g_array_index (rows, SlLogRow, rows->len - soon).figures.loss;
  if (loss->loss->traits & SL_LOSS_TEMPERED && loss->arguments.temperature == 1)
    least = MIN (least, log ((double) loss->k));
  if (training->lowest < FALLEN * least)
    return;
  g_autofree char *advice = sl_training_advice (training, "another", now->rate);
  work->warned = TRUE;
  sl_run_warn (work->runs->run,
               "in %" G_GINT64_FORMAT " epochs the loss has not fallen: it is %.3f, and %.3f "
               "without learning; %s may help, unless the labels do not follow from the examples",
               soon, now->loss, least, advice);
}

/* The loss is convex in what is learned, and each item has one target: it could stand still. */
static gboolean
may_stand_still (const SlTraining *training)
{
  const SlTrainOptions *o = &training->plan->options;
  const SlTargets *targets = &training->batches.targets;
  gboolean drawn = targets->hard
                   || (targets->kind == SL_TARGET_POOL && !targets->mean
                       && sl_pools_have_several (targets->pools));
  return strcmp (o->model, "softmax") == 0 && sl_losses[o->loss].traits & SL_LOSS_TEMPERED
         && o->of_loss.temperature == 1 && o->weight_decay == 0 && !drawn
         && training->batches.mixing.alpha <= 0 && training->batches.augment == NULL;
}

/* Gradients that are longer than this share of a guess's are far from standing still. */
#define FAR 0.05

/* Says how far a convex loss came, where somebody may read it. */
static gboolean
tell_slope (Work *work, SlTraining *training, GError **error)
{
  SlRun *run = work->runs->run;
  double share;
  if (run->quiet || work->warned || !may_stand_still (training))
    return TRUE;
  if (!sl_training_slope (training, &share, error))
    return FALSE;
  sl_run_note (run,
               "after epoch %" G_GINT64_FORMAT " the loss's gradient is %.3g %% as long as that "
               "of a guess; where the loss is least it is 0",
               training->epoch, 100 * share);
  if (share <= FAR)
    return TRUE;
  work->warned = TRUE;
  sl_run_warn (run,
               "stopped early: the loss's gradient is still %.3g %% as long as that of a guess; "
               "more --epochs go on, and --validation-share tells whether that helps",
               100 * share);
  return TRUE;
}

static gboolean
all_epochs (Work *work, SlTraining *training, const SlRunStep *step, gsize at, GError **error)
{
  SlTrainRuns *runs = work->runs;
  gint64 epochs = training->plan->options.epochs;
  gsize of = sl_run_grid_steps (&runs->grid);
  while (training->epoch < epochs)
    {
      SlEpochFigures figures;
      gboolean stopped;
      training->at = at;
      training->of = of;
      if (!sl_training_epoch (training, &figures, &stopped, error))
        return FALSE;
      if (stopped)
        return stop (work, training->epoch, epochs, error);
      SlLogRow row = { at, step->point, figures };
      g_array_append_val (runs->results.log, row);
      tell_epoch (training, &figures, at, of, &work->told);
      warn_unless_falling (work, training, &figures);
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

static gboolean
keep_logits (gpointer data, gsize from, const SlLossBatch *batch, GError **error)
{
  const Logits *to = data;
  memcpy (to->out + from * to->k, batch->logits, batch->n * to->k * sizeof (float));
  return TRUE;
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

/* What is kept of a run: its network, and what that says of the items that it was not shown. */
static gboolean
keep (Work *work, SlTraining *training, const SlPlannedRun *planned, SlRunResult *result,
      GError **error)
{
  result->size = training->size;
  if (!sl_run_claim (work->runs->run, training->size * sizeof (float), "the models of all runs",
                     error))
    return FALSE;
  result->values = g_new (float, training->size);
  sl_training_values (training, result->values);
  sl_training_set_values (training, result->values);
  return predict_held (training, &planned->held, result, error)
         && (work->options->confusion == NULL || sl_learned_confusion (training, result, error));
}

static gboolean
finish (Work *work, SlTraining *training, const SlPlannedRun *planned, const SlRunStep *step,
        GError **error)
{
  SlResults *results = &work->runs->results;
  SlRunResult *result = g_new0 (SlRunResult, 1);
  result->step = *step;
  result->k = training->plan->data->k;
  gboolean best = training->best != NULL && training->best_epoch >= 0;
  const SlLogRow *last = &g_array_index (results->log, SlLogRow, results->log->len - 1);
  result->epoch = best ? training->best_epoch : training->epoch - 1;
  result->accuracy = best ? training->best_accuracy : last->figures.validation_accuracy;
  result->loss = best ? training->best_loss : last->figures.validation_loss;
  if (step->chooses)
    sl_results_drop (results, TRUE, step->point);
  g_ptr_array_add (results->done, result);
  if (!step->trial && !keep (work, training, planned, result, error))
    return FALSE;
  if (step->trial || (!step->chooses && step->run + 1 == sl_run_grid_runs (&work->runs->grid)))
    sl_results_settle (results, step->trial, step->point);
  return TRUE;
}

/* A point of the grid that diverges has lost: the next one's turn. But what it has told of items
 * cannot be taken back. */
static gboolean
lose_point (Work *work, const SlTraining *training, const SlRunStep *step, gsize *at,
            GError **error)
{
  SlTrainRuns *runs = work->runs;
  SlResults *results = &runs->results;
  g_autoptr (GError) problem = NULL;
  if (!training->diverged || training->items != NULL || step->chooses)
    return FALSE;
  sl_results_drop (results, step->trial, step->point);
  gboolean none = step->trial ? sl_results_trial (results) == NULL : results->done->len == 0;
  if (step->point + 1 == runs->grid.n_points && none)
    return FALSE;
  g_propagate_error (&problem, g_steal_pointer (error));
  sl_run_warn (runs->run, "--grid %s loses: %s", runs->grid.names[step->point], problem->message);
  *at += step->trial ? 1 : sl_run_grid_runs (&runs->grid) - step->run;
  return save (work, NULL, *at, error);
}

/* *STEP <- training AT of all; where it chooses, with the point of the best trial. */
static gboolean
find_step (const Work *work, gsize at, SlRunStep *step, GError **error)
{
  const SlTrainRuns *runs = work->runs;
  *step = sl_run_grid_step (&runs->grid, at);
  if (!step->chooses)
    return TRUE;
  const SlRunResult *best = sl_results_trial (&runs->results);
  if (best == NULL)
    return sl_error_bad_input (error, "%s: it is damaged: it lacks what a run chooses by",
                               work->options->checkpoint);
  step->point = best->step.point;
  sl_run_note (runs->run,
               "run %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT ": the best of the grid is %s",
               step->run + 1, sl_run_grid_runs (&runs->grid), runs->grid.names[step->point]);
  return TRUE;
}

/* *NEXT becomes the training that is next. */
static gboolean
one_run (Work *work, gsize *next, GError **error)
{
  gsize at = *next;
  SlTrainRuns *runs = work->runs;
  SlRunStep step;
  g_auto (SlPlannedRun) planned = { 0 };
  if (!find_step (work, at, &step, error)
      || !sl_planned_run_init (&planned, &runs->common, &runs->grid, &step, error))
    return FALSE;
  g_autoptr (SlTraining) training
      = sl_training_new (runs->run, &planned.plan, step.trial ? NULL : runs->items, error);
  if (training == NULL)
    return FALSE;
  if (work->checkpoint.amid)
    {
      if (!sl_checkpoint_restore (&work->checkpoint, training, error))
        return FALSE;
      work->checkpoint.amid = FALSE;
      sl_run_note (runs->run, "goes on after epoch %" G_GINT64_FORMAT, training->epoch);
    }
  if (!all_epochs (work, training, &step, at, error))
    return lose_point (work, training, &step, next, error);
  gboolean kept = runs->grid.n_points == 1 || step.chooses;
  if (kept && !tell_slope (work, training, error))
    return FALSE;
  if (!finish (work, training, &planned, &step, error))
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
                                      .grid = &runs->grid,
                                      .n_items = (gsize) data->features.examples.n,
                                      .n_confusion = n_annotators * data->k * data->k };
  return sl_checkpoint_read (&work->checkpoint, runs->run, work->options->checkpoint, work->mark,
                             &bounds, &runs->results, runs->items, error);
}

gboolean
sl_train_runs (SlTrainRuns *runs, GError **error)
{
  const SlTrainOptions *options = &runs->common.options;
  g_auto (Work) work = { .runs = runs, .options = options };
  gsize n = sl_run_grid_steps (&runs->grid);
  if (options->checkpoint != NULL)
    {
      work.mark = sl_checkpoint_mark (&runs->common, runs->items);
      sl_run_may_stop (runs->run);
    }
  if (options->resume && !resume (&work, error))
    return FALSE;
  gsize from = work.checkpoint.found ? work.checkpoint.at : 0;
  for (gsize at = from; at < n;)
    {
      if (at > from && options->checkpoint != NULL && sl_run_stopping (runs->run))
        return stop_between (&work, at, error);
      if (!one_run (&work, &at, error))
        return FALSE;
    }
  return TRUE;
}
