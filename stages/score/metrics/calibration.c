/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far confidence is from accuracy: in bins of as many items each (Hendrycks et al., 2022), or
 * of equal width (Guo et al., ICML 2017). Confidence is max p; an item is right where p is largest
 * at its class. */
#include "metrics.h"

#include <math.h>

typedef struct
{
  double n, confidence, right;
} Bin;

typedef struct
{
  double items; /* in all */
  double l1, squares, most;
  double gaps, bins; /* sum over the bins that are not empty, and how many those are */
} Gaps;

static void
end_bin (Gaps *gaps, const Bin *bin)
{
  if (!(bin->n > 0))
    return;
  double gap = fabs (bin->confidence - bin->right) / bin->n;
  gaps->l1 += bin->n * gap;
  gaps->squares += bin->n * gap * gap;
  gaps->most = MAX (gaps->most, gap);
  gaps->gaps += gap;
  gaps->bins += 1;
}

static double
weight_of (const double *right, const double *weight, gint64 i)
{
  return isnan (right[i]) ? 0 : weight != NULL ? weight[i] : 1;
}

static double
count (const SlScoredItems *items, const double *weight)
{
  double n = 0;
  for (gint64 i = 0; i < items->n; i++)
    n += weight_of (items->column[SL_FIGURE_CORRECT], weight, i);
  return n;
}

/* Bins of bin_size items, from the least sure on; the last takes what remains. An item that counts
 * several times may be in two. */
static Gaps
adaptive (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  Gaps gaps = { .items = count (items, weight) };
  gint64 n_bins = MAX ((gint64) (gaps.items / (double) settings->bin_size), 1), at = 0;
  Bin bin = { 0 };
  for (gint64 j = 0; j < items->n; j++)
    {
      gint32 i = items->order[j];
      double left = weight_of (right, weight, i);
      while (left > 0)
        {
          double room = (double) settings->bin_size - bin.n;
          double here = at + 1 < n_bins ? MIN (left, room) : left;
          bin.n += here;
          bin.confidence += here * confidence[i];
          bin.right += here * right[i];
          left -= here;
          if (at + 1 < n_bins && bin.n >= (double) settings->bin_size)
            {
              end_bin (&gaps, &bin);
              bin = (Bin){ 0 };
              at++;
            }
        }
    }
  if (!settings->skip_last_bin)
    end_bin (&gaps, &bin);
  return gaps;
}

static Gaps
fixed (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  Gaps gaps = { .items = count (items, weight) };
  g_autofree Bin *bins = g_new0 (Bin, (gsize) settings->bins + 1);
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = weight_of (right, weight, i);
      if (!(w > 0))
        continue;
      Bin *bin = &bins[sl_bin_of (confidence[i], settings->bins, settings->edge == SL_EDGE_RIGHT,
                                  settings->own_bin_of_one)];
      bin->n += w;
      bin->confidence += w * confidence[i];
      bin->right += w * right[i];
    }
  for (gint32 b = 0; b <= settings->bins; b++)
    end_bin (&gaps, &bins[b]);
  return gaps;
}

static SlMetricValue
value_of (const Gaps *gaps, double value)
{
  if (!(gaps->items > 0))
    return (SlMetricValue){ NAN, 0, "no item has a class to be right about" };
  return (SlMetricValue){ value, gaps->items, NULL };
}

SL_METRIC_FUNCTION (sl_metric_adaptive_rms)
{
  Gaps gaps = adaptive (items, weight, settings);
  return value_of (&gaps, sqrt (gaps.squares / gaps.items));
}

SL_METRIC_FUNCTION (sl_metric_adaptive_l1)
{
  Gaps gaps = adaptive (items, weight, settings);
  return value_of (&gaps, gaps.l1 / gaps.items);
}

SL_METRIC_FUNCTION (sl_metric_adaptive_max)
{
  Gaps gaps = adaptive (items, weight, settings);
  return value_of (&gaps, gaps.most);
}

SL_METRIC_FUNCTION (sl_metric_ece)
{
  Gaps gaps = fixed (items, weight, settings);
  return value_of (&gaps, gaps.l1 / gaps.items);
}

SL_METRIC_FUNCTION (sl_metric_ece_rms)
{
  Gaps gaps = fixed (items, weight, settings);
  return value_of (&gaps, sqrt (gaps.squares / gaps.items));
}

SL_METRIC_FUNCTION (sl_metric_mce)
{
  Gaps gaps = fixed (items, weight, settings);
  return value_of (&gaps, gaps.most);
}

SL_METRIC_FUNCTION (sl_metric_ace)
{
  Gaps gaps = fixed (items, weight, settings);
  return value_of (&gaps, gaps.gaps / gaps.bins);
}
