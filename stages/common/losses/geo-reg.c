/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GeoCrowdNet(F): Ibrahim, Nguyen, Fu, Deep Learning From Crowdsourced Labels: Coupled
 * Cross-Entropy Minimization, Identifiability, and Regularization, ICLR 2023; as the code of
 * Herde et al. 2024 has it.
 *
 * Annotator r's confusion is softmax of the rows of v_r, which begins as the identity; loss of
 * an answer: that of confused.c. Beside it, for each answer, -WEIGHT log det (FᵀF), F[n][k]
 * being the softmaxes of the batch: classes that are far apart span a large volume, which makes
 * confusion and classes identifiable. ∂/∂F of -log det (FᵀF) is -2 F (FᵀF)⁻¹. Where FᵀF is
 * singular, as with fewer items than classes, or the volume's part is over 100, it is left out. */
#include "loss.h"

#include <gsl/gsl_linalg.h>

#include <string.h>

#define MOST 100

/* Adds to s_slope[n][k], of F[n][k], the gradient of -log det (FᵀF), times WEIGHT. Returns that;
 * 0 where it is left out. whole[k][k], inverse[k][k]. */
static double
volume (const double *f, gsize n, gsize k, double weight, double *whole, double *slope)
{
  double log_det = 0;
  memset (whole, 0, k * k * sizeof *whole);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < k; j++)
      for (gsize c = 0; c < k; c++)
        whole[j * k + c] += f[i * k + j] * f[i * k + c];
  gsl_matrix_view square = gsl_matrix_view_array (whole, k, k);
  if (n < k || gsl_linalg_cholesky_decomp1 (&square.matrix) != GSL_SUCCESS)
    return 0;
  for (gsize j = 0; j < k; j++)
    log_det += 2 * sl_scalar_log (whole[j * k + j]);
  if (!(fabs (log_det) <= MOST) || gsl_linalg_cholesky_invert (&square.matrix) != GSL_SUCCESS)
    return 0;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < k; j++)
      for (gsize c = 0; c < k; c++)
        slope[i * k + j] -= 2 * weight * f[i * k + c] * whole[c * k + j];
  return -weight * log_det;
}

/* The answers of row I. Adds their gradients to slope[k], of F, and to v_grad. */
static double
lower_row (const double *p, const float *v, gsize k, const SlCrowdAnswers *answers, gsize i,
           double scale, double *slope, float *v_grad, double *room)
{
  double *w = room, *confusion = w + k * k, *s = confusion + k * k, sum = 0;
  for (gsize a = answers->start[i]; a < answers->start[i + 1]; a++)
    {
      gsize own = (gsize) answers->annotator[a] * k * k;
      double count = answers->count[a];
      for (gsize j = 0; j < k; j++)
        sl_softmax_row (v + own + j * k, k, sl_log_sum_exp (v + own + j * k, k), confusion + j * k);
      sum += count * sl_loss_confused (p, confusion, answers->said + a * k, k, w, s);
      for (gsize j = 0; v_grad != NULL && j < k; j++)
        {
          slope[j] -= count * s[j] / MAX (p[j], DBL_MIN);
          for (gsize c = 0; c < k; c++)
            v_grad[own + j * k + c]
                += (float) (scale * count * (s[j] * confusion[j * k + c] - w[j * k + c]));
        }
    }
  return sum;
}

double
sl_loss_geo_reg (const float *logits, const float *v, gsize n, gsize k,
                 const SlCrowdAnswers *answers, double weight, double scale, float *grad,
                 float *v_grad, double *room)
{
  double *f = room, *slope = f + n * k, *rest = slope + n * k, sum = 0, n_answers = 0;
  memset (slope, 0, n * k * sizeof *slope);
  for (gsize i = 0; i < n; i++)
    {
      sl_softmax_row (logits + i * k, k, sl_log_sum_exp (logits + i * k, k), f + i * k);
      sum += lower_row (f + i * k, v, k, answers, i, scale, slope + i * k, v_grad, rest);
    }
  for (gsize a = 0; a < answers->start[n]; a++)
    n_answers += answers->count[a];
  sum += volume (f, n, k, weight * n_answers, rest, slope);
  for (gsize i = 0; grad != NULL && i < n; i++)
    {
      const double *p = f + i * k, *of = slope + i * k;
      double mean = 0;
      for (gsize j = 0; j < k; j++)
        mean += p[j] * of[j];
      for (gsize j = 0; j < k; j++)
        grad[i * k + j] = (float) (scale * p[j] * (of[j] - mean));
    }
  return sum;
}

gsize
sl_confusion_learned (const SlObjectivePlan *plan)
{
  return plan->n_annotators * plan->k * plan->k;
}

gsize
sl_geo_reg_room (const SlObjectivePlan *plan)
{
  return 2 * plan->k * (plan->k + 1 + (gsize) plan->network.batch);
}

void
sl_geo_reg_begin (SlObjective *objective, guint64 seed)
{
  gsize k = objective->plan.k;
  objective->confusion = sl_objective_learn (objective, "confusion", objective->plan.n_annotators,
                                             k * k, &objective->confusion_slope);
  for (gsize i = 0; i < sl_confusion_learned (&objective->plan); i++)
    objective->confusion[i] = i % (k * k) % (k + 1) == 0;
}

double
sl_lower_geo_reg (SlObjective *objective, const SlLossBatch *batch)
{
  return sl_loss_geo_reg (batch->logits, objective->confusion, batch->n, objective->plan.k,
                          batch->answers, objective->plan.arguments.volume, batch->scale,
                          batch->grad, objective->confusion_slope, objective->room);
}

gboolean
sl_geo_reg_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                   GError **error)
{
  gsize k = objective->plan.k;
  double *confusion = objective->room, *true_class = confusion + k * k;
  for (gsize j = 0; j < k; j++)
    {
      const float *v = objective->confusion + (r * k + j) * k;
      sl_softmax_row (v, k, sl_log_sum_exp (v, k), confusion + j * k);
    }
  for (gsize i = 0; i < batch->n; i++)
    {
      const float *z = batch->logits + i * k;
      sl_softmax_row (z, k, sl_log_sum_exp (z, k), true_class);
      sl_confuse (true_class, confusion, k, p + i * k);
    }
  return TRUE;
}
