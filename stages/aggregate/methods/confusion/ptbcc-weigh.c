/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTBCC's Dirichlets: from sums to weights. What returns a number returns less the divergence
 * from the prior. */
#include "ptbcc.h"

/* v_g[k][k], and v_g[k][x] for other x. */
void
sl_ptbcc_prototype (gint32 g, gint32 n_classes, double *right, double *wrong)
{
  const double ratio[2][2] = { { 5, 1 }, { 1, 1.35 } };
  double sum = ratio[g][0] + ratio[g][1] * (n_classes - 1);
  *right = ratio[g][0] / sum;
  *wrong = ratio[g][1] / sum;
}

/* No prior is quite 0, where digamma would be infinite. */
#define LEAST 1e-9

/* Sums over the lanes, to model->share, to model->phi and, of r[0] for annotator A, as the
 * result. */
static void
add_prior (SlPtbcc *model)
{
  gsize lane = 3 * (gsize) model->stride + (gsize) model->most_answers + 4;
  for (gint32 k = 0; k < model->items->n_classes; k++)
    {
      model->share[k] = 0;
      for (gint32 l = 0; l < model->n_lanes; l++)
        model->share[k] += model->lane_row[(gsize) l * lane + (gsize) k];
    }
}

static void
add_phi (SlPtbcc *model)
{
  gsize size = 2 * (gsize) model->items->n_classes * (gsize) model->stride;
  memset (model->phi, 0, size * sizeof *model->phi);
  for (gsize l = 0; l < (gsize) model->n_lanes; l++)
    for (gsize i = 0; i < size; i++)
      model->phi[i] += model->lane_phi[l * size + i];
}

static double
add_mix (const SlPtbcc *model, gint32 a, double *count)
{
  gsize first;
  gint32 n = sl_packed_answers_cells (&model->packed, a, &first);
  double r0 = 0;
  *count = 0;
  for (gsize i = first; i < first + (gsize) n; i++)
    {
      *count += model->cell_count[i];
      for (gint32 l = 0; l < model->n_lanes; l++)
        r0 += model->lane_mix[(gsize) l * model->packed.n_cells + i];
    }
  return r0;
}

void
sl_ptbcc_set_priors (SlPtbcc *model)
{
  gsize n_classes = (gsize) model->items->n_classes, stride = (gsize) model->stride,
        other = n_classes * stride;
  double right[2], wrong[2], count;
  add_prior (model);
  add_phi (model);
  for (gsize k = 0; k < n_classes; k++)
    model->class_alpha[k] = MAX (model->share[k], LEAST);
  for (gsize g = 0; g < 2; g++)
    {
      sl_ptbcc_prototype ((gint32) g, model->items->n_classes, &right[g], &wrong[g]);
      for (gsize i = 0; i < other; i++)
        {
          double with = model->phi[i], all = with + model->phi[other + i];
          model->phi_alpha[g * other + i]
              = MAX (0.5 * (wrong[g] * all + (right[g] - wrong[g]) * with), LEAST);
        }
    }
  for (gint32 a = 0; a < model->packed.n_annotators; a++)
    {
      double with = add_mix (model, a, &count);
      for (gsize g = 0; g < 2; g++)
        model->mix_alpha[2 * (gsize) a + g]
            = MAX (0.4 * (wrong[g] * count + (right[g] - wrong[g]) * with), LEAST);
    }
}

static double
weigh_phi (SlPtbcc *model)
{
  gsize n_classes = (gsize) model->items->n_classes, stride = (gsize) model->stride;
  double objective = 0;
  add_phi (model);
  for (gsize g = 0; g < 2; g++)
    for (gsize k = 0; k < n_classes; k++)
      {
        double before = 0, after = 0;
        for (gsize x = 0; x < n_classes; x++)
          {
            gsize at = (g * n_classes + x) * stride + k;
            before += model->phi_alpha[at];
            after += model->phi_alpha[at] + model->phi[at];
          }
        double psi = sl_scalar_digamma (after);
        for (gsize x = 0; x < n_classes; x++)
          {
            gsize at = (g * n_classes + x) * stride + k;
            double c = model->phi[at], b = model->phi_alpha[at];
            model->log_phi[at] = sl_scalar_digamma (b + c) - psi;
            model->phi[at] = (b + c) / after;
            objective += sl_scalar_lgamma (b + c) - sl_scalar_lgamma (b) - c * model->log_phi[at];
          }
        objective -= sl_scalar_lgamma (after) - sl_scalar_lgamma (before);
      }
  return objective;
}

/* With sum over the answers of W_a[1], which the passes leave out. */
static double
weigh_mix (SlPtbcc *model, gint32 a, double *mean)
{
  gsize first;
  gint32 n = sl_packed_answers_cells (&model->packed, a, &first);
  double count, r0 = add_mix (model, a, &count), r1 = MAX (count - r0, 0);
  double b0 = model->mix_alpha[2 * (gsize) a], b1 = model->mix_alpha[2 * (gsize) a + 1],
         after = b0 + b1 + r0 + r1;
  double psi = sl_scalar_digamma (after), w0 = sl_scalar_digamma (b0 + r0) - psi,
         w1 = sl_scalar_digamma (b1 + r1) - psi;
  for (gsize i = first; i < first + (gsize) n; i++)
    model->odds[i] = w0 - w1;
  *mean = (b0 + r0) / after;
  return sl_scalar_lgamma (b0 + r0) - sl_scalar_lgamma (b0) + sl_scalar_lgamma (b1 + r1)
         - sl_scalar_lgamma (b1) - sl_scalar_lgamma (after) + sl_scalar_lgamma (b0 + b1) - r0 * w0
         - r1 * w1 + count * w1;
}

static double
weigh_prior (SlPtbcc *model)
{
  gint32 n_classes = model->items->n_classes;
  double before = 0, after = 0, objective = 0;
  add_prior (model);
  for (gint32 k = 0; k < n_classes; k++)
    {
      before += model->class_alpha[k];
      after += model->class_alpha[k] + model->share[k];
    }
  double psi = sl_scalar_digamma (after);
  for (gint32 k = 0; k < n_classes; k++)
    {
      double b = model->class_alpha[k], c = model->share[k];
      model->log_prior[k] = sl_scalar_digamma (b + c) - psi;
      model->share[k] = (b + c) / after;
      objective += sl_scalar_lgamma (b + c) - sl_scalar_lgamma (b) - c * model->log_prior[k];
    }
  return objective - sl_scalar_lgamma (after) + sl_scalar_lgamma (before);
}

static void
report (SlPtbcc *model, gint32 a, double mix)
{
  gsize n_classes = (gsize) model->items->n_classes, stride = (gsize) model->stride,
        other = n_classes * stride;
  double reliability = 0;
  for (gsize k = 0; k < n_classes; k++)
    for (gsize x = 0; x < n_classes; x++)
      {
        double p
            = mix * model->phi[x * stride + k] + (1 - mix) * model->phi[other + x * stride + k];
        if (model->learned->confusion != NULL)
          model->learned->confusion[((gsize) a * n_classes + k) * n_classes + x] = p;
        reliability += x == k ? p * model->share[k] : 0;
      }
  if (model->learned->reliability != NULL)
    model->learned->reliability[a] = reliability;
}

double
sl_ptbcc_weigh (SlPtbcc *model)
{
  double objective = weigh_prior (model) + weigh_phi (model), mix;
  for (gint32 a = 0; a < model->packed.n_annotators; a++)
    {
      objective += weigh_mix (model, a, &mix);
      if (model->learned->confusion != NULL || model->learned->reliability != NULL)
        report (model, a, mix);
    }
  return objective;
}
