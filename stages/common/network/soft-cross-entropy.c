/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L = -Σ_k t_k log softmax (z)_k = m log Σ exp (z) - Σ_k t_k z_k, m = Σ_k t_k; dL/dz_k = m softmax
 * (z)_k - t_k. Targets sum to 1 but for rounding; m keeps the gradient that of the loss. */
#include "soft-cross-entropy.h"

#include "softmax.h"

SL_INLINE double
one_row (const float *z, const float *t, gsize k, double scale, float *grad, double *p)
{
  double lse = sl_log_sum_exp (z, k), mass = 0, along = 0;
  for (gsize j = 0; j < k; j++)
    {
      mass += t[j];
      along += (double) t[j] * (lse - z[j]);
    }
  if (grad == NULL)
    return along;
  sl_softmax_row (z, k, lse, p);
  for (gsize j = 0; j < k; j++)
    grad[j] = (float) (scale * (mass * p[j] - t[j]));
  return along;
}

SL_VECTORS double
sl_loss_soft (const float *logits, const float *target, gsize n, gsize k, double scale, float *grad,
              double *room)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += one_row (logits + i * k, target + i * k, k, scale, grad != NULL ? grad + i * k : NULL,
                    room);
  return sum;
}
