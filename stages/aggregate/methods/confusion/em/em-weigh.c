/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From sums to weights, annotator by annotator. */
#include "em.h"

#include <math.h>

/* A row without answers is uniform. A row whose labels add up to less than this counts as one
 * without answers: without smoothing it would depend on which states a product has lost to
 * underflow (em-pass.c: those below 1e-150 of the likeliest). */
#define NOTHING 1e-100

/* Four states of a row; a row of two is filled up with ones. */
SL_INLINE SlVector
load (const double *p, gint32 stride)
{
  return stride == 2 ? (SlVector){ p[0], p[1], 1, 1 } : sl_vector_load (p);
}

SL_INLINE void
store (double *p, SlVector x, gint32 stride)
{
  if (stride == 2)
    p[0] = x[0], p[1] = x[1];
  else
    sl_vector_store (p, x);
}

void
sl_em_add_lanes (SlEm *em, gint32 a)
{
  gsize first, stride = (gsize) em->stride, size = (gsize) em->packed.n_cells * 2 * stride;
  gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
  double *to = em->table + first * stride;
  memset (to, 0, (gsize) n * stride * sizeof *to);
  for (gint32 l = 0; l < em->n_lanes; l++)
    for (gint32 i = 0; i < n; i++)
      {
        double *from = em->lane_table + (gsize) l * size + (2 * (first + (gsize) i) + 1) * stride;
        for (gsize z = 0; z < stride; z++)
          to[(gsize) i * stride + z] += from[z];
        memset (from, 0, stride * sizeof *from);
      }
  for (gint32 i = 0; i < n && em->n_subtypes < em->all_subtypes; i++)
    for (gsize z = 0; z < stride; z++)
      to[(gsize) i * stride + z] /= em->alike[z];
}

void
sl_em_copy_to_lanes (SlEm *em, gint32 a)
{
  gsize first, stride = (gsize) em->stride, size = (gsize) em->packed.n_cells * 2 * stride;
  gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
  for (gint32 l = 0; l < em->n_lanes; l++)
    for (gsize i = first; i < first + (gsize) n; i++)
      memcpy (em->lane_table + (gsize) l * size + 2 * i * stride, em->table + i * stride,
              stride * sizeof (double));
}

/* A likely state has exp (0), so the sum is at least 1. */
SL_VECTORS double
sl_em_normalise (double *row, gint32 stride)
{
  SlVector most = sl_vector (SL_EM_NEVER), sum = sl_vector (0);
  for (gint32 z = 0; z < stride; z += 4)
    most = sl_vector_max (most, sl_vector_load (row + z));
  double high = sl_vector_highest (most);
  for (gint32 z = 0; z < stride; z += 4)
    {
      SlVector e = sl_vector_exp (sl_vector_load (row + z) - high);
      sl_vector_store (row + z, e);
      sum += e;
    }
  double total = sl_vector_sum (sum);
  for (gint32 z = 0; z < stride; z += 4)
    sl_vector_store (row + z, sl_vector_load (row + z) / total);
  return high + sl_scalar_log (total);
}

/* What is known of annotator A beforehand, in pseudo-counts: states STATE .. STATE + 3, answer
 * X. */
SL_INLINE SlVector
known (const SlEm *em, gint32 a, gint32 x, gint32 state)
{
  SlVector p = sl_vector (0);
  gsize n_classes = (gsize) em->items->n_classes;
  const double *prior = em->settings->confusion_prior + (gsize) a * n_classes * n_classes + x;
  for (gint32 i = 0; i < 4 && state + i < em->n_states; i++)
    p[i] = em->settings->prior_weight * prior[(gsize) ((state + i) / em->n_subtypes) * n_classes];
  return p;
}

static gboolean
has_known (const SlEm *em)
{
  return em->settings->confusion_prior != NULL && em->settings->prior_weight > 0;
}

typedef struct
{
  SlEm *em;
  gint32 a, n; /* the annotator and its cells */
  gsize cell;  /* the first of them */
  gint32 stride, state;
  double uniform;
  SlLanes real; /* states, not what fills up a row */
  SlVector pseudo_sum, sum, log_sum;
  SlLanes none;
} Weigh;

SL_INLINE SlVector
pseudo (const Weigh *weigh, gint32 x)
{
  const SlEm *em = weigh->em;
  SlVector p = sl_vector (em->smoothing);
  if (em->variational)
    p = load (em->base + (gsize) x * (gsize) em->stride + weigh->state, em->stride);
  if (has_known (em))
    p += known (em, weigh->a, x, weigh->state);
  return p;
}

SL_INLINE void
sum_row (Weigh *weigh, const double *row)
{
  const SlEm *em = weigh->em;
  gint32 n_classes = em->items->n_classes;
  SlVector sum = sl_vector (0), p;
  for (gint32 i = 0; i < weigh->n; i++)
    sum += load (row + i * weigh->stride, weigh->stride);
  p = em->variational ? load (em->base_sum + weigh->state, em->stride)
                      : sl_vector (em->smoothing * n_classes);
  for (gint32 x = 0; has_known (em) && x < n_classes; x++)
    p += known (em, weigh->a, x, weigh->state);
  for (int i = 0; i < 4; i++)
    weigh->real[i] = weigh->state + i < em->n_states ? -1 : 0;
  weigh->pseudo_sum = p;
  weigh->sum = sum + p;
  weigh->none = weigh->sum < NOTHING;
  weigh->log_sum
      = em->variational && !em->means ? sl_vector_digamma (weigh->sum) : sl_vector_log (weigh->sum);
}

/* The pseudo-counts' part in what is maximised, sum of p log theta, for the answers that A never
 * gave. */
SL_INLINE SlVector
never_said (const Weigh *weigh)
{
  const SlEm *em = weigh->em;
  SlVector objective = sl_vector (0);
  gint32 n_classes = em->items->n_classes;
  if (!has_known (em) && em->smoothing > 0)
    return em->smoothing * (n_classes - weigh->n)
           * (sl_scalar_log (em->smoothing) - weigh->log_sum);
  for (gint32 x = 0, i = 0; has_known (em) && x < n_classes; x++)
    if (i < weigh->n && sl_packed_answers_class (&em->packed, weigh->cell, i) == x)
      i++;
    else
      {
        SlVector p = pseudo (weigh, x);
        objective += p * (sl_vector_log (p) - weigh->log_sum);
      }
  return objective;
}

void
sl_em_report (const SlEm *em, gint32 a, gint32 state, gint32 x, double p)
{
  gint32 n_classes = em->items->n_classes, k = state / em->n_subtypes;
  gsize at = ((gsize) a * (gsize) n_classes + (gsize) k) * (gsize) n_classes + (gsize) x;
  double part = p * em->subtype_share[state];
  if (em->learned->confusion != NULL)
    em->learned->confusion[at]
        = (state % em->n_subtypes > 0 ? em->learned->confusion[at] : 0) + part;
  if (em->learned->reliability != NULL && x == k)
    em->learned->reliability[a] += part * em->class_share[k];
}

/* Probabilities themselves, for em->learned. */
static void
report (const Weigh *weigh, const double *row)
{
  const SlEm *em = weigh->em;
  gint32 n_classes = em->items->n_classes;
  for (gint32 x = 0, i = 0; x < n_classes; x++)
    {
      SlVector c = pseudo (weigh, x);
      if (i < weigh->n && sl_packed_answers_class (&em->packed, weigh->cell, i) == x)
        c += load (row + i++ * weigh->stride, weigh->stride);
      SlVector p = sl_vector_select (weigh->none, sl_vector (weigh->uniform), c / weigh->sum);
      if (em->learned->weights && !em->means)
        p = sl_vector_exp (sl_vector_digamma (c) - weigh->log_sum);
      for (int v = 0; v < 4 && weigh->state + v < em->n_states; v++)
        sl_em_report (em, weigh->a, weigh->state + v, x, p[v]);
    }
}

/* Less the divergence of Dirichlet (c + p) from Dirichlet (p); answers never given cancel. */
SL_INLINE SlVector
weigh_variational (const Weigh *weigh, double *row)
{
  const SlEm *em = weigh->em;
  SlVector objective = sl_vector (0);
  if (em->want_objective)
    objective = sl_vector_lgamma (weigh->pseudo_sum) - sl_vector_lgamma (weigh->sum);
  for (gint32 i = 0; i < weigh->n; i++, row += weigh->stride)
    {
      SlVector c = load (row, weigh->stride),
               p = pseudo (weigh, sl_packed_answers_class (&em->packed, weigh->cell, i));
      SlVector w = (em->means ? sl_vector_log (c + p) : sl_vector_digamma (c + p)) - weigh->log_sum;
      if (em->want_objective)
        objective += sl_vector_lgamma (c + p) - sl_vector_lgamma (p) - c * w;
      store (row, em->logs ? w : sl_vector_exp (w), weigh->stride);
    }
  return objective;
}

/* The pseudo-counts' part in what is maximised: sum of p log theta. Where p is the smoothing,
 * one logarithm of the product of all theta will do, its exponent kept apart. */
SL_INLINE SlVector
weigh_maximised (const Weigh *weigh, double *row)
{
  const SlEm *em = weigh->em;
  SlVector objective = sl_vector (0), product = sl_vector (1);
  SlBits exponents = { 0, 0, 0, 0 };
  for (gint32 i = 0; i < weigh->n; i++, row += weigh->stride)
    {
      SlVector c = load (row, weigh->stride),
               p = pseudo (weigh, sl_packed_answers_class (&em->packed, weigh->cell, i));
      SlVector theta
          = sl_vector_select (weigh->none, sl_vector (weigh->uniform), (c + p) / weigh->sum);
      if (has_known (em))
        objective += p * sl_vector_log (theta);
      else
        product = sl_vector_take_exponents (product * sl_vector_max (theta, sl_vector (DBL_MIN)),
                                            &exponents);
      store (row, em->logs ? sl_vector_log (theta) : theta, weigh->stride);
    }
  SlVector powers = { (double) exponents[0], (double) exponents[1], (double) exponents[2],
                      (double) exponents[3] };
  if (!has_known (em))
    objective = em->smoothing * (sl_vector_log (product) + (powers - 1023.0 * weigh->n) * SL_LOG_2);
  if (weigh->n < em->items->n_classes)
    objective += never_said (weigh);
  return objective;
}

SL_VECTORS double
sl_em_weigh (SlEm *em, gint32 a, double *rows, gint32 stride, gint32 first, gint32 states)
{
  Weigh weigh = { .em = em, .a = a, .stride = stride, .uniform = 1.0 / em->items->n_classes };
  weigh.n = sl_packed_answers_cells (&em->packed, a, &weigh.cell);
  SlVector objective = sl_vector (0);
  for (gint32 z = 0; z < states; z += 4)
    {
      weigh.state = first + z;
      sum_row (&weigh, rows + z);
      if (em->learned->confusion != NULL || em->learned->reliability != NULL)
        report (&weigh, rows + z);
      SlVector part = em->variational ? weigh_variational (&weigh, rows + z)
                                      : weigh_maximised (&weigh, rows + z);
      if (em->alike != NULL)
        part *= sl_vector_load (em->alike + weigh.state);
      objective += sl_vector_select (weigh.real, part, sl_vector (0));
    }
  return sl_vector_sum (objective);
}

void
sl_em_weigh_start (SlEm *em, gint32 a, double *rows, gint32 stride, gint32 first, gint32 states)
{
  gsize n_classes = (gsize) em->items->n_classes, cell;
  const double *start = em->settings->start + (gsize) a * n_classes * n_classes;
  gint32 n = sl_packed_answers_cells (&em->packed, a, &cell);
  for (gint32 i = 0; i < n; i++)
    for (gint32 z = 0; z < states; z++)
      {
        gsize k = (gsize) ((first + z) / em->n_subtypes),
              x = (gsize) sl_packed_answers_class (&em->packed, cell, i);
        double p = start[k * n_classes + x];
        rows[i * stride + z] = em->logs ? sl_scalar_log (p > 0 ? p : 0) : p > 0 ? p : 0;
      }
}
