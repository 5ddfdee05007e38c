/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CoNAL: Chu, Ma, Wang, Learning from Crowds by Modeling Common Confusions, AAAI 2021, as
 * crowd-kit and peerannot have it.
 *
 * s = softmax (z); v = d / |d| of item i's difficulty d[e], q = (a_r + o) / |a_r + o| of
 * annotator r; share of the common confusion w = sigmoid (v · q); u = w sᵀC + (1 - w) sᵀA_r;
 * loss of answer t: -Σ_c t[c] log softmax (u)[c]. With g = softmax (u) - t: ∂/∂C[j][c] = w s[j]
 * g[c]; ∂/∂A_r[j][c] = (1 - w) s[j] g[c]; ∂/∂s[j] = Σ_c (w C + (1 - w) A_r)[j][c] g[c]; ∂/∂(v·q)
 * = w (1 - w) g · (sᵀC - sᵀA_r); ∂/∂d = (∂/∂v - v (v · ∂/∂v)) / |d|, likewise for a_r and o. */
#include "crowd.h"

#include <math.h>

#define TINY 1e-12 /* least length that is divided by, as torch.nn.functional.normalize has it */

void
sl_conal_initialise (SlConal *conal)
{
  gsize cells = conal->k * conal->k;
  for (gsize i = 0; i < cells; i++)
    conal->common[i] = i % (conal->k + 1) == 0 ? 2 : 0;
  for (gsize i = 0; i < conal->n_annotators * cells; i++)
    conal->individual[i] = conal->common[i % cells];
}

/* Where one answer's arithmetic stands, in the caller's room. */
typedef struct
{
  double *s, *common, *individual, *u, *s_slope; /* [k] */
  double *v, *q, *v_slope;                       /* [e] */
  double v_length, q_length, w;
} Place;

static Place
place_in (double *room, gsize k, gsize e)
{
  return (Place){ room,
                  room + k,
                  room + 2 * k,
                  room + 3 * k,
                  room + 4 * k,
                  room + 5 * k,
                  room + 5 * k + e,
                  room + 5 * k + 2 * e,
                  0,
                  0,
                  0 };
}

/* Divides x[e] by its length, which it returns. */
static double
to_unit (double *x, gsize e)
{
  double square = 0;
  for (gsize j = 0; j < e; j++)
    square += x[j] * x[j];
  double length = MAX (sqrt (square), TINY);
  for (gsize j = 0; j < e; j++)
    x[j] /= length;
  return length;
}

/* s, sᵀC and v of an item. */
static void
predict_item (const SlConal *conal, const float *z, const float *d, Place *at)
{
  gsize k = conal->k;
  sl_softmax_row (z, k, sl_log_sum_exp (z, k), at->s);
  memset (at->common, 0, k * sizeof (double));
  for (gsize j = 0; j < k; j++)
    for (gsize c = 0; c < k; c++)
      at->common[c] += at->s[j] * conal->common[j * k + c];
  for (gsize j = 0; j < conal->e; j++)
    at->v[j] = d[j];
  at->v_length = to_unit (at->v, conal->e);
}

/* u of annotator R. */
static void
predict_annotator (const SlConal *conal, gsize r, Place *at)
{
  gsize k = conal->k;
  const float *own = conal->individual + r * k * k;
  memset (at->individual, 0, k * sizeof (double));
  for (gsize j = 0; j < k; j++)
    for (gsize c = 0; c < k; c++)
      at->individual[c] += at->s[j] * own[j * k + c];
  double along = 0;
  for (gsize j = 0; j < conal->e; j++)
    at->q[j] = (double) conal->person[r * conal->e + j] + conal->offset[j];
  at->q_length = to_unit (at->q, conal->e);
  for (gsize j = 0; j < conal->e; j++)
    along += at->v[j] * at->q[j];
  at->w = 1 / (1 + sl_scalar_exp (-along));
  for (gsize c = 0; c < k; c++)
    at->u[c] = at->w * at->common[c] + (1 - at->w) * at->individual[c];
}

void
sl_conal_predict (const SlConal *conal, const float *z, const float *d, gsize r, double *p,
                  double *room)
{
  Place at = place_in (room, conal->k, conal->e);
  predict_item (conal, z, d, &at);
  predict_annotator (conal, r, &at);
  sl_softmax_at (at.u, conal->k, 1);
  memcpy (p, at.u, conal->k * sizeof (double));
}

/* at->u is the answer's g. */
static void
go_back (const SlConal *conal, gsize r, Place *at, SlConal *slope)
{
  gsize k = conal->k, e = conal->e, cells = k * k;
  double apart = 0, along = 0;
  for (gsize j = 0; j < k; j++)
    {
      apart += at->u[j] * (at->common[j] - at->individual[j]);
      for (gsize c = 0; c < k; c++)
        {
          double both = at->s[j] * at->u[c];
          slope->common[j * k + c] += (float) (at->w * both);
          slope->individual[r * cells + j * k + c] += (float) ((1 - at->w) * both);
          at->s_slope[j] += (at->w * conal->common[j * k + c]
                             + (1 - at->w) * conal->individual[r * cells + j * k + c])
                            * at->u[c];
        }
    }
  double t = at->w * (1 - at->w) * apart; /* of v · q */
  for (gsize j = 0; j < e; j++)
    along += at->v[j] * at->q[j];
  for (gsize j = 0; j < e; j++)
    {
      at->v_slope[j] += t * (at->q[j] - along * at->v[j]) / at->v_length;
      double of_person = t * (at->v[j] - along * at->q[j]) / at->q_length;
      slope->person[r * e + j] += (float) of_person;
      slope->offset[j] += (float) of_person;
    }
}

double
sl_loss_conal (const SlConal *conal, const float *logits, const float *difficulty, gsize n,
               const SlCrowdAnswers *answers, double scale, float *grad, float *difficulty_grad,
               SlConal *slope, double *room)
{
  gsize k = conal->k, e = conal->e;
  Place at = place_in (room, k, e);
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    {
      predict_item (conal, logits + i * k, difficulty + i * e, &at);
      memset (at.s_slope, 0, k * sizeof (double));
      memset (at.v_slope, 0, e * sizeof (double));
      for (gsize j = answers->start[i]; j < answers->start[i + 1]; j++)
        {
          gsize r = (gsize) answers->annotator[j];
          predict_annotator (conal, r, &at);
          sum += answers->count[j]
                 * sl_answer_loss (at.u, answers->said + j * k, k, scale * answers->count[j]);
          if (grad != NULL)
            go_back (conal, r, &at, slope);
        }
      if (grad == NULL)
        continue;
      double mean = 0;
      for (gsize c = 0; c < k; c++)
        mean += at.s[c] * at.s_slope[c];
      for (gsize c = 0; c < k; c++)
        grad[i * k + c] = (float) (at.s[c] * (at.s_slope[c] - mean));
      for (gsize j = 0; j < e; j++)
        difficulty_grad[i * e + j] = (float) at.v_slope[j];
    }
  return sum;
}

double
sl_conal_apart (const SlConal *conal, double weight, SlConal *slope)
{
  gsize cells = conal->k * conal->k;
  double sum = 0;
  for (gsize r = 0; r < conal->n_annotators; r++)
    {
      const float *own = conal->individual + r * cells;
      double square = 0;
      for (gsize i = 0; i < cells; i++)
        square += ((double) own[i] - conal->common[i]) * ((double) own[i] - conal->common[i]);
      double length = sqrt (square);
      sum -= weight * length;
      /* Where both are alike, as in the beginning, there is no way to part them. */
      for (gsize i = 0; length > 0 && i < cells; i++)
        {
          double part = weight * ((double) own[i] - conal->common[i]) / length;
          slope->individual[r * cells + i] -= (float) part;
          slope->common[i] += (float) part;
        }
    }
  return sum;
}
