/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soft-fit.h"

#include "pipeline/base/real-math.h"

#include <math.h>
#include <string.h>

static const double spread = 0.5, discount = 10, strength_variance = 0.09, usual_answers = 20;
/* Added to what is counted of a class: to each cell, and answers that confuse all classes alike. */
static const double few = 0.01, alike = 10;

/* The means over all classes k of TABLE[x][stride] / TOTAL where x is k, and where it is not;
 * TOTAL 0: of its shares. */
static void
means_of (const SlSoftFit *fit, const double *table, double total, double means[2])
{
  double sum[2] = { 0 };
  for (gsize x = 0; x < fit->k; x++)
    for (gsize k = 0; k < fit->k; k++)
      sum[x != k] += table[x * fit->stride + k];
  total = total > 0 ? total : sum[0] + sum[1];
  means[0] = total > 0 ? sum[0] / total : 1;
  means[1] = total > 0 && fit->k > 1 ? sum[1] / (total * (double) (fit->k - 1)) : 0;
}

/* log_shared, of class K, whose masses sum to GIVEN and first choices to FIRSTS. */
static void
set_shared (SlSoftFit *fit, const SlSoftSums *sums, gsize k, double given, double firsts,
            const double means[2])
{
  gsize stride = fit->stride, size = fit->k * stride;
  for (gsize x = 0; x < fit->k; x++)
    for (int s = 0; s < SL_SOFT_SHARES; s++)
      {
        gsize cell = x * stride + k;
        double z = sl_soft_shares[s];
        double share = (1 - z) * sums->given[cell] / given + z * sums->first[cell] / firsts;
        fit->log_shared[(gsize) s * size + cell]
            = sl_log ((share * sums->total[k] + few + alike * means[x != k])
                      / (sums->total[k] + (double) fit->k * few + alike));
      }
}

/* open and shut of class K. */
static void
set_verdicts (SlSoftFit *fit, const SlSoftSums *sums, gsize k, const double means[2])
{
  fit->shut[k] = 0;
  for (gsize x = 0; x < fit->k; x++)
    {
      gsize cell = x * fit->stride + k;
      double open
          = (sums->possible[cell] + 0.5 + alike * means[x != k]) / (sums->total[k] + 1 + alike);
      double log_shut = sl_log (MAX (1 - open, 1e-12));
      fit->open[cell] = fit->verdicts * (sl_log (open) - log_shut);
      fit->shut[k] += fit->verdicts * log_shut;
    }
}

/* crowd[x][k], open, shut, phi, prior from what was counted. */
void
sl_soft_set_crowd (SlSoftFit *fit, const SlSoftSums *sums)
{
  const double some = 0.05;
  gsize stride = fit->stride;
  double n_items = 0, total = 0, said[2], possible[2];
  for (gsize k = 0; k < fit->k; k++)
    {
      n_items += sums->prior[k];
      total += sums->total[k];
    }
  means_of (fit, fit->crowd, 0, said);
  means_of (fit, sums->possible, total, possible);
  for (gsize k = 0; k < fit->k; k++)
    {
      double row = 0, firsts = 0, given = 0;
      for (gsize x = 0; x < fit->k; x++)
        {
          row += fit->crowd[x * stride + k] += few + alike * said[x != k];
          firsts += sums->first[x * stride + k] + some;
          given += sums->given[x * stride + k] + some;
        }
      for (gsize x = 0; x < fit->k; x++)
        {
          fit->crowd[x * stride + k] /= row;
          fit->phi[x * stride + k] = (sums->first[x * stride + k] + some) / firsts;
          fit->psi[x * stride + k] = (sums->given[x * stride + k] + some) / given;
        }
      if (fit->worth_next)
        set_shared (fit, sums, k, given, firsts, said);
      set_verdicts (fit, sums, k, possible);
      fit->log_prior[k] = sl_log ((sums->prior[k] + alike / (double) fit->k) / (n_items + alike));
    }
}

/* theta of annotator A, or of all of them. */
SL_VECTORS void
sl_soft_set_theta (int a, gpointer data)
{
  SlSoftFit *fit = data;
  gsize stride = fit->stride, size = fit->k * stride;
  const double *cells = fit->cells + (gsize) a * size;
  double *log_theta = fit->log_theta + (gsize) a * size, *rows = fit->rows + (gsize) a * stride;
  double m = fit->own ? fit->found->shrinkage : 0;
  if (!fit->own)
    {
      sl_log_row (fit->crowd, size, log_theta);
      return;
    }
  memset (rows, 0, stride * sizeof *rows);
  for (gsize x = 0; x < fit->k; x++)
    for (gsize k = 0; k < fit->k; k++)
      rows[k] += cells[x * stride + k];
  for (gsize x = 0; x < fit->k; x++)
    for (gsize k = 0; k < stride; k++)
      log_theta[x * stride + k]
          = (cells[x * stride + k] + m * fit->crowd[x * stride + k]) / (rows[k] + m);
  sl_log_row (log_theta, size, log_theta);
  for (gsize x = 0; x < fit->k; x++)
    memset (log_theta + x * stride + fit->k, 0, (stride - fit->k) * sizeof *log_theta);
}

/* One step of Newton's method for every u_a, and for u. */
void
sl_soft_set_strengths (SlSoftFit *fit, const SlSoftSums *sums)
{
  double slope = 0, bend = 0;
  for (gint32 a = 0; a < fit->by->n_annotators; a++)
    {
      slope += sums->slope[a];
      bend += sums->bend[a];
      double up = sums->slope[a] - (fit->log_strength[a] - fit->centre) / strength_variance;
      double step = up / (sums->bend[a] + 1 / strength_variance);
      fit->log_strength[a] = CLAMP (fit->log_strength[a] + CLAMP (step, -0.5, 0.5), -2, 2);
    }
  if (bend > 0)
    fit->centre = CLAMP (fit->centre + CLAMP (slope / bend, -0.5, 0.5), -2, 2);
  for (gint32 a = 0; a < fit->by->n_annotators; a++)
    {
      fit->strength[a] = fit->found->scale * sl_exp (fit->log_strength[a] - fit->centre);
      fit->own_strength[a] = sl_exp (fit->log_strength[a]);
    }
}

/* Value of the curve Y over sl_soft_correlations[], straight between them. */
static double
interpolate (const double *y, double at)
{
  for (gsize t = 1; t < SL_SOFT_TRIES; t++)
    if (at <= sl_soft_correlations[t])
      return y[t - 1]
             + (y[t] - y[t - 1]) * (at - sl_soft_correlations[t - 1])
                   / (sl_soft_correlations[t] - sl_soft_correlations[t - 1]);
  return y[SL_SOFT_TRIES - 1];
}

/* The correlation and the shrinkage by which answers left out are best predicted. */
void
sl_soft_set_choices (SlSoftFit *fit, const SlSoftSums *sums)
{
  enum
  {
    STEPS = 200
  };
  double best = -INFINITY, low = sl_log (0.02), high = sl_log (1.4);
  double usual = sl_soft_correlation (sl_soft_usual_correlation, fit->found->scale);
  for (int step = 0; step <= STEPS; step++)
    {
      double log_value = low + (high - low) * step / STEPS, value = sl_exp (log_value);
      double off = (log_value - sl_log (usual)) / spread;
      double sum = interpolate (sums->tries, value) / discount - off * off / 2;
      if (sum > best)
        fit->found->correlation = value;
      best = MAX (best, sum);
    }
  int most = 0;
  for (int s = 1; s < SL_SOFT_SHRINKAGES; s++)
    if (sums->shrinkages[s] > sums->shrinkages[most])
      most = s;
  if (fit->own)
    fit->found->shrinkage = 4 << most;
}

/* z and S, likewise: the z there is, unless another predicts better by 2. */
void
sl_soft_set_worths (SlSoftFit *fit, const SlSoftSums *sums)
{
  const double stay = 2;
  double best = -INFINITY, scale = fit->found->scale, share = fit->found->first_share;
  for (int z = 0; z < SL_SOFT_SHARES; z++)
    for (int s = 0; s < SL_SOFT_SCALES; s++)
      {
        double off
            = (sl_soft_shares[z] != share ? stay : 0) + sl_log (sl_soft_scales[s]) / sl_log (2);
        double sum = sums->worths[z * SL_SOFT_SCALES + s] - off;
        if (!(sum > best))
          continue;
        best = sum;
        fit->found->first_share = sl_soft_shares[z];
        fit->found->scale = sl_soft_scales[s];
      }
  scale = fit->found->scale / scale;
  fit->found->correlation = MAX (sl_soft_correlation (fit->found->correlation, scale), 0);
  for (gint32 a = 0; a < fit->by->n_annotators; a++)
    fit->strength[a] *= scale;
}

/* One step of the mixture's weights, upwards (Hunter, Annals of Statistics 32, 2004); a few answers
 * of the usual kind are added. */
void
sl_soft_set_mixture (SlSoftFit *fit, const SlSoftSums *sums)
{
  double all = 0;
  for (int m = 0; m < SL_SOFT_MIXED; m++)
    {
      double share = sums->mixture[m] + usual_answers * sl_soft_usual_mixture[m];
      fit->mixture[m] = share / (sums->mixed[m] + usual_answers);
      all += fit->mixture[m];
    }
  for (int m = 0; m < SL_SOFT_MIXED; m++)
    fit->mixture[m] /= all;
}
