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

gsize
sl_objective_bytes (const SlObjectivePlan *plan, gsize rows)
{
  return learned (plan) * 2 * sizeof (float) + rows * SL_CONAL_EMBEDDING * sizeof (float)
         + (plan->k * 5 + SL_CONAL_EMBEDDING * 3) * sizeof (double);
}

float *
sl_objective_learn (SlObjective *objective, const char *name, gsize rows, gsize columns,
                    float **slope)
{
  gsize at = 0;
  *slope = NULL;
  if (rows * columns == 0)
    return NULL;
  for (int i = 0; i < objective->n_parameters; i++)
    at += objective->parameter[i].size;
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

void
sl_objective_init (SlObjective *objective, const SlObjectivePlan *plan, gsize rows, guint64 seed)
{
  *objective = (SlObjective){ .plan = *plan };
  gsize n = learned (plan);
  objective->values = g_new0 (float, MAX (n, 1));
  objective->slopes = g_new0 (float, MAX (n, 1));
  objective->room = g_new (double, 5 * plan->k + 3 * SL_CONAL_EMBEDDING);
  objective->difficulty_grad = g_new0 (float, rows *SL_CONAL_EMBEDDING);
  if (plan->loss->begin != NULL)
    plan->loss->begin (objective, seed);
}

void
sl_objective_clear (SlObjective *objective)
{
  g_clear_pointer (&objective->values, g_free);
  g_clear_pointer (&objective->slopes, g_free);
  g_clear_pointer (&objective->room, g_free);
  g_clear_pointer (&objective->difficulty_grad, g_free);
}

double
sl_objective_lower (SlObjective *objective, SlLossBatch *batch)
{
  const SlObjectivePlan *plan = &objective->plan;
  batch->scale = plan->sum ? 1 : 1 / (double) batch->n_plain;
  memset (objective->slopes, 0, learned (plan) * sizeof (float));
  return plan->loss->lower (objective, batch);
}
