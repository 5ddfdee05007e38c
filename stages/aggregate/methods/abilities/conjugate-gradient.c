/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conjugate-gradient.h"

#include "line-search.h"

#include <math.h>
#include <string.h>

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
