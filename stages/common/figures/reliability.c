/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reliability.h"

#include <math.h>

void
sl_reliability_add (SlReliability *reliability, double confidence, gboolean right)
{
  int part = (int) CLAMP (confidence * reliability->n, 0, reliability->n - 1);
  reliability->count[part]++;
  reliability->right[part] += right;
  reliability->confidence[part] += confidence;
}

gint64
sl_reliability_all (const SlReliability *reliability)
{
  gint64 all = 0;
  for (int b = 0; b < reliability->n; b++)
    all += reliability->count[b];
  return all;
}

double
sl_reliability_accuracy (const SlReliability *reliability)
{
  gint64 right = 0;
  for (int b = 0; b < reliability->n; b++)
    right += reliability->right[b];
  return (double) right / (double) sl_reliability_all (reliability);
}

double
sl_reliability_confidence (const SlReliability *reliability)
{
  double sum = 0;
  for (int b = 0; b < reliability->n; b++)
    sum += reliability->confidence[b];
  return sum / (double) sl_reliability_all (reliability);
}

double
sl_reliability_error (const SlReliability *reliability)
{
  double sum = 0;
  for (int b = 0; b < reliability->n; b++)
    sum += fabs ((double) reliability->right[b] - reliability->confidence[b]);
  return sum / (double) sl_reliability_all (reliability);
}

void
sl_share_interval (gint64 right, gint64 n, double *lower, double *upper)
{
  const double z = 1.959963984540054, all = (double) n, p = (double) right / all;
  double centre = p + z * z / (2 * all);
  double room = z * sqrt (p * (1 - p) / all + z * z / (4 * all * all));
  *lower = MAX ((centre - room) / (1 + z * z / all), 0);
  *upper = MIN ((centre + room) / (1 + z * z / all), 1);
}
