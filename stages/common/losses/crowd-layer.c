/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The crowd layer: Rodrigues & Pereira, Deep Learning from Crowds, AAAI 2018; "DLFC" in Uma et
 * al., HCOMP 2020.
 *
 * s = softmax (z), or z itself. Annotator r's logits are u[c] = Σ_k s[k] W_r[k][c] (MW), w_r[c]
 * s[c] (VW), s[c] + b_r[c] (VB), w_r[c] s[c] + b_r[c] (VW+B), w_r s[c] (SW). Loss: Σ over
 * answers t of -Σ_c t[c] log softmax (u)[c], t a class or a distribution. With g = softmax (u) -
 * t: ∂/∂W_r[k][c] = s[k] g[c], ∂/∂s[k] = Σ_c W_r[k][c] g[c], and likewise; through the softmax
 * ∂/∂z[k] = s[k] (∂/∂s[k] - Σ_j s[j] ∂/∂s[j]). W_r begins as the identity, so that whether it or
 * its transpose is applied is a matter of naming. */
#include "crowd.h"

gsize
sl_crowd_layer_factors (SlCrowdForm form, gsize k)
{
  switch (form)
    {
    case SL_CROWD_MW:
      return k * k;
    case SL_CROWD_VW:
    case SL_CROWD_VW_B:
      return k;
    case SL_CROWD_SW:
      return 1;
    case SL_CROWD_VB:
    case SL_CROWD_CONAL:
      return 0;
    }
  g_assert_not_reached ();
}

gboolean
sl_crowd_layer_has_bias (SlCrowdForm form)
{
  return form == SL_CROWD_VB || form == SL_CROWD_VW_B;
}

void
sl_crowd_layer_initialise (SlCrowdLayer *layer)
{
  gsize each = sl_crowd_layer_factors (layer->form, layer->k);
  for (gsize i = 0; i < layer->n_annotators * each; i++)
    layer->factor[i] = layer->form == SL_CROWD_MW && i % each % (layer->k + 1) != 0 ? 0 : 1;
  for (gsize i = 0; layer->bias != NULL && i < layer->n_annotators * layer->k; i++)
    layer->bias[i] = 0;
}

double
sl_answer_loss (double *u, const float *t, gsize k, double scale)
{
  double along = 0, mass = 0;
  for (gsize c = 0; c < k; c++)
    {
      along += t[c] * u[c];
      mass += t[c];
    }
  double lse = sl_softmax_at (u, k, 1);
  for (gsize c = 0; c < k; c++)
    u[c] = scale * (mass * u[c] - t[c]);
  return mass * lse - along;
}

/* s[k] of z[k]. */
static void
what_is_seen (const SlCrowdLayer *layer, const float *z, double *s)
{
  if (!layer->of_logits)
    sl_softmax_row (z, layer->k, sl_log_sum_exp (z, layer->k), s);
  else
    for (gsize j = 0; j < layer->k; j++)
      s[j] = z[j];
}

/* u[k] <- annotator R's logits where s[k] is seen. */
static void
annotator_logits (const SlCrowdLayer *layer, const double *s, gsize r, double *u)
{
  gsize k = layer->k;
  const float *w = layer->factor + r * sl_crowd_layer_factors (layer->form, k);
  for (gsize c = 0; c < k; c++)
    u[c] = layer->form == SL_CROWD_MW                                   ? 0
           : layer->form == SL_CROWD_SW                                 ? w[0] * s[c]
           : layer->form == SL_CROWD_VW || layer->form == SL_CROWD_VW_B ? w[c] * s[c]
                                                                        : s[c];
  for (gsize j = 0; layer->form == SL_CROWD_MW && j < k; j++)
    for (gsize c = 0; c < k; c++)
      u[c] += s[j] * w[j * k + c];
  for (gsize c = 0; layer->bias != NULL && c < k; c++)
    u[c] += layer->bias[r * k + c];
}

void
sl_crowd_layer_predict (const SlCrowdLayer *layer, const float *z, gsize r, double *p)
{
  g_autofree double *s = g_new (double, layer->k);
  what_is_seen (layer, z, s);
  annotator_logits (layer, s, r, p);
  sl_softmax_at (p, layer->k, 1);
}

/* One answer's g[k] goes into the slopes of annotator R and of s. */
static void
go_back (const SlCrowdLayer *layer, const double *s, const double *g, gsize r, SlCrowdLayer *slope,
         double *s_slope)
{
  gsize k = layer->k, each = sl_crowd_layer_factors (layer->form, k);
  const float *w = layer->factor + r * each;
  float *dw = slope->factor + r * each;
  for (gsize c = 0; c < k; c++)
    switch (layer->form)
      {
      case SL_CROWD_MW:
        for (gsize j = 0; j < k; j++)
          {
            dw[c * k + j] += (float) (s[c] * g[j]);
            s_slope[c] += w[c * k + j] * g[j];
          }
        break;
      case SL_CROWD_VW:
      case SL_CROWD_VW_B:
        dw[c] += (float) (s[c] * g[c]);
        s_slope[c] += w[c] * g[c];
        break;
      case SL_CROWD_SW:
        dw[0] += (float) (s[c] * g[c]);
        s_slope[c] += w[0] * g[c];
        break;
      case SL_CROWD_VB:
      case SL_CROWD_CONAL:
        s_slope[c] += g[c];
        break;
      }
  for (gsize c = 0; slope->bias != NULL && c < k; c++)
    slope->bias[r * k + c] += (float) g[c];
}

/* GRAD[k], with respect to the logits, of S_SLOPE[k], with respect to s[k]. */
static void
through_softmax (const SlCrowdLayer *layer, const double *s, const double *s_slope, float *grad)
{
  double mean = 0;
  for (gsize c = 0; c < layer->k; c++)
    mean += s[c] * s_slope[c];
  for (gsize c = 0; c < layer->k; c++)
    grad[c] = (float) (layer->of_logits ? s_slope[c] : s[c] * (s_slope[c] - mean));
}

double
sl_loss_crowd (const SlCrowdLayer *layer, const float *logits, gsize n,
               const SlCrowdAnswers *answers, double scale, float *grad, SlCrowdLayer *slope,
               double *room)
{
  gsize k = layer->k;
  double *s = room, *u = room + k, *s_slope = room + 2 * k, sum = 0;
  for (gsize i = 0; i < n; i++)
    {
      what_is_seen (layer, logits + i * k, s);
      memset (s_slope, 0, k * sizeof *s_slope);
      for (gsize j = answers->start[i]; j < answers->start[i + 1]; j++)
        {
          gsize r = (gsize) answers->annotator[j];
          annotator_logits (layer, s, r, u);
          sum += answers->count[j]
                 * sl_answer_loss (u, answers->said + j * k, k, scale * answers->count[j]);
          if (grad != NULL)
            go_back (layer, s, u, r, slope, s_slope);
        }
      if (grad != NULL)
        through_softmax (layer, s, s_slope, grad + i * k);
    }
  return sum;
}
