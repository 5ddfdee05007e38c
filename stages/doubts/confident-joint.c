/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "confident-joint.h"

#include "pipeline/base/largest.h"

#include <string.h>

#define TOLERANCE 1e-6
#define NEVER 2 /* no probability reaches it */

void
sl_confident_thresholds (const double *t, const double *p, gint64 n, gsize k, double *threshold)
{
  g_autofree double *sum = g_new0 (double, k);
  memset (threshold, 0, k * sizeof *threshold);
  for (gint64 i = 0; i < n; i++, t += k, p += k)
    for (gsize j = 0; j < k; j++)
      {
        threshold[j] += t[j] * p[j];
        sum[j] += t[j];
      }
  for (gsize j = 0; j < k; j++)
    threshold[j] = sum[j] > 0 ? MAX (threshold[j] / sum[j], 2 * TOLERANCE) : NEVER;
}

gint32
sl_confident_class (const double *p, const double *threshold, gsize k)
{
  gint32 class = -1;
  for (gsize j = 0; j < k; j++)
    if (p[j] >= threshold[j] - TOLERANCE)
      {
        if (class >= 0)
          return sl_largest (p, (gint32) k);
        class = (gint32) j;
      }
  return class;
}

void
sl_confident_joint (const double *t, const gint32 *confident, gint64 n, gsize k, double *count)
{
  memset (count, 0, k * k * sizeof *count);
  for (gint64 i = 0; i < n; i++, t += k)
    for (gsize given = 0; confident[i] >= 0 && given < k; given++)
      count[given * k + (gsize) confident[i]] += t[given];
  for (gsize j = 0; j < k; j++)
    count[j * k + j] = MAX (count[j * k + j], 1);
}

void
sl_calibrated_joint (const double *count, const double *sums, gsize k, double *joint)
{
  double all = 0;
  for (gsize given = 0; given < k; given++)
    {
      double row = 0;
      for (gsize j = 0; j < k; j++)
        row += count[given * k + j];
      for (gsize j = 0; j < k; j++)
        joint[given * k + j] = count[given * k + j] / row * sums[given];
      all += sums[given];
    }
  for (gsize c = 0; c < k * k; c++)
    joint[c] /= all;
}

double
sl_self_confidence (const double *t, const double *p, gsize k)
{
  double common = 0;
  for (gsize j = 0; j < k; j++)
    common += MIN (t[j], p[j]);
  return common;
}

double
sl_normalised_margin (const double *t, const double *p, gsize k)
{
  gsize top = (gsize) sl_largest (p, (gint32) k);
  double second = 0, margin = 0;
  for (gsize j = 0; j < k; j++)
    if (j != top)
      second = MAX (second, p[j]);
  for (gsize j = 0; j < k; j++)
    margin += t[j] * (1 + p[j] - (j == top ? second : p[top])) / 2;
  return margin;
}
