/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-figures.h"

#include "pipeline/base/vector-math.h"
#include "transport.h"

#include <math.h>
#include <string.h>

/* What can be said of four items at a time, an item a lane: x[n] is a class's value of each of the
 * four. Sums go over the classes in their order, so an item's figures do not depend on who is
 * beside it. To be called from functions marked SL_VECTORS. */

#define SL_LANES 4

SL_INLINE SlVector
sl_lanes_abs (SlVector x)
{
  const SlLanes sign = { G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64 };
  return (SlVector) ((SlLanes) x & sign);
}

/* 1 where MASK is all ones, else 0. */
SL_INLINE SlVector
sl_lanes_whether (SlLanes mask)
{
  return sl_vector_select (mask, sl_vector (1), sl_vector (0));
}

SL_INLINE SlVector
sl_lanes_clamp (SlVector x, double least, double most)
{
  SlVector low = sl_vector (least), high = sl_vector (most);
  return sl_vector_select (x > high, high, sl_vector_select (x < low, low, x));
}

/* As NumPy rounds to 5 decimals: x is below 2^34. */
SL_INLINE SlVector
sl_lanes_round_5 (SlVector x)
{
  const SlVector whole = sl_vector (0x1.8p52);
  return ((x * 1e5 + whole) - whole) / 1e5;
}

/* to[n] <- x[.][n] of four rows, which begin at ROW. */
SL_INLINE void
sl_lanes_gather (const double *const *row, gint32 n, SlVector *to)
{
  for (gint32 k = 0; k < n; k++)
    to[k] = (SlVector){ row[0][k], row[1][k], row[2][k], row[3][k] };
}

/* to[n] <- log softmax of Z: z - log Σ exp z, which has no least value. */
SL_INLINE void
sl_lanes_log_softmax (const SlVector *z, gint32 n, SlVector *to)
{
  SlVector most = z[0], sum = sl_vector (0), part[4];
  for (gint32 k = 1; k < n; k++)
    most = sl_vector_select (z[k] > most, z[k], most);
  for (gint32 k = 0; k < n; k += 4)
    {
      for (gint32 j = 0; j < 4; j++)
        part[j] = k + j < n ? sl_vector_exp (to[k + j] = z[k + j] - most) : sl_vector (0);
      sum += (part[0] + part[2]) + (part[1] + part[3]);
    }
  SlVector log_sum = sl_vector_log (sum);
  for (gint32 k = 0; k < n; k++)
    to[k] -= log_sum;
}

/* -Σ p log p */
SL_INLINE SlVector
sl_lanes_entropy (const SlVector *p, const SlVector *log_p, gint32 n)
{
  SlVector sum = sl_vector (0);
  for (gint32 k = 0; k < n; k++)
    sum -= sl_vector_select (p[k] > 0.0, p[k] * log_p[k], sl_vector (0));
  return sum;
}

/* Σ t (log_t - log_p), or with LOG_T NULL -Σ t log_p; infinite where ZEROS, unless it is NULL, is 0
 * and t is not. */
SL_INLINE SlVector
sl_lanes_divergence (const SlVector *t, const SlVector *log_t, const SlVector *zeros,
                     const SlVector *log_p, gint32 n)
{
  SlVector sum = sl_vector (0);
  SlLanes infinite = { 0 };
  for (gint32 k = 0; k < n; k++)
    {
      SlLanes there = t[k] > 0.0;
      SlVector gap = (log_t != NULL ? log_t[k] : sl_vector (0)) - log_p[k];
      sum = sl_vector_select (there, sum + t[k] * gap, sum);
      infinite |= zeros != NULL ? there & ~(zeros[k] > 0.0) : there & 0;
    }
  return sl_vector_select (infinite, sl_vector (INFINITY), sum);
}

/* H ((p + t) / 2) - H (p) / 2 - H (t) / 2 */
SL_INLINE SlVector
sl_lanes_js (const SlVector *p, const SlVector *log_p, const SlVector *t, const SlVector *log_t,
             gint32 n)
{
  const SlVector zero = sl_vector (0);
  SlVector sum = zero;
  for (gint32 k = 0; k < n; k++)
    {
      SlVector m = 0.5 * (p[k] + t[k]);
      sum -= sl_vector_select (m > 0.0, m * sl_vector_log (m), zero);
      sum += sl_vector_select (p[k] > 0.0, 0.5 * p[k] * log_p[k], zero);
      sum += sl_vector_select (t[k] > 0.0, 0.5 * t[k] * log_t[k], zero);
    }
  return sl_vector_max (sum, zero);
}

/* Σ |p - t|, and Σ (p - t)² */
SL_INLINE SlVector
sl_lanes_l1 (const SlVector *p, const SlVector *t, gint32 n, SlVector *squares)
{
  SlVector sum = sl_vector (0);
  *squares = sum;
  for (gint32 k = 0; k < n; k++)
    {
      SlVector gap = p[k] - t[k];
      sum += sl_lanes_abs (gap);
      *squares += gap * gap;
    }
  return sum;
}

/* Σ |cumulated p - cumulated t| */
SL_INLINE SlVector
sl_lanes_w_line (const SlVector *p, const SlVector *t, gint32 n)
{
  SlVector sum = sl_vector (0), ahead = sum;
  for (gint32 k = 0; k < n; k++)
    {
      ahead += p[k] - t[k];
      sum += sl_lanes_abs (ahead);
    }
  return sum;
}

/* Each lane's x[n] in rising order, by Batcher's merge exchange (Knuth, The Art of Computer
 * Programming 5.2.2, algorithm M): the same exchanges whatever the values. */
SL_INLINE void
sl_lanes_sort (SlVector *x, gint32 n)
{
  gint32 top = 1;
  while (top < n - top)
    top *= 2;
  for (gint32 p = top; p > 0; p /= 2)
    for (gint32 q = top, r = 0, d = p;; d = q - p, q /= 2, r = p)
      {
        for (gint32 i = 0; i < n - d; i++)
          if ((i & p) == r)
            {
              SlVector a = x[i], b = x[i + d];
              SlLanes turned = a > b;
              x[i] = sl_vector_select (turned, b, a);
              x[i + d] = sl_vector_select (turned, a, b);
            }
        if (q == p)
          break;
      }
}

/* Σ |sorted p - sorted t| / K: the 1-Wasserstein distance of the K values taken as a sample; which
 * class has them does not matter. ROOM[2][n]. */
SL_INLINE SlVector
sl_lanes_w_values (const SlVector *p, const SlVector *t, gint32 n, SlVector *room)
{
  SlVector *a = room, *b = room + n, sum = sl_vector (0);
  memcpy (a, p, (gsize) n * sizeof *a);
  memcpy (b, t, (gsize) n * sizeof *b);
  sl_lanes_sort (a, n);
  sl_lanes_sort (b, n);
  for (gint32 k = 0; k < n; k++)
    sum += sl_lanes_abs (a[k] - b[k]);
  return sum / n;
}

/* Of the shared task of 2023: probabilities are clipped, not made to sum to 1 again, and 1e-9 is
 * added. */
SL_INLINE SlVector
sl_lanes_shared_cross_entropy (const SlVector *p, const SlVector *t, gint32 n)
{
  SlVector sum = sl_vector (0);
  for (gint32 k = 0; k < n; k++)
    sum -= t[k] * sl_vector_log (sl_lanes_clamp (p[k], 1e-12, 1 - 1e-12) + 1e-9);
  return sum;
}

/* Where a lane's two largest values are, and they themselves; of equal ones the first. */
typedef struct
{
  SlVector first, second; /* SECOND is -1 of one class */
  SlVector most, next;
} SlTwoLargest;

SL_INLINE SlTwoLargest
sl_lanes_two_largest (const SlVector *x, gint32 n)
{
  SlTwoLargest two = { sl_vector (0), sl_vector (-1), x[0], sl_vector (-INFINITY) };
  for (gint32 k = 1; k < n; k++)
    {
      SlVector here = sl_vector (k);
      SlLanes first = x[k] > two.most, second = x[k] > two.next;
      two.second = sl_vector_select (first, two.first, sl_vector_select (second, here, two.second));
      two.next = sl_vector_select (first, two.most, sl_vector_select (second, x[k], two.next));
      two.first = sl_vector_select (first, here, two.first);
      two.most = sl_vector_select (first, x[k], two.most);
    }
  return two;
}

/* How many of x[n] are equal to VALUE. */
SL_INLINE SlVector
sl_lanes_count (const SlVector *x, gint32 n, SlVector value)
{
  SlVector sum = sl_vector (0);
  for (gint32 k = 0; k < n; k++)
    sum += sl_lanes_whether (x[k] == value);
  return sum;
}

/* Those that compare p with t. */
#define SL_FIGURES_OF_TARGETS (SL_FIGURE_BIT (SL_FIGURE_SECOND_BEST + 1) - 1)

typedef struct
{
  const SlItemBlock *block;
  guint64 wanted;
  double *const *out;
  /* [n_classes], of four items: */
  SlVector *p, *t;
  SlVector *log_p;   /* of the logits, of p, or of p clipped */
  SlVector *log_own; /* of p as it is: log_p, unless that is of clipped ones */
  SlVector *log_t;
  SlVector *room; /* [2][n_classes] */
  SlTransport *transport;
} Work;

#define BIT(name) SL_FIGURE_BIT (SL_FIGURE_##name)
#define OF_LOG_P (BIT (CROSS_ENTROPY) | BIT (KL) | BIT (LOG_LOSS))
#define OF_LOG_OWN (BIT (ENTROPY) | BIT (JS))
#define OF_LOG_T (BIT (KL) | BIT (JS) | BIT (TARGET_ENTROPY))
#define OF_VALUES                                                                                  \
  (BIT (RPS) | BIT (CRPS) | BIT (TARGET_VALUE) | BIT (VALUE_ERROR) | BIT (VALUE_SQUARE)            \
   | BIT (VALUE))
#define OF_RANKS (BIT (SAME_FIRST) | BIT (SAME_TWO) | BIT (SECOND_BEST))

SL_INLINE gboolean
wants (const Work *work, guint64 figures)
{
  return (work->wanted & figures) != 0;
}

/* FIGURE of the items FIRST … FIRST + N - 1, unless it is not wanted. */
SL_INLINE void
put (const Work *work, SlFigure figure, gint64 first, gsize n, SlVector value)
{
  if (wants (work, SL_FIGURE_BIT (figure)))
    sl_vector_store_part (work->out[figure] + first, value, n);
}

/* The rows FIRST … of x[.][n_classes]; the last of N stands for those behind it. */
SL_INLINE void
gather_rows (const double *x, gint64 first, gsize n, gint32 n_classes, SlVector *to)
{
  const double *row[SL_LANES];
  for (gsize r = 0; r < SL_LANES; r++)
    row[r] = x + (gsize) (first + (gint64) MIN (r, n - 1)) * (gsize) n_classes;
  sl_lanes_gather (row, n_classes, to);
}

SL_INLINE void
take_logs (const SlVector *x, gint32 n, SlVector *to)
{
  for (gint32 k = 0; k < n; k++)
    to[k] = sl_vector_log (x[k]);
}

/* The logarithms that the wanted figures are made of. */
SL_INLINE void
take_all_logs (const Work *work, gint64 first, gsize n)
{
  const SlItemBlock *block = work->block;
  gint32 k = block->n_classes;
  gboolean clipped = block->logit == NULL && block->clip > 0;
  if (block->logit != NULL && wants (work, OF_LOG_P | OF_LOG_OWN))
    {
      gather_rows (block->logit, first, n, k, work->room);
      sl_lanes_log_softmax (work->room, k, work->log_p);
    }
  if (clipped && wants (work, OF_LOG_P))
    {
      for (gint32 j = 0; j < k; j++)
        work->room[j] = sl_lanes_clamp (work->p[j], block->clip, 1 - block->clip);
      take_logs (work->room, k, work->log_p);
    }
  if (block->logit == NULL && wants (work, clipped ? OF_LOG_OWN : OF_LOG_P | OF_LOG_OWN))
    take_logs (work->p, k, work->log_own);
  if (block->target != NULL && wants (work, OF_LOG_T))
    take_logs (work->t, k, work->log_t);
}

SL_INLINE void
beside_target (const Work *work, gint64 first, gsize n)
{
  const SlItemBlock *block = work->block;
  const SlVector *p = work->p, *t = work->t;
  gint32 k = block->n_classes;
  /* With a least logarithm, or one from logits, nothing is infinite. */
  const SlVector *zeros = block->logit != NULL || block->clip > 0 ? NULL : p;
  if (wants (work, BIT (CROSS_ENTROPY)))
    put (work, SL_FIGURE_CROSS_ENTROPY, first, n,
         sl_lanes_divergence (t, NULL, zeros, work->log_p, k));
  if (wants (work, BIT (KL)))
    put (
        work, SL_FIGURE_KL, first, n,
        sl_vector_max (sl_lanes_divergence (t, work->log_t, zeros, work->log_p, k), sl_vector (0)));
  if (wants (work, BIT (JS)))
    put (work, SL_FIGURE_JS, first, n, sl_lanes_js (p, work->log_own, t, work->log_t, k));
  if (wants (work, BIT (BRIER) | BIT (L1) | BIT (SHARED_MANHATTAN)))
    {
      SlVector squares, l1 = sl_lanes_l1 (p, t, k, &squares);
      put (work, SL_FIGURE_BRIER, first, n, squares);
      put (work, SL_FIGURE_L1, first, n, l1);
      put (work, SL_FIGURE_SHARED_MANHATTAN, first, n, sl_lanes_round_5 (l1));
    }
  if (wants (work, BIT (W_VALUES)))
    put (work, SL_FIGURE_W_VALUES, first, n, sl_lanes_w_values (p, t, k, work->room));
  if (wants (work, BIT (W_LINE) | BIT (SHARED_WASSERSTEIN)))
    {
      SlVector line = sl_lanes_w_line (p, t, k);
      put (work, SL_FIGURE_W_LINE, first, n, line);
      put (work, SL_FIGURE_SHARED_WASSERSTEIN, first, n, sl_lanes_round_5 (line));
    }
  if (wants (work, BIT (SHARED_CROSS_ENTROPY)))
    put (work, SL_FIGURE_SHARED_CROSS_ENTROPY, first, n, sl_lanes_shared_cross_entropy (p, t, k));
  if (wants (work, BIT (TARGET_ENTROPY)))
    put (work, SL_FIGURE_TARGET_ENTROPY, first, n, sl_lanes_entropy (t, work->log_t, k));
}

SL_INLINE void
ranks_beside_target (const Work *work, gint64 first, gsize n, const SlTwoLargest *p)
{
  const SlItemBlock *block = work->block;
  SlTwoLargest t = sl_lanes_two_largest (work->t, block->n_classes);
  SlLanes top = p->first == t.first, next = p->second == t.second;
  put (work, SL_FIGURE_SAME_FIRST, first, n, sl_lanes_whether (top));
  put (work, SL_FIGURE_SAME_TWO, first, n,
       sl_lanes_whether ((top & next) | ((p->first == t.second) & (p->second == t.first))));
  if (!wants (work, BIT (SECOND_BEST)))
    return;
  SlLanes none = { 0 };
  if (block->second == SL_SECOND_WRONG)
    {
      none = top;
      next = p->second == t.first;
    }
  else if (block->second != SL_SECOND_ANY)
    none = ~(t.next > 0.0) | (sl_lanes_count (work->t, block->n_classes, t.next) > 1.0);
  if (block->second == SL_SECOND_BEHIND_FIRST)
    none |= ~top;
  put (work, SL_FIGURE_SECOND_BEST, first, n,
       block->n_classes < 2 ? sl_vector (NAN)
                            : sl_vector_select (none, sl_vector (NAN), sl_lanes_whether (next)));
}

SL_INLINE double
log_loss (const Work *work, gint32 gold, gsize lane)
{
  const SlItemBlock *block = work->block;
  if (block->logit == NULL && !(block->clip > 0) && !(work->p[gold][lane] > 0))
    return INFINITY;
  return -work->log_p[gold][lane];
}

SL_INLINE void
beside_class (const Work *work, gint64 first, gsize n, const SlTwoLargest *p)
{
  SlVector class = sl_vector (NAN), loss = class;
  for (gsize r = 0; r < n; r++)
    {
      gint32 gold = work->block->gold[first + (gint64) r];
      if (gold < 0)
        continue;
      class[r] = gold;
      if (wants (work, BIT (LOG_LOSS)))
        loss[r] = log_loss (work, gold, r);
    }
  SlLanes top = p->first == class, there = class == class;
  SlVector none = sl_vector (NAN);
  put (work, SL_FIGURE_LOG_LOSS, first, n, loss);
  put (work, SL_FIGURE_CORRECT, first, n, sl_vector_select (there, sl_lanes_whether (top), none));
  put (work, SL_FIGURE_TOP_TWO, first, n,
       sl_vector_select (there, sl_lanes_whether (top | (p->second == class)), none));
  put (work, SL_FIGURE_CLASS, first, n, class);
}

SL_INLINE void
by_itself (const Work *work, gint64 first, gsize n, const SlTwoLargest *two)
{
  const SlVector *p = work->p;
  gint32 k = work->block->n_classes;
  if (wants (work, BIT (ENTROPY)))
    put (work, SL_FIGURE_ENTROPY, first, n, sl_lanes_entropy (p, work->log_own, k));
  put (work, SL_FIGURE_ANSWER, first, n, two->first);
  put (work, SL_FIGURE_CONFIDENCE, first, n, two->most);
  if (!wants (work, BIT (SUPPORT) | BIT (FEW) | BIT (SQUARES)))
    return;
  SlVector support = sl_vector (0), squares = support;
  for (gint32 j = 0; j < k; j++)
    {
      support += sl_lanes_whether (p[j] > 0.0);
      squares += p[j] * p[j];
    }
  put (work, SL_FIGURE_SUPPORT, first, n, support);
  put (work, SL_FIGURE_FEW, first, n, sl_lanes_whether (support <= 2.0));
  put (work, SL_FIGURE_SQUARES, first, n, squares);
}

/* What is said of ordered classes. Distances of t are NaN without one. */
static void
make_values (const Work *work)
{
  const SlItemBlock *block = work->block;
  for (gint64 i = 0; i < block->n; i++)
    {
      const double *p = block->prob + i * block->n_classes, *v = block->value;
      const double *t = block->target != NULL ? block->target + i * block->n_classes : p;
      double value = 0, target = 0, apart = 0, ranks = 0, values = 0;
      for (gint32 k = 0; k < block->n_classes; k++)
        {
          value += p[k] * v[k];
          target += t[k] * v[k];
          apart += p[k] - t[k];
          ranks += k + 1 < block->n_classes ? apart * apart : 0;
          values += k + 1 < block->n_classes ? (v[k + 1] - v[k]) * apart * apart : 0;
        }
      const double figure[]
          = { ranks, values, target, fabs (value - target), (value - target) * (value - target) };
      for (int f = 0; f < (int) G_N_ELEMENTS (figure); f++)
        if (wants (work, SL_FIGURE_BIT (SL_FIGURE_RPS + f)))
          work->out[SL_FIGURE_RPS + f][i] = block->target != NULL ? figure[f] : (double) NAN;
      if (wants (work, BIT (VALUE)))
        work->out[SL_FIGURE_VALUE][i] = value;
    }
}

/* What goes item by item. */
static void
make_single (const Work *work)
{
  const SlItemBlock *block = work->block;
  gint32 k = block->n_classes;
  if (block->value != NULL && wants (work, OF_VALUES))
    make_values (work);
  for (gint64 i = 0; i < block->n && wants (work, BIT (LOSS)); i++)
    work->out[SL_FIGURE_LOSS][i] = block->loss != NULL ? block->loss[i] : (double) NAN;
  for (gint64 i = 0; i < block->n && work->transport != NULL && block->target != NULL; i++)
    work->out[SL_FIGURE_W_COST][i] = sl_transport_cost (work->transport, block->prob + i * k,
                                                        block->target + i * k, block->cost);
}

SL_VECTORS static void
make_all (const Work *work)
{
  const SlItemBlock *block = work->block;
  for (gint64 first = 0; first < block->n; first += SL_LANES)
    {
      gsize n = (gsize) MIN (block->n - first, SL_LANES);
      gather_rows (block->prob, first, n, block->n_classes, work->p);
      if (block->target != NULL)
        gather_rows (block->target, first, n, block->n_classes, work->t);
      take_all_logs (work, first, n);
      SlTwoLargest two = sl_lanes_two_largest (work->p, block->n_classes);
      if (block->target != NULL && wants (work, SL_FIGURES_OF_TARGETS & ~OF_RANKS))
        beside_target (work, first, n);
      if (block->target != NULL && wants (work, OF_RANKS))
        ranks_beside_target (work, first, n, &two);
      if (block->gold != NULL)
        beside_class (work, first, n, &two);
      by_itself (work, first, n, &two);
    }
}

void
sl_item_figures (const SlItemBlock *block, guint64 wanted, double *const *out)
{
  gsize k = (gsize) block->n_classes;
  /* Vectors stand at multiples of their size. */
  g_autofree SlVector *all = g_new (SlVector, 7 * k + 1);
  SlVector *room = (SlVector *) (((guintptr) all + sizeof *room - 1) & ~(sizeof *room - 1));
  Work work = { .block = block, .wanted = wanted, .out = out };
  work.p = room;
  work.t = room + k;
  work.log_p = room + 2 * k;
  work.log_t = room + 3 * k;
  work.log_own = block->logit == NULL && block->clip > 0 ? room + 4 * k : work.log_p;
  work.room = room + 5 * k;
  if (wants (&work, BIT (W_COST)))
    work.transport = sl_transport_new (block->n_classes);
  make_all (&work);
  make_single (&work);
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
