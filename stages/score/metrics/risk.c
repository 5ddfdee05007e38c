/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wrong the surest are: risk at every coverage (El-Yaniv & Wiener, JMLR 2010), and confidence
 * of right and wrong answers. */
#include "metrics.h"

#include <math.h>

/* The mean over j = 1 … N of the share of wrong items among the j surest. Of items as sure as each
 * other, any order is as likely: each adds the mean of their errors. */
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
