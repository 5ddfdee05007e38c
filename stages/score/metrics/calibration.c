/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far confidence is from accuracy: in bins of as many items each (Hendrycks et al., 2022), or
 * of equal width (Guo et al., ICML 2017). Confidence is max p; an item is right where p is largest
 * at its class. */
#include "intervals.h"

#include <math.h>

typedef struct
{
  double n, confidence, right;
} Bin;

static void
end_bin (SlGaps *gaps, const Bin *bin)
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

/* Bins of bin_size items, from the least sure on; the last takes what remains. */
typedef struct
{
  double size;
  gint64 after; /* bins to come after this one */
  Bin bin;
  SlGaps gaps;
} Filling;

/* COUNT items alike go into bins, of which the share RIGHT is right: in as many as they reach. */
static void
fill (Filling *filling, double count, double confidence, double right)
{
  Bin *bin = &filling->bin;
  while (count > 0)
    {
      double here = filling->after > 0 ? MIN (count, filling->size - bin->n) : count;
      bin->n += here;
      bin->confidence += here * confidence;
      bin->right += here * right;
      count -= here;
      if (filling->after == 0 || bin->n < filling->size)
        continue;
      end_bin (&filling->gaps, bin);
      *bin = (Bin){ 0 };
      filling->after--;
    }
}

/* Of items as sure as each other any order is as likely: where an edge of bins is among them, both
 * sides have the same share of right ones. So the order of rows does not matter. */
static SlGaps
adaptive (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  Filling filling = { .size = (double) settings->bin_size };
  filling.gaps.items = count (items, weight);
  filling.after = MAX ((gint64) (filling.gaps.items / filling.size), 1) - 1;
  for (gint64 j = 0; j < items->n;)
    {
      double level = confidence[items->order[j]], alike = 0, good = 0;
      for (; j < items->n && confidence[items->order[j]] == level; j++)
        {
          gint32 i = items->order[j];
          double w = weight_of (right, weight, i);
          alike += w;
          good += w > 0 ? w * right[i] : 0;
        }
      fill (&filling, alike, level, good / alike);
    }
  if (!settings->skip_last_bin)
    end_bin (&filling.gaps, &filling.bin);
  return filling.gaps;
}

static SlGaps
fixed (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  SlGaps gaps = { .items = count (items, weight) };
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

static const SlGaps *
adaptive_of (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings,
             SlShared *shared)
{
  if (!shared->has_adaptive)
    shared->adaptive = adaptive (items, weight, settings);
  shared->has_adaptive = TRUE;
  return &shared->adaptive;
}

static const SlGaps *
fixed_of (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings,
          SlShared *shared)
{
  if (!shared->has_fixed)
    shared->fixed = fixed (items, weight, settings);
  shared->has_fixed = TRUE;
  return &shared->fixed;
}

static SlMetricValue
value_of (const SlGaps *gaps, double value)
{
  if (!(gaps->items > 0))
    return (SlMetricValue){ NAN, 0, "no item has a class to be right about" };
  if (!(gaps->bins > 0))
    return (SlMetricValue){ 0, gaps->items,
                            "no interval: there is one bin, and --skip-last-bin leaves none" };
  return (SlMetricValue){ value, gaps->items, NULL };
}

#define GAPS_METRIC(name, bins, function)                                                          \
  SL_METRIC_FUNCTION (name)                                                                        \
  {                                                                                                \
    const SlGaps *gaps = bins (items, weight, settings, shared);                                   \
    return value_of (gaps, function);                                                              \
  }

GAPS_METRIC (sl_metric_adaptive_rms, adaptive_of, sqrt (gaps->squares / gaps->items))
GAPS_METRIC (sl_metric_adaptive_l1, adaptive_of, gaps->l1 / gaps->items)
GAPS_METRIC (sl_metric_adaptive_max, adaptive_of, gaps->most)
GAPS_METRIC (sl_metric_ece, fixed_of, gaps->l1 / gaps->items)
GAPS_METRIC (sl_metric_ece_rms, fixed_of, sqrt (gaps->squares / gaps->items))
GAPS_METRIC (sl_metric_mce, fixed_of, gaps->most)
GAPS_METRIC (sl_metric_ace, fixed_of, gaps->gaps / gaps->bins)

/* ---- without what chance adds ---- */

/* In bins of equal width, of d = confidence - right: the mean of a bin is off by a variance of
 * s² / n_b, which its square has too much of. What is left is the debiased estimate of Kumar, Liang
 * & Ma (NeurIPS 2019); its own variance has a part of the gaps that there are, and one that is
 * there without any. */
typedef struct
{
  double items, squares; /* N; Σ n_b / N (gap² - s² / n_b) */
  double variance;       /* of SQUARES */
} Debiased;

typedef struct
{
  double n, sum, squares; /* of d */
  double alone;           /* Σ c (1 - c): what the variance is where a bin is calibrated */
} GapBin;

static Debiased
debias (const SlScoredItems *items, const double *weight, const SlMetricSettings *settings)
{
  const double *confidence = items->column[SL_FIGURE_CONFIDENCE];
  const double *right = items->column[SL_FIGURE_CORRECT];
  g_autofree GapBin *bins = g_new0 (GapBin, (gsize) settings->bins + 1);
  Debiased all = { .items = count (items, weight) };
  double of_gaps = 0, of_chance = 0, fourth = 0;
  for (gint64 i = 0; i < items->n; i++)
    {
      double w = weight_of (right, weight, i), gap = confidence[i] - right[i];
      if (!(w > 0))
        continue;
      gint32 b = sl_bin_of (confidence[i], settings->bins, settings->edge == SL_EDGE_RIGHT,
                            settings->own_bin_of_one);
      bins[b].n += w;
      bins[b].sum += w * gap;
      bins[b].squares += w * gap * gap;
      bins[b].alone += w * confidence[i] * (1 - confidence[i]);
    }
  for (gint32 b = 0; b <= settings->bins; b++)
    {
      double n = bins[b].n;
      if (!(n > 0))
        continue;
      /* One item does not say how far it is off: as far as its confidence says. */
      double s2 = n > 1 ? MAX (bins[b].squares - bins[b].sum * bins[b].sum / n, 0) / (n - 1)
                        : bins[b].alone;
      double gap2 = bins[b].sum * bins[b].sum / n / n - s2 / n, share = n / all.items;
      all.squares += share * gap2;
      of_gaps += share * share * 4 * gap2 * s2 / n;
      of_chance += share * share * 2 * s2 * s2 / n / n;
      fourth += share * gap2 * gap2;
    }
  /* Which bins items fall into, too, is chance. */
  all.variance = MAX (of_gaps, 0) + of_chance
                 + MAX (fourth - all.squares * all.squares, 0) / MAX (all.items, 1);
  return all;
}

SL_METRIC_FUNCTION (sl_metric_ece_rms_debiased)
{
  const Debiased all = debias (items, weight, settings);
  if (!(all.items > 0))
    return (SlMetricValue){ NAN, 0, "no item has a class to be right about" };
  return (SlMetricValue){ sqrt (MAX (all.squares, 0)), all.items, NULL };
}

static gboolean
debiased (const SlMetric *metric, const SlScoredItems *items, const SlMetricSettings *settings,
          SlShared *shared, double level, double *lower, double *upper)
{
  const Debiased all = debias (items, NULL, settings);
  double half = sl_t_quantile (0.5 + level / 2, 0) * sqrt (all.variance);
  *lower = sqrt (MAX (all.squares - half, 0));
  *upper = sqrt (MAX (all.squares + half, 0));
  return all.items > 1;
}

const SlFormula sl_formula_debiased = { "normal over items", debiased };
