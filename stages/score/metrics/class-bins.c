/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-bins.h"

#include "metrics.h"

#include <math.h>
#include <string.h>

void
sl_class_bins_init (SlClassBins *bins, gint32 n_classes, gint32 n_bins, gboolean right,
                    gboolean own_one)
{
  *bins = (SlClassBins){ n_classes, n_bins, right, own_one, NULL };
  bins->bin = g_new0 (SlClassBin, (gsize) n_classes * ((gsize) n_bins + 1));
}

void
sl_class_bins_clear (SlClassBins *bins)
{
  g_clear_pointer (&bins->bin, g_free);
}

static SlClassBin *
row_of (const SlClassBins *bins, gint32 k)
{
  return bins->bin + (gsize) k * ((gsize) bins->n_bins + 1);
}

/* Items without a gold class have no target: zeros stand there. */
static gboolean
has_target (const double *t, gint32 n_classes)
{
  double sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    sum += t[k];
  return sum > 0;
}

void
sl_class_bins_add (SlClassBins *bins, const double *p, const double *t, double weight)
{
  if (!has_target (t, bins->n_classes))
    return;
  for (gint32 k = 0; k < bins->n_classes; k++)
    {
      SlClassBin *bin
          = row_of (bins, k) + sl_bin_of (p[k], bins->n_bins, bins->right, bins->own_one);
      bin->n += weight;
      bin->prob += weight * p[k];
      bin->target += weight * t[k];
      bin->squares += weight * t[k] * t[k];
    }
}

void
sl_class_bins_add_all (SlClassBins *bins, const double *p, const double *t, const double *weight,
                       gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (weight == NULL || weight[i] > 0)
      sl_class_bins_add (bins, p + i * bins->n_classes, t + i * bins->n_classes,
                         weight != NULL ? weight[i] : 1);
}

void
sl_class_bins_join (SlClassBins *bins, const SlClassBins *more)
{
  for (gsize b = 0; b < (gsize) bins->n_classes * ((gsize) bins->n_bins + 1); b++)
    {
      bins->bin[b].n += more->bin[b].n;
      bins->bin[b].prob += more->bin[b].prob;
      bins->bin[b].target += more->bin[b].target;
      bins->bin[b].squares += more->bin[b].squares;
    }
}

/* Items in all. */
static double
items_of (const SlClassBins *bins)
{
  double n = 0;
  for (gint32 b = 0; b <= bins->n_bins && bins->n_classes > 0; b++)
    n += bins->bin[b].n;
  return n;
}

double
sl_class_bins_ece (const SlClassBins *bins)
{
  double sum = 0, n = items_of (bins);
  for (gint32 k = 0; k < bins->n_classes; k++)
    for (gint32 b = 0; b <= bins->n_bins; b++)
      sum += fabs (row_of (bins, k)[b].prob - row_of (bins, k)[b].target);
  return sum / n / bins->n_classes;
}

double
sl_class_bins_reliability (const SlClassBins *bins)
{
  double sum = 0, n = items_of (bins);
  for (gint32 k = 0; k < bins->n_classes; k++)
    for (gint32 b = 0; b <= bins->n_bins; b++)
      {
        const SlClassBin *bin = &row_of (bins, k)[b];
        double gap = bin->prob - bin->target;
        sum += bin->n > 0 ? gap * gap / bin->n : 0;
      }
  return sum / n;
}

static double
mean_target (const SlClassBins *bins, gint32 k, double n)
{
  double sum = 0;
  for (gint32 b = 0; b <= bins->n_bins; b++)
    sum += row_of (bins, k)[b].target;
  return sum / n;
}

double
sl_class_bins_resolution (const SlClassBins *bins)
{
  double sum = 0, n = items_of (bins);
  for (gint32 k = 0; k < bins->n_classes; k++)
    {
      double mean = mean_target (bins, k, n);
      for (gint32 b = 0; b <= bins->n_bins; b++)
        {
          const SlClassBin *bin = &row_of (bins, k)[b];
          double gap = bin->n > 0 ? bin->target / bin->n - mean : 0;
          sum += bin->n * gap * gap;
        }
    }
  return sum / n;
}

double
sl_class_bins_uncertainty (const SlClassBins *bins)
{
  double sum = 0, n = items_of (bins);
  for (gint32 k = 0; k < bins->n_classes; k++)
    {
      double squares = 0, mean = mean_target (bins, k, n);
      for (gint32 b = 0; b <= bins->n_bins; b++)
        squares += row_of (bins, k)[b].squares;
      sum += squares / n - mean * mean;
    }
  return sum;
}

/* ---- as metrics ---- */

/* Those of all items are added up as they pass; of weighed ones they are made here. */
static const SlClassBins *
bins_of (const SlScoredItems *items, const double *weight, SlShared *shared)
{
  if (weight == NULL)
    return items->bins;
  SlClassBins *bins = &shared->bins;
  if (shared->has_bins)
    return bins;
  if (bins->bin == NULL)
    sl_class_bins_init (bins, items->n_classes, items->bins->n_bins, items->bins->right,
                        items->bins->own_one);
  memset (bins->bin, 0, (gsize) bins->n_classes * ((gsize) bins->n_bins + 1) * sizeof *bins->bin);
  sl_class_bins_add_all (bins, items->prob, items->target, weight, items->n);
  shared->has_bins = TRUE;
  return bins;
}

static SlMetricValue
value_of (double (*function) (const SlClassBins *), const SlClassBins *bins, gint64 n)
{
  double items = items_of (bins);
  if (n == 0)
    return (SlMetricValue){ NAN, 0, "there are no items" };
  if (items == 0)
    return (SlMetricValue){ NAN, 0, "no item has a target" };
  return (SlMetricValue){ function (bins), items, NULL };
}

#define BINS_METRIC(name, function)                                                                \
  SL_METRIC_FUNCTION (name)                                                                        \
  {                                                                                                \
    return value_of (function, bins_of (items, weight, shared), items->n);                         \
  }

BINS_METRIC (sl_metric_class_ece, sl_class_bins_ece)
BINS_METRIC (sl_metric_reliability, sl_class_bins_reliability)
BINS_METRIC (sl_metric_resolution, sl_class_bins_resolution)
BINS_METRIC (sl_metric_uncertainty, sl_class_bins_uncertainty)
