/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generative model of Labels, Abilities and Difficulties (Whitehill, Ruvolo, Wu, Bergsma &
 * Movellan, "Whose vote should count more", NIPS 2009). Annotator a is right about item i with
 * probability
 *   σ (α_a e^β_i),   σ (x) = 1 / (1 + e^-x),
 * and errs evenly; α_a ~ N (1, 1) is ability, negative for who turns answers round, β_i ~ N (1,
 * 1) how easy the item is; classes are equally likely. Expectation maximisation from α = β = 1, or
 * the α that --init tells:
 *   E  γ_ik ∝ Π_a (σ if x_ia = k, else (1 - σ) / (K - 1))
 *   M  a maximum over α and β of Q = Σ_ia [γ_i,x_ia log σ + (1 - γ_i,x_ia) log ((1 - σ) / (K - 1))]
 *        - Σ_a (α_a - 1)² / 2 - Σ_i (β_i - 1)² / 2
 * by conjugate gradients, until no entry of the gradient is beyond 0.01, 25 line searches at
 * most. Rounds end when Q / (answers × K) rises by less than the tolerance, 1e-5, 100 at most;
 * the label is the last E's γ. (As crowd-kit 1.4's GLAD, round by round.) The log-likelihood with
 * the priors never falls.
 *
 * In E a class's score gains α_a e^β_i + log (K - 1) with each answer that names it, all else is
 * common to the classes; so E needs logarithms and exponentials only for the likelihood. log σ
 * (x) is min (x, 0) - log (1 + e^-|x|), exact at both ends; the sum of those logarithms is taken
 * as one of their product, which with each factor at most 2 is closed before it overflows. β
 * counts as 300 at most. Reliability is α. Iterations and tolerance apply; a kept gold class
 * fixes γ. */
#include "pipeline/base/parallel.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "conjugate-gradient.h"
#include "glad-parts.h"

#include <math.h>
#include <string.h>

enum
{
  ROUNDS = 100,
  LINE_SEARCHES = 25,
  BLOCK = 64, /* items, or answers to one, whose exponentials are taken together */
};

static const double mean = 1, gradient_tolerance = 0.01;

/* Σ count log (1 + t), 0 <= t <= 1. */
typedef struct
{
  double sum, product;
} LogSum;

static inline void
log_sum_add (LogSum *log_sum, double t, double count)
{
  if (count != 1)
    {
      log_sum->sum += count * sl_log1p (t);
      return;
    }
  log_sum->product *= 1 + t;
  if (log_sum->product > 0x1p900)
    {
      log_sum->sum += sl_scalar_log (log_sum->product);
      log_sum->product = 1;
    }
}

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  double log_classes;       /* log K */
  double log_others;        /* log (K - 1) */
  const double *x;          /* α[n_annotators], β[n_items] */
  double *gradient;         /* of -Q, the same */
  double *ability_gradient; /* [n_parts][n_annotators] */
  double sum[SL_MAX_PARTS]; /* [n_parts] */
} Glad;

/* ease[N <= BLOCK] = e^β of items FIRST, ... */
SL_INLINE void
set_ease (const Glad *glad, gint32 first, gint32 n, double *ease)
{
  for (gint32 i = 0; i < n; i++)
    ease[i] = MIN (glad->x[glad->by->n_annotators + first + i], 300);
  sl_exp_row (ease, (gsize) n);
}

/* Of answers FIRST, ... to an item of that EASE x[N <= BLOCK] = α e^β and t[N] = e^-|x|. */
SL_INLINE void
set_answers (const Glad *glad, gint64 first, gint32 n, double ease, double *x, double *t)
{
  for (gint32 j = 0; j < n; j++)
    {
      x[j] = glad->x[glad->by->annotator[first + j]] * ease;
      t[j] = -fabs (x[j]);
    }
  sl_exp_row (t, (gsize) n);
}

/* What item I adds to Q; its place in the gradient, and what it adds to those of annotators. */
SL_INLINE double
q_item (const Glad *glad, gint32 i, double ease, double *ability, LogSum *logs)
{
  const SlByItem *by = glad->by;
  const double *label = &glad->items->label[(gsize) i * (gsize) by->n_classes];
  double x[BLOCK], t[BLOCK], q = 0, slope = 0;
  for (gint64 first = by->first[i]; first < by->first[i + 1]; first += BLOCK)
    {
      gint32 n = (gint32) MIN (by->first[i + 1] - first, BLOCK);
      set_answers (glad, first, n, ease, x, t);
      for (gint32 j = 0; j < n; j++)
        {
          double p = label[by->answer[first + j]], count = sl_by_item_count (by, first + j);
          double off = count * (p - (x[j] >= 0 ? 1 : t[j]) / (1 + t[j]));
          log_sum_add (logs, t[j], count);
          q += count * (MIN (x[j], 0) - (1 - p) * (x[j] + glad->log_others));
          slope += off * x[j];
          ability[by->annotator[first + j]] -= off * ease;
        }
    }
  double from_mean = glad->x[by->n_annotators + i] - mean;
  glad->gradient[by->n_annotators + i] = from_mean - slope;
  return q - from_mean * from_mean / 2;
}

SL_VECTORS static void
q_part (int part, gpointer data)
{
  Glad *glad = data;
  const SlByItem *by = glad->by;
  double *ability = &glad->ability_gradient[(gsize) part * (gsize) by->n_annotators];
  double ease[BLOCK], q = 0;
  LogSum logs = { 0, 1 };
  memset (ability, 0, (gsize) by->n_annotators * sizeof *ability);
  for (gint32 first = by->part[part]; first < by->part[part + 1]; first += BLOCK)
    {
      gint32 n = MIN (by->part[part + 1] - first, BLOCK);
      set_ease (glad, first, n, ease);
      for (gint32 i = 0; i < n; i++)
        q += q_item (glad, first + i, ease[i], ability, &logs);
    }
  glad->sum[part] = q - logs.sum - sl_scalar_log (logs.product);
}

static double
sum_parts (const Glad *glad)
{
  double sum = 0;
  for (int p = 0; p < glad->by->n_parts; p++)
    sum += glad->sum[p];
  for (gint32 a = 0; a < glad->by->n_annotators; a++)
    sum -= (glad->x[a] - mean) * (glad->x[a] - mean) / 2;
  return sum;
}

/* -Q at X, and its gradient. */
static double
minus_q (const double *x, double *gradient, gpointer data)
{
  Glad *glad = data;
  gsize n_annotators = (gsize) glad->by->n_annotators;
  glad->x = x;
  glad->gradient = gradient;
  sl_parallel (glad->settings->threads, glad->by->n_parts, q_part, glad);
  sl_by_item_fold (glad->by, glad->ability_gradient, n_annotators);
  for (gsize a = 0; a < n_annotators; a++)
    gradient[a] = glad->ability_gradient[a] + (x[a] - mean);
  return -sum_parts (glad);
}

/* The label of item I; returns what the item adds to the log-likelihood, but for the logarithms. */
SL_INLINE double
e_item (const Glad *glad, gint32 i, double ease, LogSum *logs)
{
  const SlByItem *by = glad->by;
  gint32 n_classes = by->n_classes, gold = sl_posterior_gold (glad->items, glad->settings, i);
  double *p = &glad->items->label[(gsize) i * (gsize) n_classes];
  double x[BLOCK], t[BLOCK], sum = 0;
  memset (p, 0, (gsize) n_classes * sizeof *p);
  for (gint64 first = by->first[i]; first < by->first[i + 1]; first += BLOCK)
    {
      gint32 n = (gint32) MIN (by->first[i + 1] - first, BLOCK);
      set_answers (glad, first, n, ease, x, t);
      for (gint32 j = 0; j < n; j++)
        {
          double count = sl_by_item_count (by, first + j);
          p[by->answer[first + j]] += count * (x[j] + glad->log_others);
          sum -= count * (MAX (x[j], 0) + glad->log_others);
          log_sum_add (logs, t[j], count);
        }
    }
  double of_gold = gold < 0 ? 0 : p[gold], all = sl_posterior_from_logs (p, n_classes);
  double from_mean = glad->x[by->n_annotators + i] - mean;
  if (gold >= 0)
    sl_posterior_set (p, n_classes, gold);
  return sum + (gold < 0 ? all : of_gold) - glad->log_classes - from_mean * from_mean / 2;
}

SL_VECTORS static void
e_part (int part, gpointer data)
{
  Glad *glad = data;
  const SlByItem *by = glad->by;
  double ease[BLOCK], sum = 0;
  LogSum logs = { 0, 1 };
  for (gint32 first = by->part[part]; first < by->part[part + 1]; first += BLOCK)
    {
      gint32 n = MIN (by->part[part + 1] - first, BLOCK);
      set_ease (glad, first, n, ease);
      for (gint32 i = 0; i < n; i++)
        sum += e_item (glad, first + i, ease[i], &logs);
    }
  glad->sum[part] = sum - logs.sum - sl_scalar_log (logs.product);
}

gboolean
sl_fit_glad (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 1);
  gsize n = (gsize) by.n_annotators + (gsize) by.n_items;
  g_autofree double *x = g_new (double, n);
  g_autofree double *ability_gradient = sl_by_item_sums (&by, (gsize) by.n_annotators);
  gsize square = (gsize) items->n_classes * (gsize) items->n_classes;
  for (gsize v = 0; v < n; v++)
    x[v] = settings->start == NULL || v >= (gsize) by.n_annotators
               ? mean
               : sl_glad_ability_of (&settings->start[v * square], (gsize) items->n_classes);
  Glad glad = {
    .items = items,
    .by = &by,
    .settings = settings,
    .log_classes = sl_log (items->n_classes),
    .log_others = items->n_classes > 2 ? sl_log (items->n_classes - 1) : 0,
    .ability_gradient = ability_gradient,
  };
  gint64 rounds = sl_rounds (settings, ROUNDS);
  double tolerance = sl_or_own (settings->tolerance, 1e-5), q = -INFINITY;
  gint64 round = 1;
  for (gboolean settled = FALSE; round <= rounds && !settled; round++)
    {
      double before = q;
      glad.x = x;
      sl_parallel (settings->threads, by.n_parts, e_part, &glad);
      sl_round_over (settings, learned, round, rounds, sum_parts (&glad));
      q = -sl_conjugate_gradient (x, n, minus_q, &glad, gradient_tolerance, LINE_SEARCHES);
      q /= MAX ((double) by.n_answers, 1) * items->n_classes;
      settled = tolerance > 0 && q - before < tolerance;
    }
  sl_rounds_ended (learned, round - 1, rounds);
  sl_posterior_learn (items, &by, x, learned);
  return TRUE;
}
