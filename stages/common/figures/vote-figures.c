/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vote-figures.h"

#include "pipeline/base/vector-math.h"

#include <math.h>

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

SlAlpha
sl_votes_alpha (const double *votes, gint64 n_items, gint32 n_classes)
{
  SlAlpha alpha = { .observed = NAN, .expected = NAN, .alpha = NAN };
  g_autofree double *all = g_new0 (double, MAX (n_classes, 1));
  double same = 0, alike = 0;
  for (gint64 i = 0; i < n_items; i++, votes += n_classes)
    {
      double n = total (votes, n_classes);
      if (n < 2)
        continue;
      alpha.items++;
      alpha.votes += n;
      for (gint32 k = 0; k < n_classes; k++)
        {
          same += votes[k] * (votes[k] - 1) / (n - 1);
          all[k] += votes[k];
        }
    }
  if (alpha.items == 0)
    return alpha;
  for (gint32 k = 0; k < n_classes; k++)
    alike += all[k] * (all[k] - 1);
  alpha.observed = same / alpha.votes;
  alpha.expected = alike / (alpha.votes * (alpha.votes - 1));
  if (alpha.expected < 1)
    alpha.alpha = 1 - (1 - alpha.observed) / (1 - alpha.expected);
  return alpha;
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
