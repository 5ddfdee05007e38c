/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loss.h"

#include <string.h>

#define LOSS(n, f, s, t, ...) { .name = n, .lower = f, .summary = s, .traits = t, __VA_ARGS__ },
#define NAME(name, ...) name,
#define SUMMARY(name, function, summary, ...) summary,
#define TRAITS(name, function, summary, traits, ...) traits,

const SlLoss sl_losses[] = { SL_LOSSES (LOSS) };
const char *const sl_loss_names[] = { SL_LOSSES (NAME) NULL };
const char *const sl_loss_summaries[] = { SL_LOSSES (SUMMARY) NULL };
const guint32 sl_loss_traits[] = { SL_LOSSES (TRAITS) };

static gsize
learned (const SlObjectivePlan *plan)
{
  return plan->loss->learned != NULL ? plan->loss->learned (plan) : 0;
}

static gsize
room_of (const SlObjectivePlan *plan)
{
  return plan->loss->room != NULL ? plan->loss->room (plan) : 5 * plan->k;
}

/* Numbers that the network beside says of a batch. */
static gsize
said_beside (const SlObjective *objective)
{
  return objective->beside == NULL ? 0 : sl_network_outputs (objective->beside);
}

gsize
sl_objective_bytes (SlObjective *objective)
{
  gsize beside = objective->beside != NULL ? sl_network_bytes (objective->beside) : 0;
  return beside + (2 * learned (&objective->plan) + said_beside (objective)) * sizeof (float)
         + room_of (&objective->plan) * sizeof (double);
}

float *
sl_objective_learn (SlObjective *objective, const char *name, gsize rows, gsize columns,
                    float **slope)
{
  gsize at = objective->n_values;
  *slope = NULL;
  if (rows * columns == 0)
    return NULL;
  objective->n_values += rows * columns;
  *slope = objective->slopes + at;
  SlParameter *parameter = &objective->parameter[objective->n_parameters++];
  *parameter = (SlParameter){ .name = name,
                              .n_dims = 2,
                              .dim = { (gint64) rows, (gint64) columns },
                              .size = rows * columns,
                              .value = objective->values + at,
                              .grad = *slope };
  return parameter->value;
}

gboolean
sl_objective_init (SlObjective *objective, const SlObjectivePlan *plan, GError **error)
{
  g_autoptr (GError) problem = NULL;
  *objective = (SlObjective){ .plan = *plan };
  if (plan->loss->network != NULL)
    objective->beside = plan->loss->network (plan, &problem);
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

gboolean
sl_objective_allocate (SlObjective *objective, guint64 seed, GError **error)
{
  const SlObjectivePlan *plan = &objective->plan;
  gsize n = learned (plan);
  objective->values = g_new0 (float, MAX (n, 1));
  objective->slopes = g_new0 (float, MAX (n, 1));
  objective->room = g_new (double, room_of (plan));
  objective->beside_grad = g_new0 (float, MAX (said_beside (objective), 1));
  if (objective->beside != NULL)
    {
      if (!sl_network_allocate (objective->beside, error))
        return FALSE;
      sl_network_initialise (objective->beside, seed + 1);
      const SlParameter *own = sl_network_parameters (objective->beside, &objective->n_parameters);
      g_assert (objective->n_parameters <= (int) G_N_ELEMENTS (objective->parameter));
      memcpy (objective->parameter, own, (gsize) objective->n_parameters * sizeof *own);
      /* What is learned of annotators is drawn to nothing. */
      for (int i = 0; i < objective->n_parameters; i++)
        objective->parameter[i].decays = FALSE;
    }
  if (plan->loss->begin != NULL)
    plan->loss->begin (objective, seed);
  for (int i = 0; i < objective->n_parameters; i++)
    objective->parameter[i].name = objective->names[i]
        = g_strconcat (SL_OF_ANNOTATORS, objective->parameter[i].name, NULL);
  sl_objective_changed (objective);
  return TRUE;
}

void
sl_objective_clear (SlObjective *objective)
{
  g_clear_pointer (&objective->beside, sl_network_free);
  for (int i = 0; i < objective->n_parameters; i++)
    g_clear_pointer (&objective->names[i], g_free);
  g_clear_pointer (&objective->values, g_free);
  g_clear_pointer (&objective->slopes, g_free);
  g_clear_pointer (&objective->room, g_free);
  g_clear_pointer (&objective->beside_grad, g_free);
  g_clear_error (&objective->problem);
}

void
sl_objective_changed (SlObjective *objective)
{
  if (objective->beside != NULL)
    sl_network_weights_changed (objective->beside);
}

gboolean
sl_objective_lower (SlObjective *objective, SlLossBatch *batch, double *sum, GError **error)
{
  const SlObjectivePlan *plan = &objective->plan;
  batch->scale = plan->sum ? 1 : 1 / (double) batch->n_plain;
  memset (objective->slopes, 0, learned (plan) * sizeof (float));
  *sum = plan->loss->lower (objective, batch);
  if (objective->problem == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&objective->problem));
  return FALSE;
}

gboolean
sl_objective_see (SlObjective *objective, const SlLossBatch *batch, GError **error)
{
  const SlLoss *loss = objective->plan.loss;
  return loss->see == NULL || loss->see (objective, batch, error);
}

gboolean
sl_objective_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                     GError **error)
{
  return objective->plan.loss->answer (objective, batch, r, p, error);
}
