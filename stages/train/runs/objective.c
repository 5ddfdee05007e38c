/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "objective.h"

#include "stages/train/losses/losses.h"
#include "pipeline/base/random.h"

#include <math.h>
#include <string.h>

/* Numbers that are learned of the annotators. */
static gsize
learned (const SlObjectivePlan *plan)
{
  gsize r = plan->n_annotators, k = plan->k;
  if (plan->kind == SL_OBJECTIVE_CROWD)
    return r
           * (sl_crowd_layer_factors (plan->form, k)
              + (sl_crowd_layer_has_bias (plan->form) ? k : 0));
  if (plan->kind == SL_OBJECTIVE_CONAL)
    return (r + 1) * (k * k + SL_CONAL_EMBEDDING);
  return 0;
}

gsize
sl_objective_bytes (const SlObjectivePlan *plan, gsize rows)
{
  return learned (plan) * 2 * sizeof (float) + rows * SL_CONAL_EMBEDDING * sizeof (float)
         + (plan->k * 5 + SL_CONAL_EMBEDDING * 3) * sizeof (double);
}

/* The next array of what is learned. */
static float *
add_parameter (SlObjective *objective, const char *name, gsize rows, gsize columns, gsize *at,
               float **slope)
{
  if (rows * columns == 0)
    {
      *slope = NULL;
      return NULL;
    }
  float *value = objective->values + *at;
  *slope = objective->slopes + *at;
  objective->parameter[objective->n_parameters++]
      = (SlParameter){ .name = name,
                       .n_dims = 2,
                       .dim = { (gint64) rows, (gint64) columns },
                       .size = rows * columns,
                       .value = value,
                       .grad = *slope };
  *at += rows * columns;
  return value;
}

static void
begin_crowd (SlObjective *objective)
{
  const SlObjectivePlan *plan = &objective->plan;
  SlCrowdLayer *layer = &objective->layer, *slope = &objective->layer_slope;
  gsize at = 0;
  *layer = (SlCrowdLayer){ plan->form, plan->of_logits, plan->n_annotators, plan->k, NULL, NULL };
  *slope = *layer;
  layer->factor = add_parameter (objective, "crowd.factor", plan->n_annotators,
                                 sl_crowd_layer_factors (plan->form, plan->k), &at, &slope->factor);
  layer->bias
      = add_parameter (objective, "crowd.bias", plan->n_annotators,
                       sl_crowd_layer_has_bias (plan->form) ? plan->k : 0, &at, &slope->bias);
  sl_crowd_layer_initialise (layer);
}

static void
begin_conal (SlObjective *objective, guint64 seed)
{
  const SlObjectivePlan *plan = &objective->plan;
  SlConal *conal = &objective->conal, *slope = &objective->conal_slope;
  gsize at = 0, r = plan->n_annotators, k = plan->k, e = SL_CONAL_EMBEDDING;
  *conal = (SlConal){ r, k, e, NULL, NULL, NULL, NULL };
  *slope = *conal;
  conal->common = add_parameter (objective, "conal.common", k, k, &at, &slope->common);
  conal->individual
      = add_parameter (objective, "conal.individual", r, k * k, &at, &slope->individual);
  conal->person = add_parameter (objective, "conal.person", r, e, &at, &slope->person);
  conal->offset = add_parameter (objective, "conal.offset", 1, e, &at, &slope->offset);
  sl_conal_initialise (conal);
  double bound = 1 / sqrt ((double) r);
  SlRandom random = sl_random (seed, sl_random_purpose ("train: conal"), 0, 0, 0);
  for (gsize i = 0; i < r * e; i++)
    conal->person[i] = (float) (bound * (2 * sl_random_unit (&random) - 1));
  for (gsize i = 0; i < e; i++)
    conal->offset[i] = (float) (bound * (2 * sl_random_unit (&random) - 1));
}

void
sl_objective_init (SlObjective *objective, const SlObjectivePlan *plan, gsize rows, guint64 seed)
{
  *objective = (SlObjective){ .plan = *plan };
  gsize n = learned (plan);
  objective->values = g_new0 (float, MAX (n, 1));
  objective->slopes = g_new0 (float, MAX (n, 1));
  objective->room = g_new (double, 5 * plan->k + 3 * SL_CONAL_EMBEDDING);
  objective->difficulty_grad = g_new0 (float, rows *SL_CONAL_EMBEDDING);
  if (plan->kind == SL_OBJECTIVE_CROWD)
    begin_crowd (objective);
  if (plan->kind == SL_OBJECTIVE_CONAL)
    begin_conal (objective, seed);
}

void
sl_objective_clear (SlObjective *objective)
{
  g_clear_pointer (&objective->values, g_free);
  g_clear_pointer (&objective->slopes, g_free);
  g_clear_pointer (&objective->room, g_free);
  g_clear_pointer (&objective->difficulty_grad, g_free);
}

/* Cross-entropy of the plain examples and, of their own number, the entropy of the mixed ones. */
static double
mix_maxent (SlObjective *objective, const SlTrainBatch *batch, const float *logits, double scale,
            float *grad)
{
  gsize k = objective->plan.k, plain = batch->n_plain, mixed = batch->n - plain;
  double loss = sl_loss_soft (logits, batch->target, plain, k, scale, grad, objective->room);
  if (mixed == 0)
    return loss;
  /* So many as there are plain ones, or fewer, have the weight of as many. */
  double share = (double) plain / (double) mixed, weight = objective->plan.entropy_weight;
  return loss
         + weight * share
               * sl_loss_max_entropy (logits + plain * k, mixed, k, scale * share * weight,
                                      grad + plain * k, objective->room);
}

double
sl_objective_loss (SlObjective *objective, const SlTrainBatch *batch, const float *logits,
                   const float *difficulty, float *grad)
{
  const SlObjectivePlan *plan = &objective->plan;
  gsize n = batch->n, k = plan->k;
  double scale = plan->sum ? 1 : 1 / (double) batch->n_plain, *room = objective->room;
  if (objective->n_parameters > 0)
    memset (objective->slopes, 0, learned (plan) * sizeof (float));
  switch (plan->kind)
    {
    case SL_OBJECTIVE_SOFT:
      return sl_loss_soft (logits, batch->target, n, k, scale, grad, room);
    case SL_OBJECTIVE_DISTIL:
      return sl_loss_distil (logits, batch->target, n, k, plan->temperature, scale, grad, room);
    case SL_OBJECTIVE_ENT_WC:
      return sl_loss_ent_wc (logits, batch->target, n, k, plan->least, plan->through, scale, grad,
                             room);
    case SL_OBJECTIVE_MIX_MAXENT:
      return mix_maxent (objective, batch, logits, scale, grad);
    case SL_OBJECTIVE_CROWD:
      return sl_loss_crowd (&objective->layer, logits, n, &batch->answers, scale, grad,
                            &objective->layer_slope, room);
    case SL_OBJECTIVE_CONAL:
      return sl_loss_conal (&objective->conal, logits, difficulty, n, &batch->answers, scale, grad,
                            objective->difficulty_grad, &objective->conal_slope, room)
             + sl_conal_apart (&objective->conal, plan->apart, &objective->conal_slope)
                   * (double) n;
    }
  g_assert_not_reached ();
}

void
sl_objective_answer (SlObjective *objective, const float *z, const float *d, gsize r, double *p)
{
  if (objective->plan.kind == SL_OBJECTIVE_CONAL)
    sl_conal_predict (&objective->conal, z, d, r, p, objective->room);
  else
    sl_crowd_layer_predict (&objective->layer, z, r, p);
}
