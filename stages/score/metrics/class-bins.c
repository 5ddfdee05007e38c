/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-bins.h"

#include "metrics.h"

#include <math.h>

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

gint32
sl_bin_of (double p, gint32 n, gboolean right, gboolean own_one)
{
  if (own_one && p >= 1)
    return n;
  double bin = right ? ceil (p * n) - 1 : floor (p * n);
  return (gint32) CLAMP (bin, 0, n - 1);
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

double
sl_class_bins_n (const SlClassBins *bins)
{
  double n = 0;
  for (gint32 b = 0; b <= bins->n_bins && bins->n_classes > 0; b++)
    n += bins->bin[b].n;
  return n;
}

double
sl_class_bins_ece (const SlClassBins *bins)
{
  double sum = 0, n = sl_class_bins_n (bins);
  for (gint32 k = 0; k < bins->n_classes; k++)
    for (gint32 b = 0; b <= bins->n_bins; b++)
      sum += fabs (row_of (bins, k)[b].prob - row_of (bins, k)[b].target);
  return sum / n / bins->n_classes;
}

double
sl_class_bins_reliability (const SlClassBins *bins)
{
  double sum = 0, n = sl_class_bins_n (bins);
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
  double sum = 0, n = sl_class_bins_n (bins);
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
  double sum = 0, n = sl_class_bins_n (bins);
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

static SlMetricValue
of_bins (double (*function) (const SlClassBins *), const SlScoredItems *items, const double *weight)
{
  if (items->n == 0)
    return (SlMetricValue){ NAN, 0, "there are no items" };
  if (sl_class_bins_n (items->bins) == 0)
    return (SlMetricValue){ NAN, 0, "no item has a target" };
  if (weight == NULL)
    return (SlMetricValue){ function (items->bins), sl_class_bins_n (items->bins), NULL };
  SlClassBins bins;
  sl_class_bins_init (&bins, items->n_classes, items->bins->n_bins, items->bins->right,
                      items->bins->own_one);
  sl_class_bins_add_all (&bins, items->prob, items->target, weight, items->n);
  SlMetricValue value = { function (&bins), sl_class_bins_n (&bins), NULL };
  sl_class_bins_clear (&bins);
  return value;
}

SL_METRIC_FUNCTION (sl_metric_class_ece) { return of_bins (sl_class_bins_ece, items, weight); }

SL_METRIC_FUNCTION (sl_metric_reliability)
{
  return of_bins (sl_class_bins_reliability, items, weight);
}

SL_METRIC_FUNCTION (sl_metric_resolution)
{
  return of_bins (sl_class_bins_resolution, items, weight);
}

SL_METRIC_FUNCTION (sl_metric_uncertainty)
{
  return of_bins (sl_class_bins_uncertainty, items, weight);
}
