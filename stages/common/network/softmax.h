/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Softmax of a row of logits, in double precision, the largest logit taken off first. */
#pragma once

#include "pipeline/base/vector-math.h"

#include <math.h>

/* log Σ_j exp (z[j]) of z[k], k > 0. */
SL_INLINE double
sl_log_sum_exp (const float *z, gsize k)
{
  double most = z[0];
  for (gsize j = 1; j < k; j++)
    most = z[j] > most ? z[j] : most;
  SlVector sum = sl_vector (0);
  gsize j = 0;
  for (; j + 4 <= k; j += 4)
    sum += sl_vector_exp ((SlVector){ z[j], z[j + 1], z[j + 2], z[j + 3] } - most);
  SlVector rest = sl_vector (-1e9);
  for (gsize lane = 0; j + lane < k; lane++)
    rest[lane] = z[j + lane] - most;
  if (j < k)
    sum += sl_vector_exp (rest);
  return most + sl_scalar_log (sl_vector_sum (sum));
}

/* p[k] <- exp (z[k] - LSE), LSE being sl_log_sum_exp() of z. */
SL_INLINE void
sl_softmax_row (const float *z, gsize k, double lse, double *p)
{
  gsize j = 0;
  for (; j + 4 <= k; j += 4)
    sl_vector_store (p + j, sl_vector_exp ((SlVector){ z[j], z[j + 1], z[j + 2], z[j + 3] } - lse));
  SlVector rest = sl_vector (-1e9);
  for (gsize lane = 0; j + lane < k; lane++)
    rest[lane] = z[j + lane] - lse;
  SlVector last = sl_vector_exp (rest);
  for (gsize lane = 0; j + lane < k; lane++)
    p[j + lane] = last[lane];
}

/* z[k] becomes softmax (z / TEMPERATURE). Returns log Σ exp (z / TEMPERATURE). */
SL_INLINE double
sl_softmax_at (double *z, gsize k, double temperature)
{
  double most = z[0], sum = 0;
  for (gsize j = 1; j < k; j++)
    most = MAX (most, z[j]);
  for (gsize j = 0; j < k; j++)
    {
      z[j] = sl_scalar_exp ((z[j] - most) / temperature);
      sum += z[j];
    }
  for (gsize j = 0; j < k; j++)
    z[j] /= sum;
  return most / temperature + sl_scalar_log (sum);
}

/* p[k] <- softmax of z[k], of finite or any logits, as a table has it: it sums to 1 where the
 * logits are so large that their LSE has lost Σ, too. FALSE: a logit is not finite. */
SL_INLINE gboolean
sl_softmax_sound (const float *z, gsize k, double *p)
{
  for (gsize j = 0; j < k; j++)
    if (!isfinite (z[j]))
      return FALSE;
  sl_softmax_row (z, k, sl_log_sum_exp (z, k), p);
  double sum = 0;
  for (gsize j = 0; j < k; j++)
    sum += p[j];
  for (gsize j = 0; fabs (sum - 1) > 1e-9 && j < k; j++)
    p[j] /= sum;
  return TRUE;
}
