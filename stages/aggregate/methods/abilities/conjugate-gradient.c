/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conjugate-gradient.h"

#include <math.h>
#include <string.h>

/* ---- the line search ---- */

/* The line search of Moré & Thuente, "Line search algorithms with guaranteed sufficient
 * decrease", ACM TOMS 20 (1994): steps until one fulfils the strong Wolfe conditions
 *   φ(s) <= φ(0) + 1e-4 s φ'(0),   |φ'(s)| <= 0.4 |φ'(0)|
 * which are those that nonlinear conjugate gradients ask for. */

static const double decrease = 1e-4, curvature = 0.4, least_step = 1e-100, most_step = 1e100,
                    tight = 1e-14;

void
sl_line_search_init (SlLineSearch *search, SlStep start, double first)
{
  *search = (SlLineSearch){
    .start = start,
    .best = start,
    .other = start,
    .most = 5 * first,
    .width = { most_step - least_step, 2 * (most_step - least_step) },
  };
}

/* The minimiser of the cubic through A and B, values and slopes, as far from A as R (B - A);
 * AWAY: the one of its stationary points for a step beyond B. */
static double
cubic (SlStep a, SlStep b, gboolean floor, double *gamma)
{
  double theta = 3 * (a.value - b.value) / (b.at - a.at) + a.slope + b.slope;
  double s = fmax (fabs (theta), fmax (fabs (a.slope), fabs (b.slope)));
  double square = (theta / s) * (theta / s) - (a.slope / s) * (b.slope / s);
  *gamma = s * sqrt (floor ? fmax (square, 0) : square);
  return theta;
}

/* The paper's four cases for the next step from BEST, OTHER and the step TRIED. */
static double
next_step (SlLineSearch *search, SlStep x, SlStep y, SlStep p)
{
  double gamma, theta, cube, square;
  gboolean opposite = p.slope * (x.slope / fabs (x.slope)) < 0;
  if (p.value > x.value) /* the minimum is between: the cubic's, or half way to the parabola's */
    {
      theta = cubic (x, p, FALSE, &gamma);
      gamma = p.at < x.at ? -gamma : gamma;
      cube = x.at + (gamma - x.slope + theta) / (gamma - x.slope + gamma + p.slope) * (p.at - x.at);
      square = x.at + x.slope / ((x.value - p.value) / (p.at - x.at) + x.slope) / 2 * (p.at - x.at);
      search->bracketed = TRUE;
      return fabs (cube - x.at) < fabs (square - x.at) ? cube : cube + (square - cube) / 2;
    }
  square = p.at + p.slope / (p.slope - x.slope) * (x.at - p.at);
  if (opposite) /* it is between: the farther of the cubic's and the secant's */
    {
      theta = cubic (x, p, FALSE, &gamma);
      gamma = p.at > x.at ? -gamma : gamma;
      cube = p.at + (gamma - p.slope + theta) / (gamma - p.slope + gamma + x.slope) * (x.at - p.at);
      search->bracketed = TRUE;
      return fabs (cube - p.at) > fabs (square - p.at) ? cube : square;
    }
  if (fabs (p.slope) < fabs (x.slope)) /* it lies beyond, and the slope falls off */
    {
      theta = cubic (x, p, TRUE, &gamma);
      gamma = p.at > x.at ? -gamma : gamma;
      double r = (gamma - p.slope + theta) / (gamma + (x.slope - p.slope) + gamma);
      if (r < 0 && gamma != 0)
        cube = p.at + r * (x.at - p.at);
      else
        cube = p.at > x.at ? search->most : search->least;
      if (!search->bracketed)
        return fmin (
            fmax (fabs (cube - p.at) > fabs (square - p.at) ? cube : square, search->least),
            search->most);
      double step = fabs (cube - p.at) < fabs (square - p.at) ? cube : square;
      double bound = p.at + 0.66 * (y.at - p.at);
      return p.at > x.at ? fmin (bound, step) : fmax (bound, step);
    }
  if (!search->bracketed)
    return p.at > x.at ? search->most : search->least;
  theta = cubic (p, y, FALSE, &gamma);
  gamma = p.at > y.at ? -gamma : gamma;
  return p.at + (gamma - p.slope + theta) / (gamma - p.slope + gamma + y.slope) * (y.at - p.at);
}

/* φ less LINE times the step: in the first stage, steps are judged by how far they are below the
 * line of sufficient decrease. */
static SlStep
less (SlStep step, double line)
{
  return (SlStep){ step.at, step.value - line * step.at, step.slope - line };
}

static SlLineSearchState
judge (const SlLineSearch *search, SlStep tried, double line)
{
  double enough = search->start.value + tried.at * line;
  if (tried.value <= enough && fabs (tried.slope) <= -curvature * search->start.slope)
    return SL_LINE_SEARCH_FOUND;
  gboolean at_end = tried.at <= search->least || tried.at >= search->most;
  if (!isfinite (tried.value) || (search->bracketed && at_end)
      || (search->bracketed && search->most - search->least <= tight * search->most)
      || (tried.at >= most_step && tried.value <= enough && tried.slope <= line)
      || (tried.at <= least_step && (tried.value > enough || tried.slope >= line)))
    return SL_LINE_SEARCH_STUCK;
  return SL_LINE_SEARCH_GO_ON;
}

SlLineSearchState
sl_line_search_take (SlLineSearch *search, SlStep tried, double *next)
{
  double line = decrease * search->start.slope;
  double enough = search->start.value + tried.at * line;
  if (tried.value <= enough && tried.slope >= 0)
    search->second_stage = TRUE;
  SlLineSearchState state = judge (search, tried, line);
  if (state != SL_LINE_SEARCH_GO_ON)
    return state;
  if (search->second_stage || tried.value > search->best.value || tried.value <= enough)
    line = 0;
  SlStep x = less (search->best, line), y = less (search->other, line), p = less (tried, line);
  double step = next_step (search, x, y, p);
  if (p.value > x.value)
    search->other = tried;
  else
    {
      if (p.slope * (x.slope / fabs (x.slope)) < 0)
        search->other = search->best;
      search->best = tried;
    }
  if (search->bracketed)
    {
      double width = fabs (search->other.at - search->best.at);
      if (width >= 0.66 * search->width[1])
        step = search->best.at + (search->other.at - search->best.at) / 2;
      search->width[1] = search->width[0];
      search->width[0] = width;
      search->least = fmin (search->best.at, search->other.at);
      search->most = fmax (search->best.at, search->other.at);
    }
  else
    {
      search->least = step + 1.1 * (step - search->best.at);
      search->most = step + 4 * (step - search->best.at);
    }
  step = fmin (fmax (step, least_step), most_step);
  if (search->bracketed
      && (step <= search->least || step >= search->most
          || search->most - search->least <= tight * search->most))
    step = search->best.at;
  *next = step;
  return SL_LINE_SEARCH_GO_ON;
}

/* ---- conjugate gradients ---- */

typedef struct
{
  gsize n;
  SlGradient f;
  gpointer data;
  double *x, *gradient, *direction; /* [n] */
  double *x_tried, *gradient_tried; /* [n] */
  double value, value_before;
} Search;

/* Summed in one order, by four lanes, so that the compiler may use them. */
static double
dot (const double *x, const double *y, gsize n)
{
  double lane[4] = { 0 };
  gsize i = 0;
  for (; i + 4 <= n; i += 4)
    for (gsize l = 0; l < 4; l++)
      lane[l] += x[i + l] * y[i + l];
  for (; i < n; i++)
    lane[i % 4] += x[i] * y[i];
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double
largest (const double *x, gsize n)
{
  double most = 0;
  for (gsize i = 0; i < n; i++)
    most = fmax (most, fabs (x[i]));
  return most;
}

/* The value at x + STEP direction; x_tried and gradient_tried are there then. */
static SlStep
try_step (Search *search, double step)
{
  for (gsize i = 0; i < search->n; i++)
    search->x_tried[i] = search->x[i] + step * search->direction[i];
  double value = search->f (search->x_tried, search->gradient_tried, search->data);
  return (SlStep){ step, value, dot (search->gradient_tried, search->direction, search->n) };
}

/* A step that fulfils the conditions, or is at least lower; FALSE if there is none. */
static gboolean
search_line (Search *search, double slope)
{
  enum
  {
    STEPS = 100
  };
  SlStep start = { 0, search->value, slope }, tried = start;
  SlLineSearch line;
  /* As far as the last step's decrease would carry it. */
  double next = fmin (1, 1.01 * 2 * (search->value - search->value_before) / slope);
  next = next > 0 ? next : 1;
  sl_line_search_init (&line, start, next);
  for (int i = 0; i < STEPS; i++)
    {
      tried = try_step (search, next);
      SlLineSearchState state = sl_line_search_take (&line, tried, &next);
      if (state == SL_LINE_SEARCH_STUCK && line.best.at > 0)
        tried = try_step (search, line.best.at);
      if (state != SL_LINE_SEARCH_GO_ON)
        break;
    }
  if (!(tried.value < search->value))
    return FALSE;
  search->value_before = search->value;
  search->value = tried.value;
  return TRUE;
}

/* The next direction, after a step has been taken. */
static void
turn (Search *search, double square)
{
  gsize n = search->n;
  double new_square = dot (search->gradient_tried, search->gradient_tried, n);
  double beta = fmax (0, (new_square - dot (search->gradient, search->gradient_tried, n)) / square);
  for (gsize i = 0; i < n; i++)
    search->direction[i] = -search->gradient_tried[i] + beta * search->direction[i];
  double slope = dot (search->direction, search->gradient_tried, n);
  if (!(slope <= -0.01 * new_square)) /* hardly downhill: afresh */
    for (gsize i = 0; i < n; i++)
      search->direction[i] = -search->gradient_tried[i];
  memcpy (search->x, search->x_tried, n * sizeof *search->x);
  memcpy (search->gradient, search->gradient_tried, n * sizeof *search->gradient);
}

double
sl_conjugate_gradient (double *x, gsize n, SlGradient f, gpointer data, double tolerance,
                       gint64 rounds)
{
  g_autofree double *room = g_new (double, 4 * n);
  Search search = {
    .n = n,
    .f = f,
    .data = data,
    .x = x,
    .gradient = room,
    .direction = room + n,
    .x_tried = room + 2 * n,
    .gradient_tried = room + 3 * n,
  };
  search.value = f (x, search.gradient, data);
  for (gsize i = 0; i < n; i++)
    search.direction[i] = -search.gradient[i];
  double square = dot (search.gradient, search.gradient, n);
  search.value_before = search.value + sqrt (square) / 2;
  for (gint64 round = 0; round < rounds && largest (search.gradient, n) > tolerance; round++)
    {
      if (!search_line (&search, dot (search.direction, search.gradient, n)))
        break;
      turn (&search, square);
      square = dot (search.gradient, search.gradient, n);
    }
  return search.value;
}
