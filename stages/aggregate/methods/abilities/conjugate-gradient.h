/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least of a smooth function of many variables. */
#pragma once

#include <glib.h>

/* The value at x[n], and the gradient[n] there. */
typedef double (*SlGradient) (const double *x, double *gradient, gpointer data);

/* Moves x[n] towards a minimum of F by the nonlinear conjugate gradients of Polak and Ribière
 * (with negative β cut off: Gilbert & Nocedal, SIAM J. Optimization 2, 1992), until no entry of
 * the gradient is beyond TOLERANCE, at most ROUNDS line searches. Returns F there, never more
 * than at first. */
double sl_conjugate_gradient (double *x, gsize n, SlGradient f, gpointer data, double tolerance,
                              gint64 rounds);

/* ---- the line search ---- */

/* A step, with φ and φ' there. */
typedef struct
{
  double at, value, slope;
} SlStep;

typedef enum
{
  SL_LINE_SEARCH_GO_ON,
  SL_LINE_SEARCH_FOUND,
  SL_LINE_SEARCH_STUCK, /* the conditions cannot be told from rounding any more */
} SlLineSearchState;

typedef struct
{
  SlStep start;
  SlStep best, other; /* the ends of the interval that holds the step; best has the lower value */
  double least, most; /* the next step is between */
  double width[2];    /* of the interval, now and before */
  gboolean bracketed, second_stage;
} SlLineSearch;

/* START is at 0, with a negative slope; FIRST the step to try first. */
void sl_line_search_init (SlLineSearch *search, SlStep start, double first);

/* Takes what was found at the step tried; unless that ends the search, *NEXT is the step to try. */
SlLineSearchState sl_line_search_take (SlLineSearch *search, SlStep tried, double *next);
