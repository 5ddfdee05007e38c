/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "training.h"

#include "set-up.h"
#include "stages/common/network/soft-cross-entropy.h"

#include <math.h>
#include <string.h>

/* The keys of what a network draws are apart by batch, epoch and seed. */
static guint64
key_of (const SlTraining *training, gint64 epoch, gsize batch)
{
  SlRandom random = sl_random (training->plan->seed, sl_random_purpose ("train: network"),
                               (guint64) batch, 0, (guint32) epoch);
  return sl_random_u64 (&random);
}

/* *LOSS <- what the network says of the batch, and what it should. */
static gboolean
say (SlTraining *training, const SlTrainBatch *batch, guint64 key, SlLossBatch *loss,
     GError **error)
{
  gboolean mixes = training->batches.network_mixes;
  sl_network_give (training->network, batch->input, mixes ? batch->pairs.items : (int) batch->n);
  if (mixes)
    sl_network_pair (training->network, &batch->pairs);
  const float *logits = sl_network_forward (training->network, (int) batch->n, TRUE, key, error);
  *loss = (SlLossBatch){ .n = batch->n,
                         .n_plain = batch->n_plain,
                         .x = batch->input,
                         .hidden = sl_network_hidden (training->network),
                         .logits = logits,
                         .target = batch->target,
                         .rows = &batch->rows,
                         .answers = &batch->answers,
                         .key = key + 1,
                         .grad = training->grad };
  return logits != NULL;
}

/* The batch's loss is lowered by one step. *SUM: its examples' losses. */
static gboolean
one_step (SlTraining *training, const SlTrainBatch *batch, guint64 key, double rate, double *sum,
          const float **logits, GError **error)
{
  SlLossBatch loss;
  if (!say (training, batch, key, &loss, error))
    return FALSE;
  *logits = loss.logits;
  if (!sl_objective_lower (&training->objective, &loss, sum, error))
    return FALSE;
  if (!isfinite (*sum))
    return TRUE;
  if (!sl_network_backward (training->network, (int) batch->n, training->grad, error))
    return FALSE;
  double length = sl_clip_by_norm (training->parameters, training->n_parameters,
                                   training->plan->options.clip);
  if (!isfinite (length))
    {
      *sum = NAN;
      return TRUE;
    }
  sl_optimiser_step (&training->optimiser, rate);
  sl_network_weights_changed (training->network);
  sl_objective_changed (&training->objective);
  return TRUE;
}

/* Adds WEIGHT times all gradients to SUM. */
static void
add_gradients (const SlTraining *training, double weight, double *sum)
{
  for (int i = 0; i < training->n_parameters; i++)
    for (gsize j = 0; training->parameters[i].grad != NULL && j < training->parameters[i].size; j++)
      *sum++ += weight * training->parameters[i].grad[j];
}

static double
length_of (const double *x, gsize n)
{
  double square = 0;
  for (gsize i = 0; i < n; i++)
    square += x[i] * x[i];
  return sqrt (square);
}

gboolean
sl_training_slope (SlTraining *training, double *share, GError **error)
{
  gsize k = training->plan->data->k;
  g_autofree double *now = g_new0 (double, training->size);
  g_autofree double *guess = g_new0 (double, training->size);
  sl_loader_begin (training->loader, training->epoch);
  for (SlTrainBatch *batch; (batch = sl_loader_next (training->loader)) != NULL;)
    {
      int n = (int) batch->n;
      SlLossBatch loss;
      double sum;
      if (!say (training, batch, 0, &loss, error)
          || !sl_objective_lower (&training->objective, &loss, &sum, error)
          || !sl_network_backward (training->network, n, training->grad, error))
        return FALSE;
      double weight = training->objective.plan.sum ? 1 : (double) n;
      add_gradients (training, weight, now);
      for (gsize i = 0; i < batch->n * k; i++)
        training->grad[i] = (float) (loss.scale * (1 / (double) k - (double) batch->target[i]));
      if (!sl_network_backward (training->network, n, training->grad, error))
        return FALSE;
      add_gradients (training, weight, guess);
    }
  double of_guess = length_of (guess, training->size);
  *share = of_guess > 0 ? length_of (now, training->size) / of_guess : 0;
  return TRUE;
}

/* How many of the batch's plain rows are right, and what they tell of their items. */
static double
count_right (SlTraining *training, const SlTrainBatch *batch, const float *logits)
{
  const SlTrainData *data = training->plan->data;
  gsize k = data->k;
  double right = 0;
  for (gsize i = 0; i < batch->n_plain; i++)
    {
      const SlTrainCase *at = &data->cases[batch->which[i]];
      gint32 said = sl_target_top (logits + i * k, k);
      gint32 wanted = training->truth != NULL ? training->truth[batch->which[i]]
                                              : sl_target_top (batch->target + i * k, k);
      right += said == wanted;
      if (training->items != NULL && at->second < 0)
        sl_item_figures_add (training->items, (gsize) at->first, logits + i * k,
                             training->objective.room);
    }
  return right;
}

char *
sl_training_advice (const SlTraining *training, const char *which, double rate)
{
  const SlTrainOptions *o = &training->plan->options;
  return g_strdup_printf ("%s --lr (it is %.3g now)%s%s%s", which, rate,
                          o->clip == 0 ? ", --clip 1" : "", o->warm_up == 0 ? ", --warm-up 1" : "",
                          training->plan->mean == NULL ? ", --normalise data" : "");
}

static gboolean
tell_of_trouble (SlTraining *training, gint64 epoch, double rate, double loss, GError **error)
{
  g_autofree char *what = isfinite (loss) ? g_strdup_printf ("the loss has grown to %.3g", loss)
                                          : g_strdup ("the loss is no number any more");
  g_autofree char *advice = sl_training_advice (training, "a lower", rate);
  training->diverged = TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
               "epoch %" G_GINT64_FORMAT ": %s: it diverges; %s keeps it in hand", epoch + 1, what,
               advice);
  return FALSE;
}

/* What follows from an epoch's loss that is ten times the larger of its beginning and log K, and
 * from one that is no number. */
static gboolean
check_loss (SlTraining *training, gint64 epoch, double rate, double loss, GError **error)
{
  double start = log ((double) training->plan->data->k);
  if (!isfinite (loss) || (epoch > 0 && loss > 10 * MAX (training->lowest, start) + 10))
    return tell_of_trouble (training, epoch, rate, loss, error);
  training->lowest = epoch == 0 ? loss : MIN (training->lowest, loss);
  return TRUE;
}

typedef struct
{
  const SlValidation *validation;
  gsize k;
  double loss, right;
  double *room;
} Validating;

static gboolean
validate_batch (gpointer data, gsize from, const SlLossBatch *batch, GError **error)
{
  Validating *v = data;
  v->loss += sl_loss_soft (batch->logits, v->validation->target + from * v->k, batch->n, v->k, 1,
                           NULL, v->room);
  for (gsize i = 0; i < batch->n; i++)
    v->right += sl_target_top (batch->logits + i * v->k, v->k) == v->validation->truth[from + i];
  return TRUE;
}

/* Keeps the network where it is better than before: by accuracy, then by loss. */
static gboolean
validate (SlTraining *training, SlEpochFigures *figures, GError **error)
{
  const SlValidation *validation = training->plan->validation;
  figures->validation_loss = figures->validation_accuracy = NAN;
  if (validation == NULL)
    return TRUE;
  Validating v = { validation, training->plan->data->k, 0, 0, training->objective.room };
  if (!sl_training_predict (training, validation->examples, validation->which, validation->n,
                            validate_batch, &v, error))
    return FALSE;
  figures->validation_loss = v.loss / (double) validation->n;
  figures->validation_accuracy = v.right / (double) validation->n;
  gboolean better = training->best_epoch < 0
                    || figures->validation_accuracy > training->best_accuracy
                    || (figures->validation_accuracy == training->best_accuracy
                        && figures->validation_loss < training->best_loss);
  if (!better && training->best != NULL)
    return TRUE;
  training->best_accuracy = figures->validation_accuracy;
  training->best_loss = figures->validation_loss;
  training->best_epoch = figures->epoch;
  if (training->best != NULL)
    sl_copy_values (training, training->best);
  return TRUE;
}

gboolean
sl_training_epoch (SlTraining *training, SlEpochFigures *figures, gboolean *stopped, GError **error)
{
  gint64 began = g_get_monotonic_time (), epoch = training->epoch;
  gsize n_batches = sl_batch_plan_batches (&training->batches), index = 0, n = 0;
  double loss = 0, right = 0, rate = 0;
  if (training->plan->options.reset_at_drop && sl_schedule_drops_at (&training->schedule, epoch))
    sl_optimiser_reset (&training->optimiser);
  sl_loader_begin (training->loader, epoch);
  *stopped = FALSE;
  for (SlTrainBatch *batch; (batch = sl_loader_next (training->loader)) != NULL; index++)
    {
      const float *logits;
      double sum;
      /* For the progress bar. */
      gint64 epochs = training->plan->options.epochs;
      double part
          = ((double) training->epoch + (double) index / (double) n_batches) / (double) epochs;
      SlHowFar step = { .unit = "epoch",
                        .n = training->epoch + 1,
                        .of = epochs,
                        .detail = training->detail,
                        .start = training->of > 1 ? (gint64) training->at + 1 : 0,
                        .starts = training->of > 1 ? (gint64) training->of : 0,
                        .share = ((double) training->at + part) / (double) training->of };
      sl_run_step (training->run, &step);
      rate = sl_schedule_rate (&training->schedule, epoch, (gint64) index, (gint64) n_batches);
      if (!one_step (training, batch, key_of (training, epoch, index), rate, &sum, &logits, error))
        return FALSE;
      if (!isfinite (sum))
        return check_loss (training, epoch, rate, sum, error);
      loss += sum;
      right += count_right (training, batch, logits);
      n += batch->n_plain;
      *stopped = sl_run_stopping (training->run);
      if (*stopped)
        return TRUE;
    }
  *figures = (SlEpochFigures){
    .epoch = epoch, .loss = loss / (double) n, .accuracy = right / (double) n, .rate = rate
  };
  if (!check_loss (training, epoch, rate, figures->loss, error)
      || !validate (training, figures, error))
    return FALSE;
  training->epoch++;
  figures->seconds = (double) (g_get_monotonic_time () - began) * 1e-6;
  return TRUE;
}

gboolean
sl_training_predict (SlTraining *training, const SlExamples *examples, const gint32 *which, gsize n,
                     SlEachLogits each, gpointer data, GError **error)
{
  gsize most = MIN (training->batches.batch, training->batches.n), size = examples->size;
  float *input = sl_network_input (training->network);
  for (gsize from = 0; from < n; from += most)
    {
      gsize now = MIN (most, n - from);
      for (gsize i = 0; i < now; i++)
        sl_examples_get (examples, which[from + i], input + i * size);
      const float *logits = sl_network_forward (training->network, (int) now, FALSE, 0, error);
      const SlLossBatch batch = {
        .n = now, .x = input, .hidden = sl_network_hidden (training->network), .logits = logits
      };
      if (logits == NULL || !each (data, from, &batch, error))
        return FALSE;
    }
  return TRUE;
}

void
sl_training_values (SlTraining *training, float *out)
{
  if (training->best != NULL && training->best_epoch >= 0)
    memcpy (out, training->best, training->size * sizeof (float));
  else
    sl_copy_values (training, out);
}
