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

/* ---- many draws ----
 *
 * From one Beta distribution, each made of one uniform number: by its quantiles, in
 * pieces (Hörmann & Leydold, "Continuous random variate generation by fast numerical inversion",
 * ACM TOMACS 13, 2003). The share that lies below what is drawn for U differs from U by less than
 * 1e-8, beside the rounding to 2^-20. */

enum
{
  PIECES = 1024,
  GUIDES = 1024,
};

/* The quantile of U from FROM on is x[0] + x[1] d + x[2] d² + x[3] d³, d = U - FROM. */
typedef struct
{
  double from, x[4];
} Piece;

struct _SlBetaDraws
{
  /* One for what lies below the first knot, one from each knot to the next, one for what lies above
   * the last, and one that is never reached. */
  Piece piece[PIECES + 3];
  guint16 first[GUIDES]; /* the piece that the quantile of i / GUIDES is in */
};

typedef struct
{
  double x, below; /* the share below X */
  double slope;    /* of the quantile: 1 / density */
} Knot;

/* Knots are evenly spaced in log (x / (1 - x)), where a Beta's density has one hump and falls off
 * smoothly to both sides, whatever its parameters. */
static double
x_of (double logit)
{
  return 1 / (1 + sl_exp (-logit));
}

/* Where the share below is P, if that is at a number that 2^-21 tells from 0 and 1; else there. */
static double
logit_of (SlBeta beta, double p)
{
  double least = 1 / (1 + 0x1p21), x = CLAMP (sl_beta_quantile (beta, p), least, 1 - least);
  return sl_log (x) - sl_log1p (-x);
}

static double
density (SlBeta beta, double x)
{
  return sl_exp ((beta.alpha - 1) * sl_log (x) + (beta.beta - 1) * sl_log1p (-x)
                 - sl_log_beta (beta.alpha, beta.beta));
}

/* What lies outside of the knots is rounded to 0 or 1, or comes once in 10^13 draws. */
static void
place_knots (SlBeta beta, Knot knot[PIECES + 1])
{
  double least = 1e-13, low = logit_of (beta, least), high = logit_of (beta, 1 - least);
  for (int i = 0; i <= PIECES; i++)
    {
      double x = x_of (low + (high - low) * i / PIECES);
      double below = sl_beta_below (x, beta.alpha, beta.beta);
      knot[i] = (Knot){ x, i > 0 ? fmax (below, knot[i - 1].below) : below, 1 / density (beta, x) };
    }
}

/* Hermite's cubic: through both knots, with their slopes. They are held to three times the mean
 * one, so that the cubic rises all the way (Fritsch & Carlson, SIAM J. Numer. Anal. 17, 1980). */
static Piece
piece_between (const Knot *a, const Knot *b)
{
  double length = b->below - a->below;
  if (!(length > 0))
    return (Piece){ .from = a->below, .x = { a->x } };
  double mean = (b->x - a->x) / length;
  double from = fmin (a->slope, 3 * mean), to = fmin (b->slope, 3 * mean);
  return (Piece){ .from = a->below,
                  .x = { a->x, from, (3 * mean - 2 * from - to) / length,
                         (from + to - 2 * mean) / (length * length) } };
}

SlBetaDraws *
sl_beta_draws_new (SlBeta beta)
{
  SlBetaDraws *draws = g_new (SlBetaDraws, 1);
  Knot knot[PIECES + 1];
  place_knots (beta, knot);
  draws->piece[0] = (Piece){ .from = 0, .x = { knot[0].x } };
  for (int i = 0; i < PIECES; i++)
    draws->piece[i + 1] = piece_between (&knot[i], &knot[i + 1]);
  draws->piece[PIECES + 1] = (Piece){ .from = knot[PIECES].below, .x = { knot[PIECES].x } };
  draws->piece[PIECES + 2] = (Piece){ .from = 2 };
  for (int g = 0, i = 0; g < GUIDES; g++)
    {
      while (draws->piece[i + 1].from <= (double) g / GUIDES)
        i++;
      draws->first[g] = (guint16) i;
    }
  return draws;
}

void
sl_beta_draws_free (SlBetaDraws *draws)
{
  g_free (draws);
}

double
sl_beta_draw (const SlBetaDraws *draws, double u)
{
  const Piece *piece = draws->piece + draws->first[(int) (u * GUIDES)];
  while (piece[1].from <= u)
    piece++;
  double d = u - piece->from;
  double x = piece->x[0] + d * (piece->x[1] + d * (piece->x[2] + d * piece->x[3]));
  return rint (x * 0x1p20) * 0x1p-20;
}
