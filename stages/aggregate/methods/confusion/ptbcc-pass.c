/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTBCC's passes over the items: r_j and T_i from the weights, and their sums. */
#include "ptbcc.h"

#include <math.h>

typedef struct
{
  SlPtbcc *model;
  double *phi, *mix, *total, *before, *row, *r; /* the lane's */
  double objective, change;
} Lane;

/* r[j][0] for the N answers with cells CELL, to lane->r; their part in the objective to it. */
SL_INLINE void
ascribe (Lane *lane, const guint32 *cell, const double *weight, gint32 n)
{
  const SlPtbcc *model = lane->model;
  const SlPackedAnswers *packed = &model->packed;
  gsize stride = (gsize) model->stride, other = (gsize) packed->n_classes * stride;
  for (gint32 j = 0; j < n; j += 4)
    {
      SlVector d = sl_vector (0), w = sl_vector (0), odds = sl_vector (0);
      for (gint32 v = 0; v < 4 && j + v < n; v++)
        {
          const double *l = model->log_phi
                            + (gsize) sl_packed_answers_cell_class (packed, cell[j + v]) * stride;
          SlVector dot = sl_vector (0);
          for (gsize k = 0; k < stride; k += 4)
            dot += sl_vector_load (lane->before + k)
                   * (sl_vector_load (l + k) - sl_vector_load (l + other + k));
          odds[v] = model->odds[cell[j + v]];
          d[v] = odds[v] + sl_vector_sum (dot);
          w[v] = weight != NULL ? weight[j + v] : 1;
        }
      SlLanes first = d > 0.0;
      SlVector distance = sl_vector_select (first, d, -d), e = sl_vector_exp (-distance),
               likely = 1.0 / (1.0 + e);
      SlVector r = sl_vector_select (first, likely, e * likely);
      sl_vector_store (lane->r + j, r);
      if (model->learned->round != NULL) /* r W, and the entropy of r */
        lane->objective
            += sl_vector_sum (w * (r * odds + sl_vector_log (1.0 + e) + distance * e * likely));
    }
}

/* The same for what comes before the first round: t_j = wrong + (right - wrong) T_i[x_j]. */
static void
ascribe_votes (Lane *lane, const guint32 *cell, gint32 n)
{
  const SlPtbcc *model = lane->model;
  double right[2], wrong[2];
  for (gint32 g = 0; g < 2; g++)
    sl_ptbcc_prototype (g, model->items->n_classes, &right[g], &wrong[g]);
  for (gint32 j = 0; j < n; j++)
    {
      double p = lane->before[sl_packed_answers_cell_class (&model->packed, cell[j])];
      double t0 = wrong[0] + (right[0] - wrong[0]) * p, t1 = wrong[1] + (right[1] - wrong[1]) * p;
      lane->r[j] = model->stage == SL_PTBCC_PRIORS ? p : t0 / (t0 + t1);
    }
}

SL_INLINE void
label (Lane *lane, gint32 item, const guint32 *cell, const double *weight, gint32 n)
{
  const SlPtbcc *model = lane->model;
  gsize stride = (gsize) model->stride, n_classes = (gsize) model->items->n_classes,
        other = n_classes * stride;
  double *to = model->items->label + (gsize) item * n_classes;
  memcpy (lane->row, model->log_prior, stride * sizeof (double));
  for (gint32 j = 0; j < n; j++)
    {
      const double *l = model->log_phi
                        + (gsize) sl_packed_answers_cell_class (&model->packed, cell[j]) * stride;
      double w = weight != NULL ? weight[j] : 1, w0 = w * lane->r[j], w1 = w - w0;
      for (gsize k = 0; k < stride; k += 4)
        sl_vector_store (lane->row + k, sl_vector_load (lane->row + k) + w0 * sl_vector_load (l + k)
                                            + w1 * sl_vector_load (l + other + k));
    }
  gint32 gold = sl_posterior_gold (model->items, model->settings, item);
  for (gsize k = 0; gold >= 0 && k < n_classes; k++)
    if (k != (gsize) gold)
      lane->row[k] = SL_EM_NEVER;
  lane->objective += sl_em_normalise (lane->row, model->stride);
  for (gsize k = 0; k < n_classes; k++)
    {
      lane->change = MAX (lane->change, fabs (to[k] - lane->row[k]));
      to[k] = lane->row[k];
    }
}

/* ---- sums ---- */

SL_INLINE void
add (Lane *lane, const guint32 *cell, const double *weight, gint32 n)
{
  const SlPtbcc *model = lane->model;
  gsize stride = (gsize) model->stride, other = (gsize) model->items->n_classes * stride;
  for (gsize k = 0; k < stride; k += 4)
    sl_vector_store (lane->total + k,
                     sl_vector_load (lane->total + k) + sl_vector_load (lane->row + k));
  for (gint32 j = 0; j < n; j++)
    {
      double *to
          = lane->phi + (gsize) sl_packed_answers_cell_class (&model->packed, cell[j]) * stride;
      double w = weight != NULL ? weight[j] : 1, w0 = w * lane->r[j], w1 = w - w0;
      lane->mix[cell[j]] += w0;
      for (gsize k = 0; k < stride; k += 4)
        {
          SlVector t = sl_vector_load (lane->row + k);
          sl_vector_store (to + k, sl_vector_load (to + k) + w0 * t);
          sl_vector_store (to + other + k, sl_vector_load (to + other + k) + w1 * t);
        }
    }
}

SL_INLINE void
pass_item (Lane *lane, gint32 item, const guint32 *cell, const double *weight, gint32 n)
{
  const SlPtbcc *model = lane->model;
  gsize n_classes = (gsize) model->items->n_classes;
  memcpy (lane->before, model->items->label + (gsize) item * n_classes,
          n_classes * sizeof (double));
  if (model->stage == SL_PTBCC_ROUND)
    {
      ascribe (lane, cell, weight, n);
      label (lane, item, cell, weight, n);
    }
  else
    {
      ascribe_votes (lane, cell, n);
      memcpy (lane->row, lane->before, (gsize) model->stride * sizeof (double));
    }
  add (lane, cell, weight, n);
}

SL_VECTORS void
sl_ptbcc_pass_lane (int l, gpointer data)
{
  SlPtbcc *model = data;
  const SlPackedAnswers *packed = &model->packed;
  gsize stride = (gsize) model->stride, phi = 2 * (gsize) packed->n_classes * stride;
  double *row = model->lane_row + (gsize) l * (3 * stride + (gsize) model->most_answers + 4);
  Lane lane = { model,
                model->lane_phi + (gsize) l * phi,
                model->lane_mix + (gsize) l * packed->n_cells,
                row,
                row + stride,
                row + 2 * stride,
                row + 3 * stride,
                0,
                0 };
  memset (lane.phi, 0, phi * sizeof (double));
  memset (lane.mix, 0, packed->n_cells * sizeof (double));
  memset (row, 0, 3 * stride * sizeof (double));
  for (gint32 c = model->lane_start[l]; c < model->lane_start[l + 1]; c++)
    {
      const guint16 *item = packed->item + c * packed->chunk;
      gint64 answer = packed->start[c];
      for (gint64 s = packed->stretch_start[c]; s < packed->stretch_start[c + 1]; s++)
        for (gint32 i = 0, n = packed->stretch[s].answers; i < packed->stretch[s].items;
             i++, answer += n)
          pass_item (&lane, c * packed->chunk + *item++, packed->cell + answer,
                     packed->weight != NULL ? packed->weight + answer : NULL, n);
    }
  model->lane_result[l][0] = lane.objective;
  model->lane_result[l][1] = lane.change;
}
