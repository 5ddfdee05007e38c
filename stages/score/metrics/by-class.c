/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the single classes, taken together so that each counts the same, or the worst alone.
 * Classes that no item has are left out. */
#include "intervals.h"

#include <math.h>
#include <string.h>

static void
add_item (SlClassSums *classes, double gold, double answer, double w)
{
  classes[(gint32) gold].right += w * (gold == answer);
  classes[(gint32) answer].named += w;
}

static const SlClassSums *
classes_of (const SlScoredItems *items, const double *weight, SlShared *shared)
{
  const double *gold = items->column[SL_FIGURE_CLASS], *answer = items->column[SL_FIGURE_ANSWER];
  const double *loss = items->column[SL_FIGURE_LOG_LOSS];
  if (shared->has_classes)
    return shared->classes;
  if (shared->classes == NULL)
    shared->classes = g_new (SlClassSums, MAX (items->n_classes, 1));
  memset (shared->classes, 0, (gsize) items->n_classes * sizeof *shared->classes);
  shared->has_classes = TRUE;
  shared->class_items = 0;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = isnan (gold[i]) ? 0 : weight != NULL ? weight[i] : 1;
      if (!(w > 0))
        continue;
      shared->class_items += w;
      shared->classes[(gint32) gold[i]].n += w;
      shared->classes[(gint32) gold[i]].loss += loss != NULL ? w * loss[i] : 0;
      if (answer != NULL)
        add_item (shared->classes, gold[i], answer[i], w);
    }
  return shared->classes;
}

static SlMetricValue
ended (double value, double n, const char *infinite)
{
  if (n > 0 && isfinite (value))
    return (SlMetricValue){ value, n, NULL };
  return (SlMetricValue){ NAN, n, n > 0 ? infinite : "no item has a class to be right about" };
}

SL_METRIC_FUNCTION (sl_metric_balanced_accuracy)
{
  double sum = 0, of = 0;
  const SlClassSums *classes = classes_of (items, weight, shared);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      {
        sum += classes[k].right / classes[k].n;
        of += 1;
      }
  return ended (sum / of, shared->class_items, NULL);
}

/* A mean of shares, each of which has 2 / K right and as many wrong items more (Price & Bonett,
 * Computational Statistics & Data Analysis 45, 2004). */
static gboolean
mean_of_shares (const SlMetric *metric, const SlScoredItems *items,
                const SlMetricSettings *settings, SlShared *shared, double level, double *lower,
                double *upper)
{
  const SlClassSums *classes = classes_of (items, NULL, shared);
  double of = 0, mean = 0, variance = 0;
  for (gint32 k = 0; k < items->n_classes; k++)
    of += classes[k].n > 0;
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      {
        double n = classes[k].n + 4 / of, share = (classes[k].right + 2 / of) / n;
        mean += share / of;
        variance += share * (1 - share) / n / (of * of);
      }
  double half = sl_t_quantile (0.5 + level / 2, 0) * sqrt (variance);
  *lower = mean - half;
  *upper = mean + half;
  return of > 0;
}

const SlFormula sl_formula_mean_of_shares = { "Price and Bonett over items", mean_of_shares };

/* As scikit-learn: over the classes that some item has or is said to have. */
SL_METRIC_FUNCTION (sl_metric_macro_f1)
{
  double sum = 0, of = 0;
  const SlClassSums *classes = classes_of (items, weight, shared);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n + classes[k].named > 0)
      {
        sum += 2 * classes[k].right / (classes[k].n + classes[k].named);
        of += 1;
      }
  return ended (sum / of, shared->class_items, NULL);
}

SL_METRIC_FUNCTION (sl_metric_worst_class_accuracy)
{
  double least = INFINITY;
  const SlClassSums *classes = classes_of (items, weight, shared);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      least = MIN (least, classes[k].right / classes[k].n);
  return ended (least, shared->class_items, NULL);
}

SL_METRIC_FUNCTION (sl_metric_worst_class_cross_entropy)
{
  double most = 0;
  const SlClassSums *classes = classes_of (items, weight, shared);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      most = MAX (most, classes[k].loss / classes[k].n);
  return ended (most, shared->class_items,
                "infinite: a gold class has probability 0; --clip 1e-12 gives a figure");
}
