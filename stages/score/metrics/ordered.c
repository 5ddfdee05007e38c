/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ordered classes, which stand for values v. */
#include "metrics.h"

#include <math.h>

SL_METRIC_FUNCTION (sl_metric_rmse)
{
  SlMetric squares = *metric;
  squares.figure = SL_FIGURE_VALUE_SQUARE;
  SlMetricValue value = sl_metric_mean (&squares, items, weight, settings, shared);
  value.value = sqrt (value.value);
  return value;
}

/* rank[n] <- the places of X, whose ORDER is known, among weighed items: those that are equal, but
 * for rounding NEAR, share theirs. Items without a value count nothing. */
static void
find_ranks (const double *x, const gint32 *order, const double *weight, gint64 n, double near,
            double *rank)
{
  double before = 0;
  for (gint64 first = 0, end; first < n; first = end)
    {
      double here = 0;
      for (end = first; end < n && !(x[order[end]] > x[order[first]] + near); end++)
        here += weight[order[end]];
      for (gint64 j = first; j < end; j++)
        rank[order[j]] = before + here / 2;
      before += here;
    }
}

/* Spearman (The American Journal of Psychology 15, 1904): Pearson's r of ranks. */
SL_METRIC_FUNCTION (sl_metric_spearman)
{
  const double *x = items->column[SL_FIGURE_VALUE], *y = items->column[SL_FIGURE_TARGET_VALUE];
  gint64 n = items->n;
  g_autofree double *w = g_new (double, MAX (n, 1)), *a = g_new (double, MAX (n, 1));
  g_autofree double *b = g_new (double, MAX (n, 1));
  double all = 0, xx = 0, yy = 0, xy = 0;
  for (gint64 i = 0; i < n; i++)
    {
      w[i] = isnan (y[i]) ? 0 : weight != NULL ? weight[i] : 1;
      all += w[i];
    }
  if (all < 2)
    return (SlMetricValue){ NAN, all, "a correlation is of two items or more" };
  double near = 1e-12 * (settings->value[items->n_classes - 1] - settings->value[0]);
  find_ranks (x, items->value_order, w, n, near, a);
  find_ranks (y, items->target_order, w, n, near, b);
  for (gint64 i = 0; i < n; i++)
    if (w[i] > 0)
      {
        double u = a[i] - all / 2, v = b[i] - all / 2;
        xx += w[i] * u * u;
        yy += w[i] * v * v;
        xy += w[i] * u * v;
      }
  if (!(xx > 0) || !(yy > 0))
    return (SlMetricValue){ NAN, all,
                            xx > 0 ? "all targets are the same" : "all predictions are the same" };
  return (SlMetricValue){ CLAMP (xy / sqrt (xx * yy), -1, 1), all, NULL };
}

/* Cohen (Psychological Bulletin 70, 1968): 1 - Σ (v_y - v_a)² / what y and a apart would have. */
SL_METRIC_FUNCTION (sl_metric_quadratic_kappa)
{
  const double *gold = items->column[SL_FIGURE_CLASS], *answer = items->column[SL_FIGURE_ANSWER];
  const double *value = settings->value;
  double n = 0, apart = 0, golds = 0, answers = 0, squares = 0;
  double middle = (value[0] + value[items->n_classes - 1]) / 2;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = isnan (gold[i]) ? 0 : weight != NULL ? weight[i] : 1;
      if (!(w > 0))
        continue;
      double y = value[(gint32) gold[i]] - middle, a = value[(gint32) answer[i]] - middle;
      n += w;
      apart += w * (y - a) * (y - a);
      golds += w * y;
      answers += w * a;
      squares += w * (y * y + a * a);
    }
  double expected = squares / n - 2 * (golds / n) * (answers / n);
  if (!(n > 0))
    return (SlMetricValue){ NAN, 0, "no item has a class to be right about" };
  if (!(expected > 1e-14 * squares / n))
    return (SlMetricValue){ NAN, n, "all items are, and are said to be, of one class" };
  return (SlMetricValue){ 1 - apart / n / expected, n, NULL };
}
