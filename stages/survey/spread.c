/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spread.h"

#include <math.h>

/* Σ_m |y_m - ȳ|² = Σ_m |y_m|² - |Σ_m y_m|² / M, which rounding may make negative. */
static double
scatter_of (const double *sum, double square, double answers, gint32 n_classes)
{
  double mean = 0;
  for (gint32 k = 0; k < n_classes; k++)
    mean += sum[k] * sum[k];
  return MAX (square - mean / answers, 0);
}

gboolean
sl_spread_gain (const double *sum, const double *square, const double *answers, gint64 n_items,
                gint32 n_classes, double *gain)
{
  double scatter = 0, degrees = 0;
  for (gint64 i = 0; i < n_items; i++)
    {
      gain[i] = (double) NAN;
      if (answers[i] < 1)
        continue;
      gain[i] = scatter_of (sum + i * n_classes, square[i], answers[i], n_classes);
      scatter += gain[i];
      degrees += answers[i] - 1;
    }
  for (gint64 i = 0; degrees > 0 && i < n_items; i++)
    gain[i] = (scatter / degrees + gain[i]) / answers[i] / (answers[i] * (answers[i] + 1));
  return degrees > 0;
}
