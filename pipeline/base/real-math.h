/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of one double, any double, whose bits depend neither on the processor nor on the C
 * library, which has variants of its own by processor. Where the vector functions hold
 * (vector-math.h), exp, log and log1p are theirs bit for bit; elsewhere, at infinities, NaN,
 * subnormal numbers and overflow, they are as the C standard's annex F has them. Errors are below 1
 * unit in the last place (exp, log) and 1.5 (log1p). sqrt, ldexp, floor and the like are exact in
 * any C library and stay what they are. */
#pragma once

double sl_exp (double x);
double sl_log (double x);
double sl_log1p (double x);

/* The second derivative of log Gamma, x > 0; to 4e-15 of the result. */
double sl_trigamma (double x);

/* log B (a, b), a, b > 0; to 1e-14 × max (1, |result|, a log (1 + b / a), b log (1 + a / b)). */
double sl_log_beta (double a, double b);

/* The share of Beta (a, b), 1e-3 <= a + b <= 1e7, that lies below X; to 1e-11. */
double sl_beta_below (double x, double a, double b);
