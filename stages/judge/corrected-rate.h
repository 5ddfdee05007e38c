/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How common a class is, by a judge who errs, and by a slice of items whose class is known. */
#pragma once

#include <glib.h>

typedef struct
{
  double value, lower, upper; /* NaN: there is none */
  const char *reason;         /* why; or NULL */
} SlRate;

/* Items, each with what the judge says of one class. */
typedef struct
{
  gint64 n;
  const double *said;  /* [n]: how likely the judge calls the class, 0 to 1 */
  const guint8 *named; /* [n]: whether it is the class that the judge names */
  const gint8 *truth;  /* [n]: whether the item has the class; -1: not known */
} SlJudgedClass;

typedef struct
{
  gint64 n, n_gold;
  SlRate judged; /* the mean of `said` */
  SlRate gold;   /* the share of those that have the class, of the slice alone */
  SlRate rogan_gladen, predicted;
  double power; /* λ of `predicted` */
  double worth; /* how many items of gold alone would tell as much; NaN: not known */
} SlRates;

/* The slice, m of n items, is to be a sample of them; f is `said`, y the truth, N = n - m.
 *
 * Rogan & Gladen (American Journal of Epidemiology 107, 1978): with the share p of the items that
 * the judge names, and its sensitivity a and specificity b on the slice,
 *     π = (p + b - 1) / (a + b - 1).
 * That is m / n of the slice's own share g, and N / n of what comes of the N items without gold,
 *     (a + b - 1)² Var π_N = p_N (1 - p_N) / N + π_N² a (1 - a) / m₁ + (1 - π_N)² b (1 - b) / m₀,
 *     Var π = (m / n)² g (1 - g) / m + (N / n)² Var π_N,
 * with z²/2, 1 and 1 added to both counts of p_N, a and b (as Lang & Reiczigel, Preventive
 * Veterinary Medicine 113, 2014, who shift the middle besides).
 *
 * Prediction-powered (Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, Science 382, 2023), with the
 * power λ that Angelopoulos, Duchi & Zrnic (arXiv:2311.01453) choose:
 *     θ = λ mean f of the N + mean (y - λ f) of the m,
 *     λ = cov (y, f) / ((1 + m / N) var f), in [0, 1],
 *     Var θ = λ² var f of the N / N + var (y - λ f) of the m / m. */
void sl_corrected_rates (const SlJudgedClass *judged, double level, SlRates *rates);
