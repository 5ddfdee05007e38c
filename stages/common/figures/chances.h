/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Student's t and the normal distribution; the interval of a share. */
#pragma once

/* The x that a chi-square variable with N > 0 degrees of freedom, whole or not, stays below with
 * probability P, 0 < P <= 0.5: to 1e-11 of it for N up to 1e4, 1e-8 up to 1e9. The same bits
 * everywhere. */
double sl_chi_square_quantile (double p, double n);

/* Where Student's t of DF degrees of freedom, or with DF 0 the normal distribution, has P below
 * it, 0.5 <= p < 1; to 1e-9 of it. */
double sl_t_quantile (double p, double df);

/* The probability that Student's t of DF > 0 degrees of freedom is above T, infinite or not. */
double sl_t_above (double t, double df);

/* Wilson's interval of X of N > 0 (JASA 22, 1927). Where one, two or three are on one side it would
 * miss rare things too often; there it ends where Poisson's does (Brown, Cai & DasGupta,
 * Statistical Science 16, 2001). */
void sl_wilson (double x, double n, double level, double *lower, double *upper);
