/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beta.h"

#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "precision.h"

#include <math.h>

/* The least alpha + beta: nearly all of the mass is then at 0 and at 1. */
#define LEAST 1e-3

/* t = m (1 - m) / v - 1, alpha = m t, beta = (1 - m) t. */
SlBeta
sl_beta_by_moments (double mean, double variance)
{
  double m = CLAMP (mean, 1 / SL_BETA_MOST, 1 - 1 / SL_BETA_MOST);
  double t = variance > 0 ? CLAMP (m * (1 - m) / variance - 1, LEAST, SL_BETA_MOST) : SL_BETA_MOST;
  return (SlBeta){ m * t, (1 - m) * t };
}

/* The log-likelihood of one value, with A and B the means of log x and log (1 - x). */
static double
log_likelihood (SlBeta beta, double a, double b)
{
  return (beta.alpha - 1) * a + (beta.beta - 1) * b - sl_log_beta (beta.alpha, beta.beta);
}

/* One step of Newton's method, halved until it leads uphill; whether it was worth while. The
 * log-likelihood of an exponential family is concave, so this ends at the only maximum. */
static gboolean
climb (SlBeta *beta, double a, double b)
{
  double both = sl_scalar_digamma (beta->alpha + beta->beta);
  double curved = sl_trigamma (beta->alpha + beta->beta);
  double by_alpha = a - sl_scalar_digamma (beta->alpha) + both;
  double by_beta = b - sl_scalar_digamma (beta->beta) + both;
  double aa = curved - sl_trigamma (beta->alpha), bb = curved - sl_trigamma (beta->beta);
  double determinant = aa * bb - curved * curved;
  double step_alpha = (curved * by_beta - bb * by_alpha) / determinant;
  double step_beta = (curved * by_alpha - aa * by_beta) / determinant;
  /* Near the maximum the log-likelihood is flat, and a step within its rounding is a good one. */
  double now = log_likelihood (*beta, a, b), least = now - 1e-13 * (1 + fabs (now));
  for (double part = 1; part > 1e-9; part /= 2)
    {
      SlBeta next = { beta->alpha + part * step_alpha, beta->beta + part * step_beta };
      if (!(next.alpha > 0 && next.beta > 0) || next.alpha + next.beta > SL_BETA_MOST
          || log_likelihood (next, a, b) < least)
        continue;
      double moved = fmax (fabs (next.alpha / beta->alpha - 1), fabs (next.beta / beta->beta - 1));
      *beta = next;
      return moved > 1e-12;
    }
  return FALSE;
}

SlBeta
sl_beta_by_likelihood (const double *x, gint64 n, double clip)
{
  double mean = 0, square = 0, a = 0, b = 0;
  for (gint64 i = 0; i < n; i++)
    {
      double y = CLAMP (x[i], clip, 1 - clip);
      double from_mean = y - mean;
      mean += from_mean / (double) (i + 1);
      square += from_mean * (y - mean);
      a += sl_log (y);
      b += sl_log1p (-y);
    }
  SlBeta beta = sl_beta_by_moments (mean, square / (double) n);
  for (int round = 0; round < 100 && climb (&beta, a / (double) n, b / (double) n); round++)
    ;
  return (SlBeta){ sl_fitted (beta.alpha), sl_fitted (beta.beta) };
}

/* By halving, which always ends, also where nearly all mass lies at one end. */
double
sl_beta_quantile (SlBeta beta, double p)
{
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++)
    {
      double middle = (low + high) / 2;
      if (sl_beta_below (middle, beta.alpha, beta.beta) < p)
        low = middle;
      else
        high = middle;
    }
  return (low + high) / 2;
}

double
sl_beta_distance (SlBeta beta, const double *sorted, gint64 n)
{
  double most = 0;
  for (gint64 i = 0; i < n;)
    {
      gint64 end = i + 1;
      while (end < n && sorted[end] == sorted[i])
        end++;
      double p = sl_beta_below (sorted[i], beta.alpha, beta.beta);
      most = fmax (most, fmax (p - (double) i / (double) n, (double) end / (double) n - p));
      i = end;
    }
  return sl_fitted (most);
}

double
sl_sample_distance (const double *sorted, gint64 n, const double *other, gint64 n_other)
{
  double most = 0;
  for (gint64 i = 0, j = 0; i < n && j < n_other;)
    {
      double at = fmin (sorted[i], other[j]);
      while (i < n && sorted[i] == at)
        i++;
      while (j < n_other && other[j] == at)
        j++;
      most = fmax (most, fabs ((double) i / (double) n - (double) j / (double) n_other));
    }
  return most;
}
