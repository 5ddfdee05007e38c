/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loss of annotators' own answers: a crowd layer, or CoNAL. */
#include "loss.h"

#include "pipeline/base/random.h"

#include <math.h>

static gboolean
is_conal (const SlObjectivePlan *plan)
{
  return plan->arguments.crowd == SL_CROWD_CONAL;
}

gsize
sl_crowd_learned (const SlObjectivePlan *plan)
{
  gsize r = plan->n_annotators, k = plan->k;
  SlCrowdForm form = (SlCrowdForm) plan->arguments.crowd;
  if (is_conal (plan))
    return (r + 1) * (k * k + SL_CONAL_EMBEDDING);
  return r * (sl_crowd_layer_factors (form, k) + (sl_crowd_layer_has_bias (form) ? k : 0));
}

static void
begin_layer (SlObjective *objective)
{
  gsize r = objective->plan.n_annotators, k = objective->plan.k;
  SlCrowdForm form = (SlCrowdForm) objective->plan.arguments.crowd;
  SlCrowdLayer *layer = &objective->layer, *slope = &objective->layer_slope;
  *layer = (SlCrowdLayer){ form, objective->plan.arguments.of_logits == 1, r, k, NULL, NULL };
  *slope = *layer;
  layer->factor = sl_objective_learn (objective, "crowd.factor", r,
                                      sl_crowd_layer_factors (form, k), &slope->factor);
  layer->bias = sl_objective_learn (objective, "crowd.bias", r,
                                    sl_crowd_layer_has_bias (form) ? k : 0, &slope->bias);
  sl_crowd_layer_initialise (layer);
}

static void
begin_conal (SlObjective *objective, guint64 seed)
{
  gsize r = objective->plan.n_annotators, k = objective->plan.k, e = SL_CONAL_EMBEDDING;
  SlConal *conal = &objective->conal, *slope = &objective->conal_slope;
  *conal = (SlConal){ r, k, e, NULL, NULL, NULL, NULL };
  *slope = *conal;
  conal->common = sl_objective_learn (objective, "conal.common", k, k, &slope->common);
  conal->individual
      = sl_objective_learn (objective, "conal.individual", r, k * k, &slope->individual);
  conal->person = sl_objective_learn (objective, "conal.person", r, e, &slope->person);
  conal->offset = sl_objective_learn (objective, "conal.offset", 1, e, &slope->offset);
  sl_conal_initialise (conal);
  double bound = 1 / sqrt ((double) r);
  SlRandom random = sl_random (seed, sl_random_purpose ("train: conal"), 0, 0, 0);
  for (gsize i = 0; i < r * e; i++)
    conal->person[i] = (float) (bound * (2 * sl_random_unit (&random) - 1));
  for (gsize i = 0; i < e; i++)
    conal->offset[i] = (float) (bound * (2 * sl_random_unit (&random) - 1));
}

void
sl_crowd_begin (SlObjective *objective, guint64 seed)
{
  if (is_conal (&objective->plan))
    begin_conal (objective, seed);
  else
    begin_layer (objective);
}

/* Of items: what they are made of goes through one linear layer. */
SlNetwork *
sl_crowd_network (const SlObjectivePlan *plan, GError **error)
{
  SlNetworkPlan network = plan->network;
  network.model = "softmax";
  network.n_classes = SL_CONAL_EMBEDDING;
  return is_conal (plan) ? sl_network_new (&network, error) : NULL;
}

gsize
sl_crowd_room (const SlObjectivePlan *plan)
{
  return 5 * plan->k + 3 * SL_CONAL_EMBEDDING;
}

static double
lower_conal (SlObjective *objective, const SlLossBatch *batch)
{
  SlConal *slope = &objective->conal_slope;
  GError **error = &objective->problem;
  int n = (int) batch->n;
  sl_network_give (objective->beside, batch->x, n);
  const float *difficulty = sl_network_forward (objective->beside, n, TRUE, batch->key, error);
  if (difficulty == NULL)
    return NAN;
  double sum
      = sl_loss_conal (&objective->conal, batch->logits, difficulty, batch->n, batch->answers,
                       batch->scale, batch->grad, objective->beside_grad, slope, objective->room);
  sum += sl_conal_apart (&objective->conal, objective->plan.arguments.apart, slope)
         * (double) batch->n;
  return sl_network_backward (objective->beside, n, objective->beside_grad, error) ? sum : NAN;
}

double
sl_lower_crowd (SlObjective *objective, const SlLossBatch *batch)
{
  if (is_conal (&objective->plan))
    return lower_conal (objective, batch);
  return sl_loss_crowd (&objective->layer, batch->logits, batch->n, batch->answers, batch->scale,
                        batch->grad, &objective->layer_slope, objective->room);
}

gboolean
sl_crowd_see (SlObjective *objective, const SlLossBatch *batch, GError **error)
{
  if (!is_conal (&objective->plan))
    return TRUE;
  sl_network_give (objective->beside, batch->x, (int) batch->n);
  objective->seen = sl_network_forward (objective->beside, (int) batch->n, FALSE, 0, error);
  return objective->seen != NULL;
}

gboolean
sl_crowd_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                 GError **error)
{
  gsize k = objective->plan.k;
  for (gsize i = 0; i < batch->n; i++)
    if (is_conal (&objective->plan))
      sl_conal_predict (&objective->conal, batch->logits + i * k,
                        objective->seen + i * SL_CONAL_EMBEDDING, r, p + i * k, objective->room);
    else
      sl_crowd_layer_predict (&objective->layer, batch->logits + i * k, r, p + i * k);
  return TRUE;
}
