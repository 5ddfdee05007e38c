/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several rows of one item, as the shared task of 2025 scores them (LeWiDi at NLPerspectives): each
 * item's mean over its annotators' answers, or its questions, then the mean over items. */
#include "metrics.h"

#include <math.h>

static double
round_5 (double x)
{
  return rint (x * 1e5) / 1e5;
}

/* The mean over items of the mean of their rows; with ROUNDED, each item's rounded to 5 decimals.
 * OF_ROW[n]: NaN where a row does not count. */
static SlMetricValue
mean_over_items (const SlScoredItems *items, const double *weight, const double *of_row,
                 gboolean rounded, const char *none)
{
  const double *item = items->column[SL_FIGURE_ITEM];
  gsize most = 0;
  for (gint64 i = 0; i < items->n; i++)
    most = MAX (most, (gsize) item[i] + 1);
  g_autofree double *sum = g_new0 (double, most + 1), *count = g_new0 (double, most + 1);
  g_autofree double *drawn = g_new0 (double, most + 1); /* of all rows of an item together */
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = isnan (of_row[i]) ? 0 : weight != NULL ? weight[i] : 1;
      if (!(w > 0))
        continue;
      sum[(gsize) item[i]] += w * of_row[i];
      count[(gsize) item[i]] += w;
      drawn[(gsize) item[i]] = w;
    }
  double whole = 0, n = 0;
  for (gsize i = 0; i < most; i++)
    if (count[i] > 0)
      {
        double mean = sum[i] / count[i];
        whole += drawn[i] * (rounded ? round_5 (mean) : mean);
        n += drawn[i];
      }
  if (!(n > 0))
    return (SlMetricValue){ NAN, 0, none };
  return (SlMetricValue){ whole / n, n, NULL };
}

/* How far each row's answer is from the predicted one, classes being the numbers VALUE; with NULL,
 * whether it is another. */
static SlMetricValue
mean_of_answers (const SlScoredItems *items, const double *weight, const double *value,
                 gboolean rounded)
{
  const double *class = items->column[SL_FIGURE_CLASS], *answer = items->column[SL_FIGURE_ANSWER];
  g_autofree double *far = g_new (double, MAX (items->n, 1));
  for (gint64 i = 0; i < items->n; i++)
    far[i] = isnan (class[i]) ? NAN
             : value == NULL  ? class[i] != answer[i]
                              : fabs (value[(gint32) class[i]] - value[(gint32) answer[i]]);
  return mean_over_items (items, weight, far, rounded, "no annotator's answer is known");
}

SL_METRIC_FUNCTION (sl_metric_rounded_by_item)
{
  SlMetricValue value = mean_over_items (items, weight, items->column[metric->figure], TRUE,
                                         "no item has this figure");
  value.value = round_5 (value.value);
  return value;
}

SL_METRIC_FUNCTION (sl_metric_exact_match)
{
  const double *right = items->column[SL_FIGURE_CORRECT], *item = items->column[SL_FIGURE_ITEM];
  g_autoptr (GHashTable) wrong = g_hash_table_new (NULL, NULL);
  g_autofree double *all = g_memdup2 (right, (gsize) MAX (items->n, 1) * sizeof *right);
  for (gint64 i = 0; i < items->n; i++)
    if (right[i] == 0)
      g_hash_table_add (wrong, GINT_TO_POINTER ((gint) item[i] + 1));
  for (gint64 i = 0; i < items->n; i++)
    if (right[i] == 1 && g_hash_table_contains (wrong, GINT_TO_POINTER ((gint) item[i] + 1)))
      all[i] = 0;
  return mean_over_items (items, weight, all, FALSE, "no item has a class");
}

SL_METRIC_FUNCTION (sl_metric_error_rate)
{
  SlMetricValue value = mean_of_answers (items, weight, NULL, TRUE);
  value.value = round_5 (value.value);
  return value;
}

SL_METRIC_FUNCTION (sl_metric_absolute_distance)
{
  if (settings->class_value == NULL)
    return (SlMetricValue){ NAN, 0, "the classes are no numbers" };
  SlMetricValue value = mean_of_answers (items, weight, settings->class_value, FALSE);
  value.value /= settings->scale;
  return value;
}
