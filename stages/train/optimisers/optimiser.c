/* SPDX-License-Identifier: GPL-3.0-or-later */
/* g: gradient, p: parameter, r: rate, w: weight decay, t: steps with this one.
 *
 * SGD: g += w p; m = g at the first step, else m = momentum m + g; p -= r m, with Nesterov p -= r
 * (g + momentum m). Adam (Kingma & Ba 2015): g += w p; m += (1 - b1) (g - m); v = b2 v + (1 - b2)
 * g²; p -= r / (1 - b1^t) m / (sqrt (v) / sqrt (1 - b2^t) + epsilon). AdamW (Loshchilov & Hutter
 * 2019): p *= 1 - r w in place of g += w p. RAdam (Liu et al. 2020): as Adam, the step times
 * sqrt ((ρ - 4) (ρ - 2) ρ∞ / ((ρ∞ - 4) (ρ∞ - 2) ρ)), ρ∞ = 2 / (1 - b2) - 1, ρ = ρ∞ - 2 t b2^t /
 * (1 - b2^t), and epsilon added to sqrt (v); while ρ <= 5 p -= r / (1 - b1^t) m. Formulas and
 * their order: PyTorch's documentation of torch.optim. */
#include "optimiser.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/vector-math.h"

#include <math.h>
#include <string.h>

/* ---- the learning rate in the course of training ---- */

/* Step: rate × factor^(drops up to this epoch), as torch's MultiStepLR. Cosine: rate (1 + cos (π e
 * / E)) / 2 in epoch e of E (Loshchilov & Hutter 2017, without restarts), as torch's
 * CosineAnnealingLR; by batch e has the share of the epoch that is done, too. Warm-up (Goyal et al.
 * 2017): times (steps done + 1) / steps of the warm-up. */

gboolean
sl_schedule_drops_at (const SlSchedule *schedule, gint64 epoch)
{
  for (gsize i = 0; schedule->kind == SL_SCHEDULE_STEP && i < schedule->n_drops; i++)
    if (schedule->drop[i] == epoch)
      return TRUE;
  return FALSE;
}

double
sl_schedule_rate (const SlSchedule *schedule, gint64 epoch, gint64 batch, gint64 n_batches)
{
  double rate = schedule->rate;
  for (gsize i = 0; schedule->kind == SL_SCHEDULE_STEP && i < schedule->n_drops; i++)
    if (epoch >= schedule->drop[i])
      rate *= schedule->factor;
  double begun = (double) epoch + (schedule->by_batch ? (double) batch / (double) n_batches : 0);
  if (schedule->kind == SL_SCHEDULE_COSINE)
    rate *= 0.5 * (1 + cos (G_PI * begun / (double) schedule->epochs));
  double done = (double) epoch + (double) (batch + 1) / (double) n_batches;
  return done < schedule->warm_up ? rate * done / schedule->warm_up : rate;
}

#define PIECE (1 << 16) /* numbers that one thread takes at a time */

typedef struct
{
  float *value;
  const float *grad;
  float *first, *second;
  gsize n;
  float decay;
} Piece;

typedef struct
{
  const SlOptimiser *optimiser;
  float rate;
  gboolean is_first;
  float step_size, second_root, epsilon; /* of Adam */
  gboolean undivided;                    /* RAdam's first steps */
} Step;

gsize
sl_optimiser_bytes (const SlOptimiserPlan *plan, gsize size)
{
  int moments = plan->kind != SL_OPTIMISER_SGD ? 2 : plan->momentum != 0;
  return size * (gsize) moments * sizeof (float);
}

static void
cut_into_pieces (SlOptimiser *optimiser)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  for (int i = 0; i < optimiser->n; i++)
    {
      SlParameter *p = &optimiser->parameter[i];
      float decay = p->decays ? (float) optimiser->plan.weight_decay : 0;
      for (gsize from = 0; p->grad != NULL && from < p->size; from += PIECE)
        {
          gsize at = optimiser->start[i] + from;
          Piece piece = { p->value + from,
                          p->grad + from,
                          optimiser->first != NULL ? optimiser->first + at : NULL,
                          optimiser->second != NULL ? optimiser->second + at : NULL,
                          MIN (PIECE, p->size - from),
                          decay };
          g_array_append_val (pieces, piece);
        }
    }
  optimiser->n_pieces = (int) pieces->len;
  optimiser->pieces = g_array_free (pieces, FALSE);
}

void
sl_optimiser_init (SlOptimiser *optimiser, const SlOptimiserPlan *plan, SlParameter *parameter,
                   int n)
{
  *optimiser = (SlOptimiser){ .plan = *plan, .parameter = parameter, .n = n };
  optimiser->start = g_new (gsize, n + 1);
  for (int i = 0; i < n; i++)
    {
      optimiser->start[i] = optimiser->size;
      optimiser->size += parameter[i].grad != NULL ? parameter[i].size : 0;
    }
  optimiser->start[n] = optimiser->size;
  if (plan->kind != SL_OPTIMISER_SGD || plan->momentum != 0)
    optimiser->first = g_new0 (float, optimiser->size);
  if (plan->kind != SL_OPTIMISER_SGD)
    optimiser->second = g_new0 (float, optimiser->size);
  cut_into_pieces (optimiser);
}

void
sl_optimiser_clear (SlOptimiser *optimiser)
{
  g_clear_pointer (&optimiser->first, g_free);
  g_clear_pointer (&optimiser->second, g_free);
  g_clear_pointer (&optimiser->start, g_free);
  g_clear_pointer (&optimiser->pieces, g_free);
}

void
sl_optimiser_reset (SlOptimiser *optimiser)
{
  optimiser->step = 0;
  if (optimiser->first != NULL)
    memset (optimiser->first, 0, optimiser->size * sizeof (float));
  if (optimiser->second != NULL)
    memset (optimiser->second, 0, optimiser->size * sizeof (float));
}

static void
sgd (const Piece *at, const Step *step)
{
  const SlOptimiserPlan *plan = &step->optimiser->plan;
  float rate = step->rate, decay = at->decay, momentum = (float) plan->momentum;
  float *restrict value = at->value, *restrict first = at->first;
  const float *restrict grad = at->grad;
  if (first == NULL)
    for (gsize i = 0; i < at->n; i++)
      value[i] -= rate * (grad[i] + decay * value[i]);
  else if (step->is_first)
    for (gsize i = 0; i < at->n; i++)
      {
        float g = grad[i] + decay * value[i];
        first[i] = g;
        value[i] -= rate * (plan->nesterov ? g + momentum * g : g);
      }
  else if (plan->nesterov)
    for (gsize i = 0; i < at->n; i++)
      {
        float g = grad[i] + decay * value[i];
        first[i] = momentum * first[i] + g;
        value[i] -= rate * (g + momentum * first[i]);
      }
  else
    for (gsize i = 0; i < at->n; i++)
      {
        first[i] = momentum * first[i] + (grad[i] + decay * value[i]);
        value[i] -= rate * first[i];
      }
}

SL_VECTORS static void
adam (const Piece *at, const Step *step)
{
  const SlOptimiserPlan *plan = &step->optimiser->plan;
  gboolean apart = plan->kind == SL_OPTIMISER_ADAMW;
  float beta2 = (float) plan->beta2, rest1 = (float) (1 - plan->beta1),
        rest2 = (float) (1 - plan->beta2), epsilon = step->epsilon;
  float shrink = apart ? 1 - step->rate * at->decay : 1, decay = apart ? 0 : at->decay;
  float size = step->step_size, root = step->second_root;
  float *restrict value = at->value, *restrict first = at->first, *restrict second = at->second;
  const float *restrict grad = at->grad;
  for (gsize i = 0; i < at->n; i++)
    {
      float p = value[i] * shrink, g = grad[i] + decay * p;
      first[i] += rest1 * (g - first[i]);
      second[i] = beta2 * second[i] + rest2 * (g * g);
      value[i]
          = p
            - size * (step->undivided ? first[i] : first[i] / (sqrtf (second[i]) / root + epsilon));
    }
}

/* How sure the second moment is after T steps; 0: not at all. */
static double
rectification (double beta2, double t)
{
  double most = 2 / (1 - beta2) - 1, power = pow (beta2, t);
  double now = most - 2 * t * power / (1 - power);
  if (now <= 5)
    return 0;
  return sqrt ((now - 4) * (now - 2) * most / ((most - 4) * (most - 2) * now));
}

static void
one_piece (int i, gpointer data)
{
  const Step *step = data;
  const Piece *piece = (const Piece *) step->optimiser->pieces + i;
  if (step->optimiser->plan.kind == SL_OPTIMISER_SGD)
    sgd (piece, step);
  else
    adam (piece, step);
}

void
sl_optimiser_step (SlOptimiser *optimiser, double rate)
{
  const SlOptimiserPlan *plan = &optimiser->plan;
  Step step = { .optimiser = optimiser,
                .rate = (float) rate,
                .is_first = optimiser->step == 0,
                .epsilon = (float) plan->epsilon };
  double t = (double) ++optimiser->step;
  if (plan->kind != SL_OPTIMISER_SGD)
    {
      step.step_size = (float) (rate / (1 - pow (plan->beta1, t)));
      step.second_root = (float) sqrt (1 - pow (plan->beta2, t));
    }
  if (plan->kind == SL_OPTIMISER_RADAM)
    {
      double by = rectification (plan->beta2, t);
      step.undivided = by == 0;
      step.step_size *= step.undivided ? 1 : (float) by;
      step.epsilon = (float) (plan->epsilon / sqrt (1 - pow (plan->beta2, t)));
    }
  sl_parallel (plan->threads, optimiser->n_pieces, one_piece, &step);
}

/* Σ x², four lanes of doubles, in a fixed order. */
SL_VECTORS static double
square_sum (const float *x, gsize n)
{
  SlVector sum = sl_vector (0);
  gsize i = 0;
  for (; i + 4 <= n; i += 4)
    {
      SlVector four = { x[i], x[i + 1], x[i + 2], x[i + 3] };
      sum += four * four;
    }
  double rest = 0;
  for (; i < n; i++)
    rest += (double) x[i] * x[i];
  return sl_vector_sum (sum) + rest;
}

double
sl_clip_by_norm (SlParameter *parameter, int n, double most)
{
  double square = 0;
  for (int i = 0; i < n; i++)
    if (parameter[i].grad != NULL)
      square += square_sum (parameter[i].grad, parameter[i].size);
  double norm = sqrt (square);
  /* As torch.nn.utils.clip_grad_norm_ has it, with its 1e-6. */
  float by = (float) (most / (norm + 1e-6));
  if (!(most > 0) || !(by < 1))
    return norm;
  for (int i = 0; i < n; i++)
    for (gsize j = 0; parameter[i].grad != NULL && j < parameter[i].size; j++)
      parameter[i].grad[j] *= by;
  return norm;
}
