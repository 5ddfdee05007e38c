/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distillation: Hinton, Vinyals, Dean 2015, section 2. With q = softmax (z / T), L = -T² Σ_k t_k
 * log q_k, dL/dz_k = T (q_k - t_k): T² keeps the size of gradients as T changes. At T = 1 it is
 * cross-entropy. */
#include "loss.h"

#include "stages/common/network/softmax.h"

double
sl_loss_distil (const float *logits, const float *target, gsize n, gsize k, double temperature,
                double scale, float *grad, double *room)
{
  double sum = 0, square = temperature * temperature;
  for (gsize i = 0; i < n; i++)
    {
      const float *z = logits + i * k, *t = target + i * k;
      for (gsize j = 0; j < k; j++)
        room[j] = z[j];
      double lse = sl_softmax_at (room, k, temperature), mass = 0;
      for (gsize j = 0; j < k; j++)
        {
          mass += t[j];
          sum += square * t[j] * (lse - z[j] / temperature);
        }
      for (gsize j = 0; grad != NULL && j < k; j++)
        grad[i * k + j] = (float) (scale * temperature * (mass * room[j] - t[j]));
    }
  return sum;
}

double
sl_lower_cross_entropy (SlObjective *objective, const SlLossBatch *batch)
{
  gsize k = objective->plan.k;
  double temperature = objective->plan.arguments.temperature;
  if (temperature == 1)
    return sl_loss_soft (batch->logits, batch->target, batch->n, k, batch->scale, batch->grad,
                         objective->room);
  return sl_loss_distil (batch->logits, batch->target, batch->n, k, temperature, batch->scale,
                         batch->grad, objective->room);
}
