/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a class's p ranks its items before others. Items with the same p are taken together, as
 * scikit-learn takes them. */
#include "metrics.h"

#include <math.h>

/* Items of the class and others, weighed. */
typedef struct
{
  double own, others;
} Sides;

/* The items with the same p of class K as the one at *AT of ORDER, on to the end or, with BACK, to
 * the beginning; *AT becomes the next place. */
static Sides
take_equal (const SlScoredItems *items, const double *weight, gint32 k, const gint32 *order,
            gint64 *at, gboolean back)
{
  const double *gold = items->column[SL_FIGURE_CLASS], *prob = items->prob + k;
  double p = prob[(gint64) order[*at] * items->n_classes];
  Sides sides = { 0, 0 };
  for (; *at >= 0 && *at < items->n; *at += back ? -1 : 1)
    {
      gint64 i = order[*at];
      double w = isnan (gold[i]) ? 0 : weight != NULL ? weight[i] : 1;
      if (prob[i * items->n_classes] != p)
        break;
      if (gold[i] == k)
        sides.own += w;
      else
        sides.others += w;
    }
  return sides;
}

/* Hanley & McNeil (Radiology 143, 1982): P (p of an item of the class > p of another one) + P (=) /
 * 2. */
static double
area_of (const SlScoredItems *items, const double *weight, gint32 k)
{
  const gint32 *order = items->class_order + (gint64) k * items->n;
  double area = 0, own = 0, below = 0;
  for (gint64 at = 0; at < items->n;)
    {
      Sides here = take_equal (items, weight, k, order, &at, FALSE);
      area += here.own * (below + here.others / 2);
      below += here.others;
      own += here.own;
    }
  return own > 0 && below > 0 ? area / (own * below) : (double) NAN;
}

static double
precision_of (const SlScoredItems *items, const double *weight, gint32 k)
{
  const gint32 *order = items->class_order + (gint64) k * items->n;
  double sum = 0, own = 0, others = 0;
  for (gint64 at = items->n - 1; at >= 0;)
    {
      Sides here = take_equal (items, weight, k, order, &at, TRUE);
      own += here.own;
      others += here.others;
      if (here.own > 0)
        sum += here.own * own / (own + others);
    }
  return own > 0 ? sum / own : (double) NAN;
}

static SlMetricValue
of_classes (const SlMetric *metric, const SlScoredItems *items, const double *weight,
            double (*find) (const SlScoredItems *items, const double *weight, gint32 k))
{
  const double *gold = items->column[SL_FIGURE_CLASS];
  gboolean single = (metric->flags & SL_METRIC_BY_CLASS) != 0;
  gint32 first = single ? metric->of_class : items->n_classes == 2 ? 1 : 0;
  gint32 end = single ? first + 1 : items->n_classes;
  double sum = 0, of = 0, n = 0;
  for (gint64 i = 0; i < items->n; i++)
    n += isnan (gold[i]) ? 0 : weight != NULL ? weight[i] : 1;
  for (gint32 k = first; k < end; k++)
    {
      double value = find (items, weight, k);
      sum += isnan (value) ? 0 : value;
      of += !isnan (value);
    }
  if (!(of > 0))
    return (SlMetricValue){ NAN, n,
                            single ? "no item, or every one, is of this class"
                                   : "no class has both items that are of it and others" };
  return (SlMetricValue){ sum / of, n, NULL };
}

SL_METRIC_FUNCTION (sl_metric_auroc)
{
  return of_classes (metric, items, weight, area_of);
}

SL_METRIC_FUNCTION (sl_metric_average_precision)
{
  return of_classes (metric, items, weight, precision_of);
}
