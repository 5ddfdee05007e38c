/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UnionNet-B: Wei, Xie, Feng, Han, An, Deep Learning From Multiple Noisy Annotators as A Union,
 * IEEE Transactions on Neural Networks and Learning Systems 2022; as the code of Herde et al.
 * 2024 has it.
 *
 * All annotators are one whose answers are pairs (r, c): T[(r, c)][j] = softmax over all pairs
 * of v[(r, c)][j], so that an annotator who says little of class j has little of its mass. An
 * answer t of annotator r has the loss -Σ_c t[c] log Σ_j T[(r, c)][j] p[j], p = softmax (z).
 * With w[c][j] = t[c] p[j] T[(r, c)][j] / Σ_j' of that, and s[j] = Σ_c w[c][j]: ∂/∂z[j] = Σ_c
 * t[c] p[j] - s[j], ∂/∂v[(r, c)][j] = T[(r, c)][j] S[j] - w[c][j], S[j] being Σ of s[j] over all
 * answers. v begins as 1 - ERROR on the diagonal, ERROR / (K - 1) elsewhere. */
#include "loss.h"

#include <string.h>

#define ERROR 1e-5

void
sl_union_transitions (const float *v, gsize rows, gsize k, double *t)
{
  for (gsize j = 0; j < k; j++)
    {
      double most = v[j], sum = 0;
      for (gsize row = 1; row < rows; row++)
        most = MAX (most, v[row * k + j]);
      for (gsize row = 0; row < rows; row++)
        sum += t[row * k + j] = sl_scalar_exp (v[row * k + j] - most);
      for (gsize row = 0; row < rows; row++)
        t[row * k + j] /= sum;
    }
}

/* confusion[j][c] <- T[(r, c)][j]. */
static void
of_annotator (const double *t, gsize r, gsize k, double *confusion)
{
  for (gsize j = 0; j < k; j++)
    for (gsize c = 0; c < k; c++)
      confusion[j * k + c] = t[(r * k + c) * k + j];
}

double
sl_loss_union (const float *logits, const float *v, gsize n_annotators, gsize n, gsize k,
               const SlCrowdAnswers *answers, double scale, float *grad, float *v_grad,
               double *room)
{
  gsize rows = n_annotators * k;
  double *t = room, *confusion = t + rows * k, *w = confusion + k * k, *p = w + k * k;
  double *s = p + k, *all = s + k, *own = all + k, sum = 0;
  memset (all, 0, k * sizeof *all);
  sl_union_transitions (v, rows, k, t);
  for (gsize i = 0; i < n; i++)
    {
      double mass = 0;
      memset (own, 0, k * sizeof *own);
      sl_softmax_row (logits + i * k, k, sl_log_sum_exp (logits + i * k, k), p);
      for (gsize a = answers->start[i]; a < answers->start[i + 1]; a++)
        {
          const float *said = answers->said + a * k;
          gsize r = (gsize) answers->annotator[a];
          of_annotator (t, r, k, confusion);
          sum += answers->count[a] * sl_loss_confused (p, confusion, said, k, w, s);
          for (gsize j = 0; j < k; j++)
            {
              mass += (double) answers->count[a] * said[j];
              own[j] += answers->count[a] * s[j];
              for (gsize c = 0; v_grad != NULL && c < k; c++)
                v_grad[(r * k + c) * k + j] -= (float) (scale * answers->count[a] * w[j * k + c]);
            }
        }
      for (gsize j = 0; j < k; j++)
        {
          all[j] += own[j];
          if (grad != NULL)
            grad[i * k + j] = (float) (scale * (mass * p[j] - own[j]));
        }
    }
  for (gsize row = 0; v_grad != NULL && row < rows; row++)
    for (gsize j = 0; j < k; j++)
      v_grad[row * k + j] += (float) (scale * t[row * k + j] * all[j]);
  return sum;
}

gsize
sl_union_room (const SlObjectivePlan *plan)
{
  return (plan->n_annotators + 2) * plan->k * plan->k + 4 * plan->k;
}

void
sl_union_begin (SlObjective *objective, guint64 seed)
{
  gsize k = objective->plan.k, rows = objective->plan.n_annotators * k;
  objective->confusion
      = sl_objective_learn (objective, "transition", rows, k, &objective->confusion_slope);
  for (gsize i = 0; i < rows * k; i++)
    objective->confusion[i]
        = (float) (i % (k * k) % (k + 1) == 0 ? 1 - ERROR : ERROR / (double) (k - 1));
}

double
sl_lower_union (SlObjective *objective, const SlLossBatch *batch)
{
  return sl_loss_union (batch->logits, objective->confusion, objective->plan.n_annotators, batch->n,
                        objective->plan.k, batch->answers, batch->scale, batch->grad,
                        objective->confusion_slope, objective->room);
}

gboolean
sl_union_see (SlObjective *objective, const SlLossBatch *batch, GError **error)
{
  gsize k = objective->plan.k;
  sl_union_transitions (objective->confusion, objective->plan.n_annotators * k, k, objective->room);
  return TRUE;
}

gboolean
sl_union_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                 GError **error)
{
  gsize k = objective->plan.k;
  double *t = objective->room, *confusion = t + objective->plan.n_annotators * k * k;
  double *true_class = confusion + k * k;
  of_annotator (t, r, k, confusion);
  for (gsize i = 0; i < batch->n; i++)
    {
      const float *z = batch->logits + i * k;
      sl_softmax_row (z, k, sl_log_sum_exp (z, k), true_class);
      sl_confuse (true_class, confusion, k, p + i * k);
    }
  return TRUE;
}
