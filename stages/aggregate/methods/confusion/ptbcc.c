/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTBCC, prototype learning for annotators (Chen, Feng & Zhang, "Delving into annotator prototype
 * learning for multi-class annotation aggregation", arXiv 2508.02123, 2025): the crowd shares two
 * confusion matrices, and each answer comes from one of them, by the annotator's own mixture.
 *
 *     z_i ~ prior                the item's class
 *     g_j ~ mix_a                the prototype of answer j, by annotator a
 *     x_j ~ phi_g[z]             what it says
 *
 * Priors are empirical. T_i[k] is the share of i's votes for k, v_0[k][x] ~ 5 where x = k, else 1,
 * v_1[k][x] ~ 1 where x = k, else 1.35, rows summing to 1, and t_j[g] = sum over k of T_i[k]
 * v_g[k][x_j]; then
 *
 *     prior ~ Dirichlet (sum over items of T_i)
 *     mix_a ~ Dirichlet (0.4 × sum over a's answers of t_j)
 *     phi_g[k] ~ Dirichlet (0.5 × sum over answers x of t_j[g] T_i[k])
 *
 * and r_j ~ t_j to begin with. Mean field, each in turn, with L_g[k][x] = E log phi_g[k][x] and
 * W_a[g] = E log mix_a[g] (digammas, as in ibcc.c):
 *
 *     prior, mix_a, phi_g: their prior + sums of T_i, of r_j over a's answers, of r_j[g] T_i
 *     r_j[g] ~ exp (W_a[g] + sum over k of T_i[k] L_g[k][x_j])
 *     T_i[k] ~ exp (E log prior[k] + sum over the answers j to i, and g, of r_j[g] L_g[k][x_j])
 *
 * r_j is a function of the labels of the round before, so none is stored. Ends when no label
 * changes by more than the tolerance, 1e-3, or after 500 rounds. The objective, the evidence lower
 * bound, is
 *
 *     sum over items of log sum over k of exp (...)
 *     + sum over answers, and g, of r_j[g] (W_a[g] - log r_j[g])
 *     - the divergences of the Dirichlets from their priors. */
#include "pipeline/base/parallel.h"
#include "stages/aggregate/methods/fits.h"
#include "ptbcc.h"

#include <math.h>
#include <stdlib.h>

#define CHUNK 256

static void
model_clear (SlPtbcc *model)
{
  sl_packed_answers_clear (&model->packed);
  free (model->odds);
  free (model->cell_count);
  free (model->log_prior);
  free (model->share);
  free (model->class_alpha);
  free (model->phi_alpha);
  free (model->mix_alpha);
  free (model->log_phi);
  free (model->phi);
  free (model->lane_phi);
  free (model->lane_mix);
  free (model->lane_row);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPtbcc, model_clear)

static double *
zeros (gsize n, gsize m, GError **error)
{
  double *p = sl_aligned_new (n, m, sizeof *p, "what is learned of annotators", error);
  if (p != NULL)
    memset (p, 0, n * m * sizeof *p);
  return p;
}

static gboolean
model_init (SlPtbcc *model, const SlAnswers *answers, GError **error)
{
  gsize n_classes = (gsize) model->items->n_classes, stride = (n_classes + 3) / 4 * 4;
  model->stride = (gint32) stride;
  if (!sl_packed_answers_init (&model->packed, model->items, answers, CHUNK,
                               model->settings->threads, error))
    return FALSE;
  /* As many lanes as leave their sums smaller than the answers. */
  const SlPackedAnswers *packed = &model->packed;
  gint64 sums = (gint64) packed->n_cells + 2 * (gint64) packed->n_classes * model->stride;
  model->n_lanes = packed->n_answers < 65536 ? 1 : 2;
  while (model->n_lanes < SL_PTBCC_LANES && 4 * model->n_lanes * sums <= packed->n_answers)
    model->n_lanes *= 2;
  sl_packed_answers_cut (packed, model->n_lanes, model->lane_start);
  for (gint64 s = 0; s < packed->stretch_start[packed->n_chunks]; s++)
    model->most_answers = MAX (model->most_answers, packed->stretch[s].answers);
  model->most_answers = (model->most_answers + 3) / 4 * 4;
  gsize cells = model->packed.n_cells, lanes = (gsize) model->n_lanes;
  if ((model->odds = zeros (cells, 1, error)) == NULL
      || (model->cell_count = zeros (cells, 1, error)) == NULL
      || (model->log_prior = zeros (stride, 1, error)) == NULL
      || (model->share = zeros (stride, 1, error)) == NULL
      || (model->class_alpha = zeros (stride, 1, error)) == NULL
      || (model->phi_alpha = zeros (2 * n_classes, stride, error)) == NULL
      || (model->mix_alpha = zeros ((gsize) answers->n_annotators, 2, error)) == NULL
      || (model->log_phi = zeros (2 * n_classes, stride, error)) == NULL
      || (model->phi = zeros (2 * n_classes, stride, error)) == NULL
      || (model->lane_phi = zeros (lanes * 2 * n_classes, stride, error)) == NULL
      || (model->lane_mix = zeros (lanes, cells, error)) == NULL
      || (model->lane_row = zeros (lanes, 3 * stride + (gsize) model->most_answers + 4, error))
             == NULL)
    return FALSE;
  for (gint64 j = 0; j < model->packed.n_answers; j++)
    model->cell_count[model->packed.cell[j]]
        += model->packed.weight != NULL ? model->packed.weight[j] : 1;
  for (gsize k = n_classes; k < stride; k++)
    model->log_prior[k] = SL_EM_NEVER;
  return TRUE;
}

static void
pass (SlPtbcc *model)
{
  sl_parallel (model->settings->threads, model->n_lanes, sl_ptbcc_pass_lane, model);
}

static double
round_once (SlPtbcc *model, double *change)
{
  double objective = sl_ptbcc_weigh (model);
  pass (model);
  *change = 0;
  for (gint32 l = 0; l < model->n_lanes; l++)
    {
      objective += model->lane_result[l][0];
      *change = MAX (*change, model->lane_result[l][1]);
    }
  return objective;
}

gboolean
sl_fit_ptbcc (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
              SlLearned *learned, GError **error)
{
  g_auto (SlPtbcc) model
      = { .items = items, .settings = settings, .learned = learned, .stage = SL_PTBCC_PRIORS };
  if (!sl_em_first_labels (items, answers, settings, error) || !model_init (&model, answers, error))
    return FALSE;
  gint64 iterations = sl_rounds (settings, 500);
  double tolerance = sl_or_own (settings->tolerance, 1e-3), change;
  pass (&model);
  sl_ptbcc_set_priors (&model);
  model.stage = SL_PTBCC_FIRST;
  pass (&model);
  model.stage = SL_PTBCC_ROUND;
  for (gint64 round = 1; round <= iterations; round++)
    {
      double objective = round_once (&model, &change);
      sl_round_over (settings, learned, round, iterations, objective);
      if (change <= tolerance)
        break;
    }
  if (learned->prior != NULL)
    memcpy (learned->prior, model.share, (gsize) items->n_classes * sizeof *learned->prior);
  return TRUE;
}
