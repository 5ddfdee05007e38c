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
 * W_a[g] = E log mix_a[g] (digammas, as in ebcc.c):
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
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>
#include <stdlib.h>

#define LANES 16

typedef struct
{
  const SlItems *items;
  const SlMethodSettings *settings;
  SlLearned *learned;
  SlPackedAnswers packed;
  gint32 stride; /* n_classes and what fills up a vector */
  gint32 n_lanes, lane_start[LANES + 1];
  gint32 most_answers;
  double *odds;                 /* [n_cells]: W_a[0] - W_a[1] */
  double *cell_count;           /* [n_cells]: answers */
  double *log_prior, *share;    /* [stride] */
  double *class_alpha;          /* [stride]: priors; */
  double *phi_alpha;            /* [2][n_classes answered][stride]; */
  double *mix_alpha;            /* [n_annotators][2] */
  double *log_phi;              /* [2][n_classes answered][stride]: L_g */
  double *phi;                  /* likewise, the mean */
  double *lane_phi;             /* [n_lanes][2][n_classes answered][stride]: sum of T r */
  double *lane_mix;             /* [n_lanes][n_cells]: sum of r[0] */
  double *lane_row;             /* [n_lanes][3 stride + most_answers + 4]: sum of labels; scratch */
  double lane_result[LANES][2]; /* objective, largest change */
  enum
  {
    PRIORS, /* labels stay; in place of r_j, T_i[x_j], of which all priors are made */
    FIRST,  /* labels stay; r_j ~ t_j */
    ROUND,
  } stage;
} Model;

/* PTBCC's Dirichlets: from sums to weights. What returns a number returns less the divergence
 * from the prior. */

/* v_g[k][k], and v_g[k][x] for other x. */
static void
prototype (gint32 g, gint32 n_classes, double *right, double *wrong)
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
add_prior (Model *model)
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
add_phi (Model *model)
{
  gsize size = 2 * (gsize) model->items->n_classes * (gsize) model->stride;
  memset (model->phi, 0, size * sizeof *model->phi);
  for (gsize l = 0; l < (gsize) model->n_lanes; l++)
    for (gsize i = 0; i < size; i++)
      model->phi[i] += model->lane_phi[l * size + i];
}

static double
add_mix (const Model *model, gint32 a, double *count)
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

static void
set_priors (Model *model)
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
      prototype ((gint32) g, model->items->n_classes, &right[g], &wrong[g]);
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
weigh_phi (Model *model)
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
weigh_mix (Model *model, gint32 a, double *mean)
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
weigh_prior (Model *model)
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
report (Model *model, gint32 a, double mix)
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

static double
weigh (Model *model)
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

/* PTBCC's passes over the items: r_j and T_i from the weights, and their sums. */

typedef struct
{
  Model *model;
  double *phi, *mix, *total, *before, *row, *r; /* the lane's */
  double objective, change;
} Lane;

/* r[j][0] for the N answers with cells CELL, to lane->r; their part in the objective to it. */
SL_INLINE void
ascribe (Lane *lane, const guint32 *cell, const double *weight, gint32 n)
{
  const Model *model = lane->model;
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
  const Model *model = lane->model;
  double right[2], wrong[2];
  for (gint32 g = 0; g < 2; g++)
    prototype (g, model->items->n_classes, &right[g], &wrong[g]);
  for (gint32 j = 0; j < n; j++)
    {
      double p = lane->before[sl_packed_answers_cell_class (&model->packed, cell[j])];
      double t0 = wrong[0] + (right[0] - wrong[0]) * p, t1 = wrong[1] + (right[1] - wrong[1]) * p;
      lane->r[j] = model->stage == PRIORS ? p : t0 / (t0 + t1);
    }
}

SL_INLINE void
label (Lane *lane, gint32 item, const guint32 *cell, const double *weight, gint32 n)
{
  const Model *model = lane->model;
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
  const Model *model = lane->model;
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
  const Model *model = lane->model;
  gsize n_classes = (gsize) model->items->n_classes;
  memcpy (lane->before, model->items->label + (gsize) item * n_classes,
          n_classes * sizeof (double));
  if (model->stage == ROUND)
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

SL_VECTORS static void
pass_lane (int l, gpointer data)
{
  Model *model = data;
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

#define CHUNK 256

static void
model_clear (Model *model)
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

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Model, model_clear)

static double *
zeros (gsize n, gsize m, GError **error)
{
  double *p = sl_aligned_new (n, m, sizeof *p, "what is learned of annotators", error);
  if (p != NULL)
    memset (p, 0, n * m * sizeof *p);
  return p;
}

static gboolean
model_init (Model *model, const SlAnswers *answers, GError **error)
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
  while (model->n_lanes < LANES && 4 * model->n_lanes * sums <= packed->n_answers)
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
pass (Model *model)
{
  sl_parallel (model->settings->threads, model->n_lanes, pass_lane, model);
}

static double
round_once (Model *model, double *change)
{
  double objective = weigh (model);
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
  g_auto (Model) model
      = { .items = items, .settings = settings, .learned = learned, .stage = PRIORS };
  if (!sl_em_first_labels (items, answers, settings, error) || !model_init (&model, answers, error))
    return FALSE;
  gint64 iterations = sl_rounds (settings, 500);
  double tolerance = sl_or_own (settings->tolerance, 1e-3), change;
  pass (&model);
  set_priors (&model);
  model.stage = FIRST;
  pass (&model);
  model.stage = ROUND;
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
