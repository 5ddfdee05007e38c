/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generative model of Labels, Abilities and Difficulties (Whitehill, Ruvolo, Wu, Bergsma &
 * Movellan, "Whose vote should count more", NIPS 2009). Annotator a is right about item i with
 * probability
 *   σ (α_a e^β_i),   σ (x) = 1 / (1 + e^-x),
 * and errs evenly; α_a ~ N (1, 1) is ability, negative for who turns answers round, β_i ~ N (1,
 * 1) how easy the item is; classes are equally likely. Expectation maximisation from α = β = 1:
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
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/no-answers.h"
#include "stages/common/posterior.h"
#include "conjugate-gradient.h"

#include <math.h>
#include <string.h>

enum
{
  ROUNDS = 100,
  LINE_SEARCHES = 25,
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
      log_sum->sum += count * log1p (t);
      return;
    }
  log_sum->product *= 1 + t;
  if (log_sum->product > 0x1p900)
    {
      log_sum->sum += log (log_sum->product);
      log_sum->product = 1;
    }
}

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  double log_others;        /* log (K - 1) */
  const double *x;          /* α[n_annotators], β[n_items] */
  double *gradient;         /* of -Q, the same */
  double *ability_gradient; /* [n_parts][n_annotators] */
  double sum[SL_MAX_PARTS]; /* [n_parts] */
} Glad;

static inline double
ease (const Glad *glad, gint32 i)
{
  return exp (MIN (glad->x[glad->by->n_annotators + i], 300));
}

static void
q_part (int part, gpointer data)
{
  Glad *glad = data;
  const SlByItem *by = glad->by;
  double *ability = &glad->ability_gradient[(gsize) part * (gsize) by->n_annotators];
  double q = 0;
  LogSum logs = { 0, 1 };
  memset (ability, 0, (gsize) by->n_annotators * sizeof *ability);
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      const double *label = &glad->items->label[(gsize) i * (gsize) by->n_classes];
      double e = ease (glad, i), slope = 0;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double x = glad->x[by->annotator[j]] * e, t = exp (-fabs (x));
          double p = label[by->answer[j]], count = sl_by_item_count (by, j);
          double off = count * (p - (x >= 0 ? 1 : t) / (1 + t));
          log_sum_add (&logs, t, count);
          q += count * (MIN (x, 0) - (1 - p) * (x + glad->log_others));
          slope += off * x;
          ability[by->annotator[j]] -= off * e;
        }
      double from_mean = glad->x[by->n_annotators + i] - mean;
      glad->gradient[by->n_annotators + i] = from_mean - slope;
      q -= from_mean * from_mean / 2;
    }
  glad->sum[part] = q - logs.sum - log (logs.product);
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

static void
e_part (int part, gpointer data)
{
  Glad *glad = data;
  const SlByItem *by = glad->by;
  gint32 n = by->n_classes;
  double sum = 0;
  LogSum logs = { 0, 1 };
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double *p = &glad->items->label[(gsize) i * (gsize) n], e = ease (glad, i);
      gint32 gold = sl_posterior_gold (glad->items, glad->settings, i);
      memset (p, 0, (gsize) n * sizeof *p);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double x = glad->x[by->annotator[j]] * e, count = sl_by_item_count (by, j);
          p[by->answer[j]] += count * (x + glad->log_others);
          sum -= count * (MAX (x, 0) + glad->log_others);
          log_sum_add (&logs, exp (-fabs (x)), count);
        }
      double of_gold = gold < 0 ? 0 : p[gold], all = sl_posterior_from_logs (p, n);
      double from_mean = glad->x[by->n_annotators + i] - mean;
      sum += (gold < 0 ? all : of_gold) - log (n) - from_mean * from_mean / 2;
      if (gold >= 0)
        sl_posterior_set (p, n, gold);
    }
  glad->sum[part] = sum - logs.sum - log (logs.product);
}

gboolean
sl_fit_glad (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  (void) error;
  if (sl_unanswered (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 1);
  gsize n = (gsize) by.n_annotators + (gsize) by.n_items;
  g_autofree double *x = g_new (double, n);
  g_autofree double *ability_gradient = sl_by_item_sums (&by, (gsize) by.n_annotators);
  for (gsize v = 0; v < n; v++)
    x[v] = mean;
  Glad glad = {
    .items = items,
    .by = &by,
    .settings = settings,
    .log_others = items->n_classes > 2 ? log (items->n_classes - 1) : 0,
    .ability_gradient = ability_gradient,
  };
  gint64 rounds = settings->iterations > 0 ? settings->iterations : ROUNDS;
  double tolerance = isnan (settings->tolerance) ? 1e-5 : settings->tolerance, q = -INFINITY;
  for (gint64 round = 1; round <= rounds; round++)
    {
      double before = q;
      glad.x = x;
      sl_parallel (settings->threads, by.n_parts, e_part, &glad);
      sl_round_over (settings, learned, round, rounds, sum_parts (&glad));
      q = -sl_conjugate_gradient (x, n, minus_q, &glad, gradient_tolerance, LINE_SEARCHES);
      q /= MAX ((double) by.n_answers, 1) * items->n_classes;
      if (q - before < tolerance)
        break;
    }
  sl_posterior_learn (items, &by, x, learned);
  return TRUE;
}
