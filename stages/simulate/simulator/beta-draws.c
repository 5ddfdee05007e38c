/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beta-draws.h"

#include "pipeline/base/real-math.h"

#include <math.h>

/* Many draws from one Beta distribution, each made of one uniform number: by its quantiles, in
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
