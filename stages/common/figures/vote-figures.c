/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vote-figures.h"

#include "pipeline/base/vector-math.h"

#include <math.h>

/* ---- reliability ---- */

/* How often what is said with some confidence is right, by equal parts of [0, 1] (Guo et al. 2017,
 * §2): part b of n has the confidences b/n <= c < (b+1)/n, the last one 1 as well. */

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

/* ---- figures of votes ---- */

void
sl_share_interval (gint64 right, gint64 n, double *lower, double *upper)
{
  const double z = 1.959963984540054, all = (double) n, p = (double) right / all;
  double centre = p + z * z / (2 * all);
  double room = z * sqrt (p * (1 - p) / all + z * z / (4 * all * all));
  *lower = MAX ((centre - room) / (1 + z * z / all), 0);
  *upper = MIN ((centre + room) / (1 + z * z / all), 1);
}

static double
total (const double *values, gint32 n)
{
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    sum += values[k];
  return sum;
}

double
sl_votes_agreement (const double *votes, gint32 n_classes)
{
  double n = total (votes, n_classes), same = 0;
  for (gint32 k = 0; k < n_classes; k++)
    same += votes[k] * (votes[k] - 1);
  return n > 1 ? same / (n * (n - 1)) : (double) NAN;
}

double
sl_votes_consistency (const double *votes, gint32 n_classes)
{
  double n = total (votes, n_classes), most = 0;
  for (gint32 k = 0; k < n_classes; k++)
    most = MAX (most, votes[k]);
  return n > 0 ? most / n : 1;
}

double
sl_shares_entropy (const double *values, gint32 n_classes)
{
  double sum = total (values, n_classes), entropy = 0;
  for (gint32 k = 0; k < n_classes; k++)
    if (values[k] > 0)
      entropy -= values[k] / sum * sl_scalar_log (values[k] / sum);
  return MAX (entropy, 0);
}

double
sl_label_gain (const double *label, const double *crowd, gint32 n_classes, double *room)
{
  double gain = sl_shares_entropy (label, n_classes);
  for (gint32 l = 0; l < n_classes; l++)
    {
      for (gint32 k = 0; k < n_classes; k++)
        room[k] = label[k] * crowd[(gsize) k * (gsize) n_classes + (gsize) l];
      gain -= total (room, n_classes) * sl_shares_entropy (room, n_classes);
    }
  return MAX (gain, 0);
}

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
