/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line search of Moré & Thuente, "Line search algorithms with guaranteed sufficient
 * decrease", ACM TOMS 20 (1994): steps until one fulfils the strong Wolfe conditions
 *   φ(s) <= φ(0) + 1e-4 s φ'(0),   |φ'(s)| <= 0.4 |φ'(0)|
 * which are those that nonlinear conjugate gradients ask for. */
#pragma once

#include <glib.h>

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
