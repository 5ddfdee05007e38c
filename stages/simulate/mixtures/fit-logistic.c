/* SPDX-License-Identifier: GPL-3.0-or-later */
/* τ(x) = 1 / (1 + exp (-k (x - x0))), Collins, MPhil thesis, Cambridge 2022, appendix C, by
 * Levenberg and Marquardt's method from k = 5, x0 = 1/2. */
#include "fit-logistic.h"

#include "stages/common/mixtures/mixing.h"
#include "stages/simulate/simulator/precision.h"

#include <math.h>

#define TOLERANCE 1e-10

enum
{
  MOST_ROUNDS = 200,
};

typedef struct
{
  const double *x, *y;
  gsize n;
} Points;

/* Of f (k, x0) = Σ (τ (x) - y)² / 2 its value, its gradient, and Jᵀ J, J being the derivatives of
 * the τ (x): dτ/dk = τ (1 - τ) (x - x0), dτ/dx0 = -τ (1 - τ) k. */
typedef struct
{
  double value, by_k, by_x0, kk, kx, xx;
} Squares;

static Squares
squares_at (const Points *points, double k, double x0)
{
  Squares sum = { 0 };
  for (gsize i = 0; i < points->n; i++)
    {
      double tau = sl_mix_logistic (k, x0, points->x[i]), slope = tau * (1 - tau);
      double off = tau - points->y[i], by_k = slope * (points->x[i] - x0), by_x0 = -slope * k;
      sum.value += off * off / 2;
      sum.by_k += off * by_k;
      sum.by_x0 += off * by_x0;
      sum.kk += by_k * by_k;
      sum.kx += by_k * by_x0;
      sum.xx += by_x0 * by_x0;
    }
  return sum;
}

/* 1 - .1 and .9 are the same share. */
static gboolean
has_three (const double *x, gsize n)
{
  int different = 1;
  for (gsize i = 1; i < n; i++)
    different += x[i] - x[i - 1] > 1e-9;
  return n > 0 && different >= 3;
}

/* Whether the gradient is as good as 0. */
static gboolean
is_flat (const Squares *at, double k, double x0)
{
  return fmax (fabs (at->by_k) * fmax (fabs (k), 1), fabs (at->by_x0) * fmax (fabs (x0), 1))
         <= TOLERANCE * fmax (at->value, 1);
}

/* Steps of (Jᵀ J + μ diag (Jᵀ J)) step = -gradient; μ falls when a step leads downhill and rises
 * when it does not. A place from which no step leads downhill is the lowest. */
static gboolean
solve (const Points *points, SlLogistic *fit)
{
  double k = 5, x0 = .5, mu = 1e-3;
  Squares at = squares_at (points, k, x0);
  gboolean done = is_flat (&at, k, x0);
  for (int round = 0; round < MOST_ROUNDS && !done; round++)
    {
      double kk = at.kk * (1 + mu), xx = at.xx * (1 + mu), determinant = kk * xx - at.kx * at.kx;
      double step_k = (at.kx * at.by_x0 - xx * at.by_k) / determinant;
      double step_x0 = (at.kx * at.by_k - kk * at.by_x0) / determinant;
      Squares next = squares_at (points, k + step_k, x0 + step_x0);
      gboolean downhill = next.value < at.value;
      done = fabs (step_k) <= TOLERANCE * (fabs (k) + TOLERANCE)
             && fabs (step_x0) <= TOLERANCE * (fabs (x0) + TOLERANCE);
      mu = downhill ? fmax (mu / 10, 1e-15) : mu * 10;
      if (!downhill)
        continue;
      k += step_k;
      x0 += step_x0;
      at = next;
      done = done || is_flat (&at, k, x0);
    }
  fit->k = sl_fitted (k);
  fit->x0 = sl_fitted (x0);
  return done && isfinite (fit->k) && isfinite (fit->x0);
}

SlLogistic
sl_logistic_fit (const double *x, const double *y, gsize n)
{
  Points points = { x, y, n };
  SlLogistic fit = { 0 };
  fit.identity = !has_three (x, n) || !solve (&points, &fit);
  for (gsize i = 0; i < n; i++)
    {
      double seen = fit.identity ? x[i] : sl_mix_logistic (fit.k, fit.x0, x[i]);
      fit.sse += (seen - y[i]) * (seen - y[i]);
    }
  return fit;
}
