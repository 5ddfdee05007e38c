/* SPDX-License-Identifier: GPL-3.0-or-later */
/* τ(x) = 1 / (1 + exp (-k (x - x0))), Collins, MPhil thesis, Cambridge 2022, appendix C, by Levenberg and Marquardt's method from
 * k = 5, x0 = 1/2. */
#include "fit-logistic.h"

#include "stages/common/mixing.h"
#include "precision.h"

#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

enum
{
  MOST_ROUNDS = 200,
};

typedef struct
{
  const double *x, *y;
  gsize n;
} Points;

static int
residuals (const gsl_vector *at, void *data, gsl_vector *out)
{
  const Points *points = data;
  double k = gsl_vector_get (at, 0), x0 = gsl_vector_get (at, 1);
  for (gsize i = 0; i < points->n; i++)
    gsl_vector_set (out, i, sl_mix_logistic (k, x0, points->x[i]) - points->y[i]);
  return GSL_SUCCESS;
}

/* dτ/dk = τ (1 - τ) (x - x0), dτ/dx0 = -τ (1 - τ) k. */
static int
derivatives (const gsl_vector *at, void *data, gsl_matrix *out)
{
  const Points *points = data;
  double k = gsl_vector_get (at, 0), x0 = gsl_vector_get (at, 1);
  for (gsize i = 0; i < points->n; i++)
    {
      double tau = sl_mix_logistic (k, x0, points->x[i]), slope = tau * (1 - tau);
      gsl_matrix_set (out, i, 0, slope * (points->x[i] - x0));
      gsl_matrix_set (out, i, 1, -slope * k);
    }
  return GSL_SUCCESS;
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

static gboolean
solve (Points *points, SlLogistic *fit)
{
  gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters ();
  gsl_multifit_nlinear_workspace *work
      = gsl_multifit_nlinear_alloc (gsl_multifit_nlinear_trust, &how, points->n, 2);
  if (work == NULL)
    return FALSE;
  gsl_multifit_nlinear_fdf fdf
      = { .f = residuals, .df = derivatives, .n = points->n, .p = 2, .params = points };
  double start[] = { 5, .5 };
  gsl_vector_view at = gsl_vector_view_array (start, 2);
  int why = 0, status = gsl_multifit_nlinear_init (&at.vector, &fdf, work);
  if (status == GSL_SUCCESS)
    status = gsl_multifit_nlinear_driver (MOST_ROUNDS, 1e-10, 1e-10, 0, NULL, NULL, &why, work);
  const gsl_vector *found = gsl_multifit_nlinear_position (work);
  fit->k = sl_fitted (gsl_vector_get (found, 0));
  fit->x0 = sl_fitted (gsl_vector_get (found, 1));
  gsl_multifit_nlinear_free (work);
  /* That no step leads anywhere is said only of the start, which then is the best place. */
  if (why == GSL_ENOPROG)
    status = GSL_SUCCESS;
  return status == GSL_SUCCESS && isfinite (fit->k) && isfinite (fit->x0);
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
