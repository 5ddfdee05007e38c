/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "set-up.h"

#include <math.h>
#include <string.h>

/* ---- networks, what is learned in them, and what they begin with ---- */

static gboolean
claim (SlTraining *training, gsize bytes, const char *what, GError **error)
{
  training->claimed += bytes;
  return sl_run_claim (training->run, bytes, what, error);
}

SlNetworkPlan
sl_network_plan_of (const SlTrainOptions *options, const SlExamples *examples, gsize k, int batch,
                    int threads)
{
  return (SlNetworkPlan){ .model = options->model,
                          .n_classes = (int) k,
                          .channels = examples->channels,
                          .height = examples->height,
                          .width = examples->width,
                          .batch = batch,
                          .threads = threads,
                          .training = TRUE,
                          .hidden = (sl_losses[options->loss].traits & SL_LOSS_PAIRS) != 0,
                          .pairs = (sl_losses[options->loss].traits & SL_LOSS_PAIRS) != 0,
                          .bf16 = options->precision == 1,
                          .dropout = options->dropout };
}

SlObjectivePlan
sl_objective_plan_of (const SlTrainOptions *options, const SlTrainData *data,
                      const SlNetworkPlan *network, gsize hidden)
{
  return (SlObjectivePlan){
    .loss = &sl_losses[options->loss],
    .arguments = options->of_loss,
    .k = data->k,
    .n_annotators = data->annotators != NULL ? (gsize) sl_intern_size (data->annotators) : 0,
    .sum = options->reduction == 1,
    .network = *network,
    .hidden = hidden,
    .attributes = data->attributes.n > 0 ? &data->attributes : NULL,
  };
}

static SlNetwork *
make_network (SlTraining *training, const SlNetworkPlan *plan, GError **error)
{
  g_autoptr (SlNetwork) network = sl_network_new (plan, error);
  if (network == NULL
      || !claim (training, sl_network_bytes (network), "the network and its activations", error)
      || !sl_network_allocate (network, error))
    return NULL;
  return g_steal_pointer (&network);
}

static gboolean
make_networks (SlTraining *training, GError **error)
{
  const SlTrainPlan *plan = training->plan;
  const SlExamples *examples = &plan->data->features.examples;
  int rows = (int) sl_batch_plan_rows (&training->batches);
  SlNetworkPlan network
      = sl_network_plan_of (&plan->options, examples, plan->data->k, rows, training->run->threads);
  network.mean = plan->mean;
  network.std = plan->std;
  training->network = make_network (training, &network, error);
  if (training->network == NULL)
    return FALSE;
  sl_network_initialise (training->network, plan->seed);
  training->batches.network_mixes = sl_network_mixes (training->network);
  SlObjective *objective = &training->objective;
  SlObjectivePlan learned = sl_objective_plan_of (&plan->options, plan->data, &network,
                                                  sl_network_hidden_size (training->network));
  return sl_objective_init (objective, &learned, error)
         && claim (training, sl_objective_bytes (objective), "what is learned of annotators", error)
         && sl_objective_allocate (objective, plan->seed, error);
}

SlParameter *
sl_all_parameters (SlNetwork *network, const SlObjective *objective, int *n, int *n_own)
{
  int own;
  const SlParameter *of_network = sl_network_parameters (network, &own);
  *n = own + objective->n_parameters;
  SlParameter *all = g_new (SlParameter, *n);
  memcpy (all, of_network, (gsize) own * sizeof *all);
  memcpy (all + own, objective->parameter, (gsize) objective->n_parameters * sizeof *all);
  if (n_own != NULL)
    *n_own = own;
  return all;
}

static void
list_parameters (SlTraining *training)
{
  training->parameters = sl_all_parameters (training->network, &training->objective,
                                            &training->n_parameters, &training->n_own);
  for (int i = 0; i < training->n_own; i++)
    training->parameters[i].decays
        = training->parameters[i].grad != NULL
          && (training->plan->options.decay == 0 || training->parameters[i].decays);
  for (int i = 0; i < training->n_parameters; i++)
    training->size += training->parameters[i].size;
}

/* The run's network becomes that of INIT. What does not fit may well be of another network: then
 * that is the error. */
static gboolean
fill (SlTraining *training, const SlModelFile *init, gboolean *kept, GError **error)
{
  const char *its = init->header.model, *wanted = training->plan->options.model;
  g_autoptr (GError) problem = NULL;
  gboolean fits
      = sl_model_fill (init, 0, training->parameters, training->n_own, TRUE, kept, &problem);
  if (fits && *kept)
    return TRUE;
  if (its != NULL && strcmp (its, wanted) != 0)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: it is a model %s, and --model says %s",
                   init->file.path, its, wanted);
      return FALSE;
    }
  if (!fits)
    g_propagate_error (error, g_steal_pointer (&problem));
  return fits;
}

/* The parameters of --init, but for a last layer of other classes. */
static gboolean
take_init (SlTraining *training, GError **error)
{
  const SlModelFile *init = training->plan->init;
  if (init == NULL)
    return TRUE;
  char **classes = init->header.classes;
  gboolean same = classes == NULL
                  || g_strv_equal ((const char *const *) classes,
                                   (const char *const *) training->plan->data->classes);
  gboolean kept;
  int n = training->n_own;
  const SlParameter *head = &training->parameters[MAX (n - 2, 0)];
  gsize head_size = 0;
  for (int i = MAX (n - 2, 0); i < n; i++)
    head_size += training->parameters[i].size;
  g_autofree float *fresh = g_new (float, head_size);
  memcpy (fresh, head->value, head->size * sizeof (float));
  if (n >= 2)
    memcpy (fresh + head->size, head[1].value, head[1].size * sizeof (float));
  if (!fill (training, init, &kept, error))
    return FALSE;
  if (init->n_runs > 1)
    sl_run_warn (training->run, "--init: %s has %" G_GSIZE_FORMAT " runs: the first is taken",
                 init->file.path, init->n_runs);
  if (!same || !kept)
    {
      memcpy (head->value, fresh, head->size * sizeof (float));
      if (n >= 2)
        memcpy (head[1].value, fresh + head->size, head[1].size * sizeof (float));
      sl_run_note (training->run, "the last layer begins anew: the classes are not those of %s",
                   init->file.path);
    }
  sl_network_weights_changed (training->network);
  return TRUE;
}

/* ---- the rest ---- */

/* Each answer of the run's items becomes a member; a batch has as many as its items would. */
static void
list_answers (SlTraining *training)
{
  const SlTrainPlan *plan = training->plan;
  const SlPools *pools = &plan->data->pools;
  gsize n = 0;
  for (gsize i = 0; i < plan->n; i++)
    {
      gint32 pool = plan->data->cases[plan->member[i]].pool;
      n += pools->start[pool + 1] - pools->start[pool];
    }
  training->answer_case = g_new (gint32, MAX (n, 1));
  training->answer_row = g_new (gsize, MAX (n, 1));
  training->answers_of = g_new (gsize, plan->n + 1);
  n = 0;
  for (gsize i = 0; i < plan->n; i++)
    {
      gint32 pool = plan->data->cases[plan->member[i]].pool;
      training->answers_of[i] = n;
      for (gsize r = pools->start[pool]; r < pools->start[pool + 1]; r++)
        {
          training->answer_case[n] = plan->member[i];
          training->answer_row[n++] = r;
        }
    }
  training->answers_of[plan->n] = n;
  double each = (double) n / (double) plan->n;
  training->batches.batch = (gsize) MAX (each * (double) training->batches.batch + 0.5, 1);
  training->batches.n = n;
  training->batches.n_items = plan->n;
  training->batches.answers_of = training->answers_of;
  training->batches.member = training->answer_case;
  training->batches.row = training->answer_row;
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
    .once = o->draw == 1,
  };
  gboolean augmented = o->crop > 0 || o->flip || o->cutout > 0;
  const SlLoss *loss = &sl_losses[o->loss];
  gboolean pairs = (loss->traits & SL_LOSS_PAIRS) != 0;
  gboolean answers = (loss->traits & SL_LOSS_ANSWERS) != 0 && !pairs;
  training->batches = (SlBatchPlan){
    .examples = examples,
    .cases = data->cases,
    .member = plan->member,
    .n = plan->n,
    .k = data->k,
    .batch = (gsize) o->batch,
    .targets = sl_train_data_targets (data, o, plan->seed),
    .augment = augmented ? &training->augment : NULL,
    .mixing = { .alpha = o->mixup >= 0 ? o->mixup : loss->alpha,
                .by_item = o->mixup_lambda == 1,
                .beside = loss->traits & SL_LOSS_BESIDE ? o->mixed_share : 0,
                .apart = o->pairing == 0,
                .share = plan->share,
                .curves = plan->curves },
    .answers = answers ? &data->pools : NULL,
    .annotator = answers || pairs ? data->annotator : NULL,
    .seed = plan->seed,
  };
  if (pairs)
    list_answers (training);
}

/* What is right of items whose answers are learned: the gold class, or, where that is not known,
 * the one that most answers name, as it is of what validates. */
static void
find_truth (SlTraining *training)
{
  const SlTrainData *data = training->plan->data;
  if ((sl_losses[training->plan->options.loss].traits & SL_LOSS_ANSWERS) == 0)
    return;
  const SlTargets plain
      = { .kind = SL_TARGET_POOL, .pools = &data->pools, .mean = TRUE, .fill = TRUE };
  g_autofree float *mean = g_new (float, data->k);
  training->truth = g_new (gint32, MAX (data->n_cases, 1));
  for (gsize i = 0; i < data->n_cases; i++)
    {
      const SlTrainCase *at = &data->cases[i];
      training->truth[i] = at->gold;
      if (at->gold >= 0 || !sl_target_exists (&plain, at->pool, at->gold))
        continue;
      sl_target_make (&plain, data->k, at->pool, at->gold, 0, 0, mean);
      training->truth[i] = sl_target_top (mean, data->k);
    }
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
      || !claim (training, sl_optimiser_bytes (&plan, training->size), "the optimiser's moments",
                 error))
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
  if (!claim (training,
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
  find_truth (training);
  make_categories (training);
  if (!make_networks (training, error))
    return NULL;
  list_parameters (training);
  if (!take_init (training, error) || !make_optimiser (training, error)
      || !make_loader (training, error))
    return NULL;
  return g_steal_pointer (&training);
}

void
sl_training_free (SlTraining *training)
{
  g_clear_pointer (&training->loader, sl_loader_free);
  g_clear_pointer (&training->network, sl_network_free);
  sl_optimiser_clear (&training->optimiser);
  sl_objective_clear (&training->objective);
  sl_run_release (training->run, training->claimed);
  g_free (training->parameters);
  g_free (training->categories);
  g_free (training->drops);
  g_free (training->answer_case);
  g_free (training->answer_row);
  g_free (training->answers_of);
  g_free (training->truth);
  g_free (training->grad);
  g_free (training->best);
  g_free (training->detail);
  g_free (training);
}

void
sl_copy_values (const SlTraining *training, float *out)
{
  for (int i = 0; i < training->n_parameters; i++)
    {
      memcpy (out, training->parameters[i].value, training->parameters[i].size * sizeof (float));
      out += training->parameters[i].size;
    }
}

void
sl_training_set_values (SlTraining *training, const float *values)
{
  for (int i = 0; i < training->n_parameters; i++)
    {
      memcpy (training->parameters[i].value, values, training->parameters[i].size * sizeof (float));
      values += training->parameters[i].size;
    }
  sl_network_weights_changed (training->network);
  sl_objective_changed (&training->objective);
}
