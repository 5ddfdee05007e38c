/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-figures.h"

#include "pipeline/base/vector-math.h"
#include "transport.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many probabilities are looked at together, or one row where that is longer. */
#define BLOCK 2048

typedef struct
{
  const SlItemBlock *block;
  guint64 wanted;
  double *const *out;
  double *log_p, *log_t, *log_m; /* [rows of a block][n_classes] */
  double *log_own;               /* of p as it is: log_p, unless that is of clipped ones */
  double *sorted;                /* [2][n_classes] */
  SlTransport *transport;
} Work;

static gboolean
wants (const Work *work, SlFigure figure)
{
  return (work->wanted & SL_FIGURE_BIT (figure)) != 0;
}

/* ---- logarithms ---- */

/* log p from logits: z - log Σ exp z, which has no least value. */
static void
log_softmax (const double *z, gint32 n, double *to)
{
  double most = z[0], sum = 0;
  for (gint32 k = 1; k < n; k++)
    most = MAX (most, z[k]);
  for (gint32 k = 0; k < n; k++)
    to[k] = z[k] - most;
  for (gint32 k = 0; k < n; k += 4)
    {
      gint32 part = MIN (n - k, 4);
      SlVector x = { to[k], part > 1 ? to[k + 1] : -1e9, part > 2 ? to[k + 2] : -1e9,
                     part > 3 ? to[k + 3] : -1e9 };
      sum += sl_vector_sum (sl_vector_exp (x));
    }
  double log_sum = sl_scalar_log (sum);
  for (gint32 k = 0; k < n; k++)
    to[k] -= log_sum;
}

SL_VECTORS static void
take_logs (const double *x, gsize n, double *to)
{
  sl_log_row (x, n, to);
}

SL_VECTORS static void
take_logs_of_means (const double *p, const double *t, gsize n, double *to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = 0.5 * (p[i] + t[i]);
  sl_log_row (to, n, to);
}

static void
take_clipped_logs (const double *p, gsize n, double clip, double *to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = CLAMP (p[i], clip, 1 - clip);
  take_logs (to, n, to);
}

/* ---- one item ---- */

/* The two largest of x[n]; *second is -1 of one class. */
static void
find_two (const double *x, gint32 n, gint32 *first, gint32 *second)
{
  *first = 0;
  *second = -1;
  for (gint32 k = 1; k < n; k++)
    if (x[k] > x[*first])
      {
        *second = *first;
        *first = k;
      }
    else if (*second < 0 || x[k] > x[*second])
      *second = k;
}

static double
entropy (const double *p, const double *log_p, gint32 n)
{
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    sum -= p[k] > 0 ? p[k] * log_p[k] : 0;
  return sum;
}

/* Σ t (log_t - log_p), or with log_t NULL -Σ t log_p; infinite where p, of no logits, is 0 and t is
 * not. */
static double
divergence (const double *t, const double *log_t, const double *p, const double *log_p, gint32 n)
{
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    {
      if (!(t[k] > 0))
        continue;
      if (p != NULL && !(p[k] > 0))
        return INFINITY;
      sum += t[k] * ((log_t != NULL ? log_t[k] : 0) - log_p[k]);
    }
  return sum;
}

static double
js (const Work *work, const double *p, const double *t, gsize at)
{
  gint32 n = work->block->n_classes;
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    {
      double m = 0.5 * (p[k] + t[k]);
      sum -= m > 0 ? m * work->log_m[at + (gsize) k] : 0;
      sum += p[k] > 0 ? 0.5 * p[k] * work->log_own[at + (gsize) k] : 0;
      sum += t[k] > 0 ? 0.5 * t[k] * work->log_t[at + (gsize) k] : 0;
    }
  return MAX (sum, 0);
}

static int
compare_reals (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static void
sort (const double *from, gint32 n, double *to)
{
  if (n > 40)
    {
      memcpy (to, from, (gsize) n * sizeof *to);
      qsort (to, (gsize) n, sizeof *to, compare_reals);
      return;
    }
  for (gint32 i = 0; i < n; i++)
    {
      gint32 j = i;
      for (; j > 0 && to[j - 1] > from[i]; j--)
        to[j] = to[j - 1];
      to[j] = from[i];
    }
}

/* Σ |sorted p - sorted t| / K: the 1-Wasserstein distance of the K values taken as a sample; which
 * class has them does not matter. */
static double
w_values (const Work *work, const double *p, const double *t)
{
  gint32 n = work->block->n_classes;
  double *a = work->sorted, *b = a + n, sum = 0;
  sort (p, n, a);
  sort (t, n, b);
  for (gint32 k = 0; k < n; k++)
    sum += fabs (a[k] - b[k]);
  return sum / n;
}

static double
w_line (const double *p, const double *t, gint32 n)
{
  double sum = 0, ahead = 0;
  for (gint32 k = 0; k < n; k++)
    sum += fabs (ahead += p[k] - t[k]);
  return sum;
}

/* Of the shared task of 2023: probabilities are clipped, not made to sum to 1 again, and 1e-9 is
 * added. */
static double
shared_cross_entropy (const double *p, const double *t, gint32 n)
{
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    sum -= t[k] * sl_scalar_log (CLAMP (p[k], 1e-12, 1 - 1e-12) + 1e-9);
  return sum;
}

/* As NumPy rounds. */
static double
round_5 (double x)
{
  return rint (x * 1e5) / 1e5;
}

/* Whether p's second class, TWO_P, is t's. */
static double
second_best (const Work *work, const double *t, const gint32 *two_p, const gint32 *two_t)
{
  gint32 n = work->block->n_classes, tied = 0;
  if (n < 2)
    return NAN;
  double second = t[two_t[1]];
  for (gint32 k = 0; k < n; k++)
    tied += t[k] == second;
  if (work->block->second != SL_SECOND_ANY && (second <= 0 || tied > 1))
    return NAN;
  if (work->block->second == SL_SECOND_BEHIND_FIRST && two_p[0] != two_t[0])
    return NAN;
  return two_p[1] == two_t[1];
}

/* ---- families ---- */

#define SET(figure, value)                                                                         \
  if (wants (work, figure))                                                                        \
  work->out[figure][i] = (value)

/* Of item I, whose logarithms are at AT. */
static void
beside_target (Work *work, gint64 i, gsize at)
{
  const SlItemBlock *block = work->block;
  gint32 n = block->n_classes;
  const double *p = block->prob + i * n, *t = block->target + i * n;
  const double *log_p = work->log_p + at, *log_t = work->log_t + at;
  /* With a least logarithm, or one from logits, nothing is infinite. */
  const double *zeros = block->logit != NULL || block->clip > 0 ? NULL : p;
  double l1 = 0, squares = 0;
  for (gint32 k = 0; k < n; k++)
    {
      double gap = p[k] - t[k];
      l1 += fabs (gap);
      squares += gap * gap;
    }
  double line = wants (work, SL_FIGURE_W_LINE) || wants (work, SL_FIGURE_SHARED_WASSERSTEIN)
                    ? w_line (p, t, n)
                    : 0;
  SET (SL_FIGURE_CROSS_ENTROPY, divergence (t, NULL, zeros, log_p, n));
  SET (SL_FIGURE_KL, MAX (divergence (t, log_t, zeros, log_p, n), 0));
  SET (SL_FIGURE_JS, js (work, p, t, at));
  SET (SL_FIGURE_BRIER, squares);
  SET (SL_FIGURE_L1, l1);
  SET (SL_FIGURE_W_VALUES, w_values (work, p, t));
  SET (SL_FIGURE_W_LINE, line);
  SET (SL_FIGURE_W_COST, sl_transport_cost (work->transport, p, t, block->cost));
  SET (SL_FIGURE_SHARED_CROSS_ENTROPY, shared_cross_entropy (p, t, n));
  SET (SL_FIGURE_SHARED_MANHATTAN, round_5 (l1));
  SET (SL_FIGURE_SHARED_WASSERSTEIN, round_5 (line));
  SET (SL_FIGURE_TARGET_ENTROPY, entropy (t, log_t, n));
}

static void
ranks_beside_target (Work *work, gint64 i, const gint32 *two_p)
{
  const double *t = work->block->target + i * work->block->n_classes;
  gint32 two_t[2];
  find_two (t, work->block->n_classes, &two_t[0], &two_t[1]);
  gboolean same = two_p[0] == two_t[0];
  SET (SL_FIGURE_SAME_FIRST, same);
  SET (SL_FIGURE_SAME_TWO,
       (same && two_p[1] == two_t[1]) || (two_p[0] == two_t[1] && two_p[1] == two_t[0]));
  SET (SL_FIGURE_SECOND_BEST, second_best (work, t, two_p, two_t));
}

static double
log_loss (const Work *work, gint64 i, gint32 gold, gsize at)
{
  const SlItemBlock *block = work->block;
  if (block->logit == NULL && !(block->clip > 0) && !(block->prob[i * block->n_classes + gold] > 0))
    return INFINITY;
  return -work->log_p[at + (gsize) gold];
}

static void
beside_class (Work *work, gint64 i, gsize at, const gint32 *two_p)
{
  gint32 gold = work->block->gold[i];
  SET (SL_FIGURE_LOG_LOSS, gold < 0 ? (double) NAN : log_loss (work, i, gold, at));
  SET (SL_FIGURE_CORRECT, gold < 0 ? (double) NAN : two_p[0] == gold);
  SET (SL_FIGURE_TOP_TWO, gold < 0 ? (double) NAN : two_p[0] == gold || two_p[1] == gold);
  SET (SL_FIGURE_CLASS, gold < 0 ? (double) NAN : gold);
}

static void
by_itself (Work *work, gint64 i, gsize at, gint32 first)
{
  const SlItemBlock *block = work->block;
  gint32 n = block->n_classes, support = 0;
  const double *p = block->prob + i * n;
  double squares = 0;
  for (gint32 k = 0; k < n; k++)
    {
      support += p[k] > 0;
      squares += p[k] * p[k];
    }
  SET (SL_FIGURE_ENTROPY, entropy (p, work->log_own + at, n));
  SET (SL_FIGURE_ANSWER, first);
  SET (SL_FIGURE_CONFIDENCE, p[first]);
  SET (SL_FIGURE_SUPPORT, support);
  SET (SL_FIGURE_FEW, support <= 2);
  SET (SL_FIGURE_SQUARES, squares);
  SET (SL_FIGURE_LOSS, block->loss != NULL ? block->loss[i] : (double) NAN);
}

static void
log_block (Work *work, gint64 first, gsize rows)
{
  const SlItemBlock *block = work->block;
  gsize n = (gsize) block->n_classes, size = rows * n, at = (gsize) first * n;
  const guint64 of_p = SL_FIGURE_BIT (SL_FIGURE_CROSS_ENTROPY) | SL_FIGURE_BIT (SL_FIGURE_KL)
                       | SL_FIGURE_BIT (SL_FIGURE_LOG_LOSS);
  const guint64 of_own = SL_FIGURE_BIT (SL_FIGURE_ENTROPY) | SL_FIGURE_BIT (SL_FIGURE_JS);
  const guint64 of_t = SL_FIGURE_BIT (SL_FIGURE_KL) | SL_FIGURE_BIT (SL_FIGURE_JS)
                       | SL_FIGURE_BIT (SL_FIGURE_TARGET_ENTROPY);
  if (block->logit != NULL && work->wanted & (of_p | of_own))
    for (gsize r = 0; r < rows; r++)
      log_softmax (block->logit + at + r * n, block->n_classes, work->log_p + r * n);
  else if (block->clip > 0 && work->wanted & of_p)
    take_clipped_logs (block->prob + at, size, block->clip, work->log_p);
  if (block->logit == NULL && work->wanted & (block->clip > 0 ? of_own : of_p | of_own))
    take_logs (block->prob + at, size, work->log_own);
  if (work->wanted & of_t)
    take_logs (block->target + at, size, work->log_t);
  if (wants (work, SL_FIGURE_JS))
    take_logs_of_means (block->prob + at, block->target + at, size, work->log_m);
}

void
sl_item_figures (const SlItemBlock *block, guint64 wanted, double *const *out)
{
  gsize n = (gsize) block->n_classes, rows = MAX (BLOCK / n, 1);
  g_autofree double *room = g_new (double, (4 * rows + 2) * n);
  Work work = { .block = block, .wanted = wanted, .out = out };
  work.log_p = room;
  work.log_t = room + rows * n;
  work.log_m = room + 2 * rows * n;
  work.log_own = block->logit == NULL && block->clip > 0 ? room + 3 * rows * n : room;
  work.sorted = room + 4 * rows * n;
  if (wants (&work, SL_FIGURE_W_COST))
    work.transport = sl_transport_new (block->n_classes);
  for (gint64 first = 0; first < block->n; first += (gint64) rows)
    {
      gsize here = (gsize) MIN ((gint64) rows, block->n - first);
      log_block (&work, first, here);
      for (gsize r = 0; r < here; r++)
        {
          gint64 i = first + (gint64) r;
          gint32 two[2];
          find_two (block->prob + i * block->n_classes, block->n_classes, &two[0], &two[1]);
          if (block->target != NULL)
            {
              beside_target (&work, i, r * n);
              ranks_beside_target (&work, i, two);
            }
          if (block->gold != NULL)
            beside_class (&work, i, r * n, two);
          by_itself (&work, i, r * n, two[0]);
        }
    }
  g_clear_pointer (&work.transport, sl_transport_free);
}

void
sl_figures_forget_targets (double *const *figure, guint64 wanted, const gint32 *gold, gint64 n)
{
  for (int f = 0; f < SL_N_FIGURES; f++)
    if (wanted & SL_FIGURES_OF_TARGETS & SL_FIGURE_BIT (f))
      for (gint64 i = 0; i < n; i++)
        if (gold[i] < 0)
          figure[f][i] = NAN;
}

void
sl_gold_targets (const gint32 *gold, gint64 n, gint32 n_classes, double *target)
{
  gsize k = (gsize) n_classes;
  memset (target, 0, (gsize) n * k * sizeof *target);
  for (gint64 i = 0; i < n; i++)
    if (gold[i] >= 0)
      target[(gsize) i * k + (gsize) gold[i]] = 1;
}
