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

/* Items, right ones, and Σ n_k m_k, Σ n_k² and Σ m_k² of the items n_k of class k and the m_k said
 * to be it. */
typedef struct
{
  double items, right, both, gold, said;
} Margins;

static Margins
margins_of (const SlScoredItems *items, const double *weight, SlShared *shared)
{
  const SlClassSums *classes = classes_of (items, weight, shared);
  Margins margins = { .items = shared->class_items };
  for (gint32 k = 0; k < items->n_classes; k++)
    {
      margins.right += classes[k].right;
      margins.both += classes[k].n * classes[k].named;
      margins.gold += classes[k].n * classes[k].n;
      margins.said += classes[k].named * classes[k].named;
    }
  return margins;
}

SL_METRIC_FUNCTION (sl_metric_kappa)
{
  Margins m = margins_of (items, weight, shared);
  double left = m.items * m.items - m.both;
  if (m.items > 0 && !(left > 0))
    return (SlMetricValue){ NAN, m.items, "all items are, and are said to be, of one class" };
  return ended ((m.right * m.items - m.both) / left, m.items, NULL);
}

/* Gorodkin (Computational Biology and Chemistry 28, 2004). */
SL_METRIC_FUNCTION (sl_metric_mcc)
{
  Margins m = margins_of (items, weight, shared);
  double all = m.items * m.items, gold = all - m.gold, said = all - m.said;
  if (m.items > 0 && !(gold > 0 && said > 0))
    return (SlMetricValue){ NAN, m.items, "all items are, or are said to be, of one class" };
  return ended ((m.right * m.items - m.both) / sqrt (gold * said), m.items, NULL);
}

/* PART of WHOLE items, those of one class. */
static SlMetricValue
of_class (double part, double whole, const char *none)
{
  return whole > 0 ? (SlMetricValue){ part / whole, whole, NULL } : (SlMetricValue){ NAN, 0, none };
}

SL_METRIC_FUNCTION (sl_metric_precision)
{
  const SlClassSums *one = &classes_of (items, weight, shared)[metric->of_class];
  return of_class (one->right, one->named, "no item is said to be of this class");
}

SL_METRIC_FUNCTION (sl_metric_recall)
{
  const SlClassSums *one = &classes_of (items, weight, shared)[metric->of_class];
  return of_class (one->right, one->n, "no item is of this class");
}

SL_METRIC_FUNCTION (sl_metric_f1)
{
  const SlClassSums *one = &classes_of (items, weight, shared)[metric->of_class];
  SlMetricValue value = of_class (2 * one->right, one->n + one->named,
                                  "no item is, or is said to be, of this class");
  value.n = one->n + one->named - one->right; /* items that are either */
  return value;
}
