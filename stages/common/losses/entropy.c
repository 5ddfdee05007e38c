/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses of mixed examples that look at the entropy of what is predicted, H = -Σ_k p_k log p_k, p =
 * softmax (z): dH/dz_k = -p_k (log p_k + H).
 *
 * Ent-WC (Collins, MPhil thesis, Cambridge 2022, section 5.2.2): w CE (t, p), w = log 2 / H clipped
 * to [LEAST, 1]. Between the two bounds dw/dz_k = (log 2 / H²) p_k (log p_k + H); at a bound 0. The
 * paper does not say whether the gradient flows through w: both.
 *
 * Mix-MaxEnt (Pinto, Yang, Lim, Torr, Dokania 2021): -H. */
#include "stages/common/network/softmax.h"
#include "loss.h"

/* Distillation: Hinton, Vinyals, Dean 2015, section 2. With q = softmax (z / T), L = -T² Σ_k t_k
 * log q_k, dL/dz_k = T (q_k - t_k): T² keeps the size of gradients as T changes. At T = 1 it is
 * cross-entropy. */

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

static double
entropy_of (const float *z, const double *p, gsize k, double lse)
{
  double entropy = 0;
  for (gsize j = 0; j < k; j++)
    entropy -= p[j] * (z[j] - lse);
  return entropy;
}

double
sl_loss_ent_wc (const float *logits, const float *target, gsize n, gsize k, double least,
                gboolean through, double scale, float *grad, double *room)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    {
      const float *z = logits + i * k, *t = target + i * k;
      double lse = sl_log_sum_exp (z, k), loss = 0, mass = 0;
      sl_softmax_row (z, k, lse, room);
      double entropy = entropy_of (z, room, k, lse);
      /* H below log 2 has weight 1, so H near 0 is never divided by. */
      double weight = entropy > SL_LOG_2 ? MAX (SL_LOG_2 / entropy, least) : 1;
      gboolean inside = entropy > SL_LOG_2 && SL_LOG_2 / entropy > least;
      for (gsize j = 0; j < k; j++)
        {
          mass += t[j];
          loss += (double) t[j] * (lse - z[j]);
        }
      double slope = inside && through ? loss * SL_LOG_2 / (entropy * entropy) : 0;
      for (gsize j = 0; grad != NULL && j < k; j++)
        grad[i * k + j] = (float) (scale
                                   * (weight * (mass * room[j] - t[j])
                                      + slope * room[j] * (z[j] - lse + entropy)));
      sum += weight * loss;
    }
  return sum;
}

double
sl_loss_max_entropy (const float *logits, gsize n, gsize k, double scale, float *grad, double *room)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    {
      const float *z = logits + i * k;
      double lse = sl_log_sum_exp (z, k);
      sl_softmax_row (z, k, lse, room);
      double entropy = entropy_of (z, room, k, lse);
      for (gsize j = 0; grad != NULL && j < k; j++)
        grad[i * k + j] = (float) (scale * room[j] * (z[j] - lse + entropy));
      sum -= entropy;
    }
  return sum;
}

double
sl_lower_ent_wc (SlObjective *objective, const SlLossBatch *batch)
{
  const SlLossArguments *arguments = &objective->plan.arguments;
  return sl_loss_ent_wc (batch->logits, batch->target, batch->n, objective->plan.k,
                         arguments->least, arguments->detached == 0, batch->scale, batch->grad,
                         objective->room);
}

/* Cross-entropy of the plain examples and, of their own number, the entropy of the mixed ones. */
double
sl_lower_mix_maxent (SlObjective *objective, const SlLossBatch *batch)
{
  gsize k = objective->plan.k, plain = batch->n_plain, mixed = batch->n - plain;
  double *room = objective->room;
  double loss
      = sl_loss_soft (batch->logits, batch->target, plain, k, batch->scale, batch->grad, room);
  if (mixed == 0)
    return loss;
  /* So many as there are plain ones, or fewer, have the weight of as many. */
  double weight = objective->plan.arguments.entropy, share = (double) plain / (double) mixed;
  return loss
         + weight * share
               * sl_loss_max_entropy (batch->logits + plain * k, mixed, k,
                                      batch->scale * share * weight, batch->grad + plain * k, room);
}
