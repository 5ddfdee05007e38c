/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "line-search.h"

#include <math.h>

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
