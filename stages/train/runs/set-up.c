/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "set-up.h"

#include <math.h>
#include <string.h>

/* Alpha of mixing, of the losses whose papers say one. */
static double
alpha_of (const SlTrainOptions *options)
{
  if (options->mixup >= 0)
    return options->mixup;
  return options->loss == SL_TRAIN_ENT_WC ? 0.2 : options->loss == SL_TRAIN_MIX_MAXENT ? 10 : 0;
}

static SlObjectivePlan
objective_of (const SlTrainPlan *plan)
{
  const SlTrainOptions *o = &plan->options;
  static const SlObjectiveKind kinds[] = {
    [SL_TRAIN_CROSS_ENTROPY] = SL_OBJECTIVE_SOFT,
    [SL_TRAIN_ENT_WC] = SL_OBJECTIVE_ENT_WC,
    [SL_TRAIN_MIX_MAXENT] = SL_OBJECTIVE_MIX_MAXENT,
    [SL_TRAIN_CROWD] = SL_OBJECTIVE_CROWD,
  };
  SlObjectiveKind kind = kinds[o->loss];
  if (kind == SL_OBJECTIVE_SOFT && o->temperature != 1)
    kind = SL_OBJECTIVE_DISTIL;
  if (kind == SL_OBJECTIVE_CROWD && o->crowd == SL_TRAIN_CONAL)
    kind = SL_OBJECTIVE_CONAL;
  return (SlObjectivePlan){
    .kind = kind,
    .k = plan->data->k,
    .sum = o->reduction == 1,
    .temperature = o->temperature,
    .least = o->least_weight,
    .through = o->weight_gradient == 0,
    .entropy_weight = o->entropy_weight,
    .form = (SlCrowdForm) o->crowd,
    .of_logits = o->crowd_input == 1,
    .n_annotators = o->loss == SL_TRAIN_CROWD ? (gsize) sl_intern_size (plan->data->annotators) : 0,
    .apart = o->conal_apart,
  };
}

static void
plan_batches (SlTraining *training)
{
  const SlTrainPlan *plan = training->plan;
  const SlTrainOptions *o = &plan->options;
  const SlTrainData *data = plan->data;
  const SlExamples *examples = &data->features.examples;
  training->augment = (SlAugment){
    .channels = examples->channels,
    .height = examples->height,
    .width = examples->width,
    .padding = (int) o->crop,
    .flip = o->flip,
    .cutout = (int) o->cutout,
    .mean = plan->mean,
  };
  gboolean augmented = o->crop > 0 || o->flip || o->cutout > 0;
  gboolean crowd = o->loss == SL_TRAIN_CROWD;
  training->batches = (SlBatchPlan){
    .examples = examples,
    .cases = data->cases,
    .member = plan->member,
    .n = plan->n,
    .k = data->k,
    .batch = (gsize) o->batch,
    .targets = sl_train_data_targets (data, plan->seed),
    .augment = augmented ? &training->augment : NULL,
    .mixing = { .alpha = alpha_of (o),
                .by_item = o->mixup_lambda == 1,
                .beside = o->loss == SL_TRAIN_MIX_MAXENT ? o->mixed_share : 0,
                .apart = o->pairing == 0,
                .share = plan->share,
                .curves = plan->curves },
    .answers = crowd ? &data->pools : NULL,
    .annotator = crowd ? data->annotator : NULL,
    .seed = plan->seed,
  };
}

/* The mean label of each gold class, of this run's items alone. */
static void
make_categories (SlTraining *training)
{
  const SlTrainPlan *plan = training->plan;
  const SlTrainData *data = plan->data;
  if (training->batches.targets.kind != SL_TARGET_CATEGORY)
    return;
  g_autofree gint32 *pool = g_new (gint32, plan->n), *gold = g_new (gint32, plan->n);
  float *category = g_new (float, data->k * data->k);
  for (gsize i = 0; i < plan->n; i++)
    {
      pool[i] = data->cases[plan->member[i]].pool;
      gold[i] = data->cases[plan->member[i]].gold;
    }
  sl_target_categories (&data->pools, pool, gold, plan->n, category);
  training->batches.targets.category = training->categories = category;
}

static gboolean
make_optimiser (SlTraining *training, GError **error)
{
  const SlTrainOptions *o = &training->plan->options;
  const SlOptimiserPlan plan = {
    .kind = (SlOptimiserKind) o->optimiser,
    .momentum = o->momentum,
    .nesterov = o->nesterov,
    .beta1 = o->beta1,
    .beta2 = o->beta2,
    .epsilon = 1e-8,
    .weight_decay = o->weight_decay,
    .threads = training->run->threads,
  };
  gsize n_drops;
  training->drops = sl_train_drops (o, &n_drops, error);
  if (training->drops == NULL
      || !sl_training_claim (training, sl_optimiser_bytes (&plan, training->size),
                             "the optimiser's moments", error))
    return FALSE;
  sl_optimiser_init (&training->optimiser, &plan, training->parameters, training->n_parameters);
  training->schedule = (SlSchedule){ (SlScheduleKind) o->schedule,
                                     o->lr,
                                     o->epochs,
                                     training->drops,
                                     n_drops,
                                     o->drop_factor,
                                     o->cosine_by == 1,
                                     o->warm_up };
  return TRUE;
}

#define ENOUGH_BYTES (1 << 17)

static gboolean
make_loader (SlTraining *training, GError **error)
{
  const SlBatchPlan *plan = &training->batches;
  /* A few numbers that are only copied are there sooner than another thread is awake. */
  gboolean work = plan->examples->pixels || plan->augment != NULL || plan->mixing.alpha > 0
                  || sl_train_batch_bytes (plan) > ENOUGH_BYTES;
  gboolean ahead = work && training->run->threads > 1;
  gsize rows = sl_batch_plan_rows (plan);
  if (!sl_training_claim (
          training,
          sl_loader_bytes (plan, ahead) + rows * plan->k * sizeof (float)
              + (training->plan->options.keep == 1 ? training->size * sizeof (float) : 0),
          "batches of examples", error))
    return FALSE;
  training->grad = g_new (float, rows * plan->k);
  training->loader = sl_loader_new (plan, ahead, sl_network_input (training->network));
  if (training->plan->options.keep == 1)
    training->best = g_new0 (float, training->size);
  return TRUE;
}

SlTraining *
sl_training_new (SlRun *run, const SlTrainPlan *plan, SlItemFigures *items, GError **error)
{
  g_autoptr (SlTraining) training = g_new0 (SlTraining, 1);
  training->plan = plan;
  training->run = run;
  training->items = items;
  training->best_epoch = -1;
  plan_batches (training);
  make_categories (training);
  SlObjectivePlan objective = objective_of (plan);
  gsize rows = sl_batch_plan_rows (&training->batches);
  if (!sl_training_claim (training, sl_objective_bytes (&objective, rows),
                          "what is learned of annotators", error))
    return NULL;
  sl_objective_init (&training->objective, &objective, rows, plan->seed);
  if (!sl_make_networks (training, error))
    return NULL;
  sl_list_parameters (training);
  if (!sl_take_init (training, error) || !make_optimiser (training, error)
      || !make_loader (training, error))
    return NULL;
  return g_steal_pointer (&training);
}

void
sl_training_free (SlTraining *training)
{
  g_clear_pointer (&training->loader, sl_loader_free);
  g_clear_pointer (&training->network, sl_network_free);
  g_clear_pointer (&training->difficulty, sl_network_free);
  sl_optimiser_clear (&training->optimiser);
  sl_objective_clear (&training->objective);
  sl_run_release (training->run, training->claimed);
  g_free (training->parameters);
  g_free (training->categories);
  g_free (training->drops);
  g_free (training->grad);
  g_free (training->best);
  g_free (training->detail);
  g_free (training);
}

void
sl_copy_values (const SlTraining *training, float *out)
{
  for (int i = 0; i < training->n_own; i++)
    {
      memcpy (out, training->parameters[i].value, training->parameters[i].size * sizeof (float));
      out += training->parameters[i].size;
    }
}

void
sl_training_set_values (SlTraining *training, const float *values)
{
  for (int i = 0; i < training->n_own; i++)
    {
      memcpy (training->parameters[i].value, values, training->parameters[i].size * sizeof (float));
      values += training->parameters[i].size;
    }
  sl_network_weights_changed (training->network);
}
