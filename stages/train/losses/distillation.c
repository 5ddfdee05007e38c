/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distillation: Hinton, Vinyals, Dean 2015, section 2. With q = softmax (z / T), L = -T² Σ_k t_k
 * log q_k, dL/dz_k = T (q_k - t_k): T² keeps the size of gradients as T changes. At T = 1 it is
 * cross-entropy. */
#include "losses.h"

#include "stages/common/network/softmax.h"

/* The row's q = softmax (z / T) in Q; returns log Σ exp (z / T). */
static double
tempered (const float *z, gsize k, double temperature, double *q)
{
  double most = z[0], sum = 0;
  for (gsize j = 1; j < k; j++)
    most = z[j] > most ? z[j] : most;
  for (gsize j = 0; j < k; j++)
    {
      q[j] = sl_scalar_exp ((z[j] - most) / temperature);
      sum += q[j];
    }
  for (gsize j = 0; j < k; j++)
    q[j] /= sum;
  return most / temperature + sl_scalar_log (sum);
}

double
sl_loss_distil (const float *logits, const float *target, gsize n, gsize k, double temperature,
                double scale, float *grad, double *room)
{
  double sum = 0, square = temperature * temperature;
  for (gsize i = 0; i < n; i++)
    {
      const float *z = logits + i * k, *t = target + i * k;
      double lse = tempered (z, k, temperature, room), mass = 0;
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

void
sl_teacher_add (const double *logit, gsize k, double temperature, double share, double *target)
{
  double most = logit[0], sum = 0;
  for (gsize j = 1; j < k; j++)
    most = MAX (most, logit[j]);
  for (gsize j = 0; j < k; j++)
    sum += sl_scalar_exp ((logit[j] - most) / temperature);
  for (gsize j = 0; j < k; j++)
    target[j] += share * sl_scalar_exp ((logit[j] - most) / temperature) / sum;
}
