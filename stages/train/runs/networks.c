/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The networks of a run, what is learned in them, and what they begin with. */
#include "set-up.h"

#include <string.h>

gboolean
sl_training_claim (SlTraining *training, gsize bytes, const char *what, GError **error)
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
                          .bf16 = options->precision == 1,
                          .dropout = options->dropout };
}

static SlNetwork *
make_network (SlTraining *training, const SlNetworkPlan *plan, GError **error)
{
  g_autoptr (SlNetwork) network = sl_network_new (plan, error);
  if (network == NULL
      || !sl_training_claim (training, sl_network_bytes (network),
                             "the network and its activations", error)
      || !sl_network_allocate (network, error))
    return NULL;
  return g_steal_pointer (&network);
}

gboolean
sl_make_networks (SlTraining *training, GError **error)
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
  if (training->objective.plan.kind != SL_OBJECTIVE_CONAL)
    return TRUE;
  network.model = "softmax";
  network.n_classes = SL_CONAL_EMBEDDING;
  training->difficulty = make_network (training, &network, error);
  if (training->difficulty == NULL)
    return FALSE;
  sl_network_initialise (training->difficulty, plan->seed + 1);
  return TRUE;
}

/* Annotators' parameters begin where they should be, so nothing draws them to 0. */
void
sl_list_parameters (SlTraining *training)
{
  int n_more = 0;
  SlParameter *own = sl_network_parameters (training->network, &training->n_own), *more = NULL;
  if (training->difficulty != NULL)
    more = sl_network_parameters (training->difficulty, &n_more);
  SlObjective *objective = &training->objective;
  training->n_parameters = training->n_own + n_more + objective->n_parameters;
  training->parameters = g_new0 (SlParameter, training->n_parameters);
  memcpy (training->parameters, own, (gsize) training->n_own * sizeof *own);
  if (n_more > 0)
    memcpy (training->parameters + training->n_own, more, (gsize) n_more * sizeof *more);
  for (int i = 0; i < training->n_own + n_more; i++)
    training->parameters[i].decays
        = training->parameters[i].grad != NULL
          && (training->plan->options.decay == 0 || training->parameters[i].decays);
  memcpy (training->parameters + training->n_own + n_more, objective->parameter,
          (gsize) objective->n_parameters * sizeof *own);
  for (int i = 0; i < training->n_own; i++)
    training->size += own[i].size;
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
gboolean
sl_take_init (SlTraining *training, GError **error)
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
