/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the single classes, taken together so that each counts the same, or the worst alone.
 * Classes that no item has are left out. */
#include "metrics.h"

#include <math.h>

typedef struct
{
  double n, right, named,
      loss; /* items of the class, right ones, named so; the sum of their cross-entropies */
} Class;

static Class *
sum_classes (const SlScoredItems *items, const double *weight, double *n)
{
  Class *classes = g_new0 (Class, MAX (items->n_classes, 1));
  const double *gold = items->column[SL_FIGURE_CLASS], *answer = items->column[SL_FIGURE_ANSWER];
  const double *loss = items->column[SL_FIGURE_LOG_LOSS];
  *n = 0;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = isnan (gold[i]) ? 0 : weight != NULL ? weight[i] : 1;
      if (!(w > 0))
        continue;
      Class *class = &classes[(gint32) gold[i]];
      *n += w;
      class->n += w;
      if (answer != NULL)
        {
          class->right += w * (gold[i] == answer[i]);
          classes[(gint32) answer[i]].named += w;
        }
      class->loss += loss != NULL ? w * loss[i] : 0;
    }
  return classes;
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
  double n, sum = 0, of = 0;
  g_autofree Class *classes = sum_classes (items, weight, &n);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      {
        sum += classes[k].right / classes[k].n;
        of += 1;
      }
  return ended (sum / of, n, NULL);
}

/* As scikit-learn: over the classes that some item has or is said to have. */
SL_METRIC_FUNCTION (sl_metric_macro_f1)
{
  double n, sum = 0, of = 0;
  g_autofree Class *classes = sum_classes (items, weight, &n);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n + classes[k].named > 0)
      {
        sum += 2 * classes[k].right / (classes[k].n + classes[k].named);
        of += 1;
      }
  return ended (sum / of, n, NULL);
}

SL_METRIC_FUNCTION (sl_metric_worst_class_accuracy)
{
  double n, least = INFINITY;
  g_autofree Class *classes = sum_classes (items, weight, &n);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      least = MIN (least, classes[k].right / classes[k].n);
  return ended (least, n, NULL);
}

SL_METRIC_FUNCTION (sl_metric_worst_class_cross_entropy)
{
  double n, most = 0;
  g_autofree Class *classes = sum_classes (items, weight, &n);
  for (gint32 k = 0; k < items->n_classes; k++)
    if (classes[k].n > 0)
      most = MAX (most, classes[k].loss / classes[k].n);
  return ended (most, n, "infinite: a gold class has probability 0; --clip 1e-12 gives a figure");
}
