/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a class's p ranks its items before others, and confidence right ones before wrong ones.
 * Items with the same p are taken together, as scikit-learn takes them. */
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

/* How wrong the surest are, risk at every coverage (El-Yaniv & Wiener, JMLR 2010): the mean over
 * j = 1 … N of the share of wrong items among the j surest. Of items as sure as each other, any
 * order is as likely: each adds the mean of their errors. */
SL_METRIC_FUNCTION (sl_metric_aurc)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  double kept = 0, wrong = 0, sum = 0;
  for (gint64 j = items->n - 1; j >= 0;)
    {
      double alike = 0, errors = 0, level = confidence[items->order[j]];
      for (; j >= 0 && confidence[items->order[j]] == level; j--)
        {
          gint32 i = items->order[j];
          double w = isnan (right[i]) ? 0 : weight != NULL ? weight[i] : 1;
          alike += w;
          errors += w > 0 ? w * (1 - right[i]) : 0;
        }
      double share = alike > 0 ? errors / alike : 0;
      for (double c = 1; c <= alike; c++)
        sum += (wrong + c * share) / (kept + c);
      kept += alike;
      wrong += errors;
    }
  if (!(kept > 0))
    return (SlMetricValue){ NAN, 0, "no item has a class to be right about" };
  return (SlMetricValue){ sum / kept, kept, NULL };
}

static SlMetricValue
mean_confidence (const SlScoredItems *items, const double *weight, double of, const char *empty)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  double n = 0, sum = 0;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = right[i] != of ? 0 : weight != NULL ? weight[i] : 1;
      n += w;
      sum += w * confidence[i];
    }
  if (!(n > 0))
    return (SlMetricValue){ NAN, 0, empty };
  return (SlMetricValue){ sum / n, n, NULL };
}

SL_METRIC_FUNCTION (sl_metric_confidence_correct)
{
  return mean_confidence (items, weight, 1, "no item is right");
}

SL_METRIC_FUNCTION (sl_metric_confidence_incorrect)
{
  return mean_confidence (items, weight, 0, "no item is wrong");
}

/* Pearson's r of H (p) and H (t) over the items (Uma et al., HCOMP 2020). */
SL_METRIC_FUNCTION (sl_metric_entropy_correlation)
{
  const double *x = items->column[SL_FIGURE_ENTROPY], *y = items->column[SL_FIGURE_TARGET_ENTROPY];
  double n = 0, mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0, most_x = 0, most_y = 0;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = weight != NULL ? weight[i] : 1;
      n += w;
      mean_x += w * x[i];
      mean_y += w * y[i];
    }
  if (n < 2)
    return (SlMetricValue){ NAN, n, "a correlation is of two items or more" };
  mean_x /= n;
  mean_y /= n;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = weight != NULL ? weight[i] : 1, a = x[i] - mean_x, b = y[i] - mean_y;
      if (!(w > 0))
        continue;
      xx += w * a * a;
      yy += w * b * b;
      xy += w * a * b;
      most_x = MAX (most_x, fabs (a));
      most_y = MAX (most_y, fabs (b));
    }
  /* What is the same everywhere differs from its mean by rounding alone. */
  if (most_x <= 1e-12 * (1 + fabs (mean_x)))
    return (SlMetricValue){ NAN, n, "all predictions have the same entropy" };
  if (most_y <= 1e-12 * (1 + fabs (mean_y)))
    return (SlMetricValue){ NAN, n, "all targets have the same entropy" };
  return (SlMetricValue){ CLAMP (xy / sqrt (xx * yy), -1, 1), n, NULL };
}
