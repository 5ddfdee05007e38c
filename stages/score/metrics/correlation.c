/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics.h"

#include <math.h>

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
