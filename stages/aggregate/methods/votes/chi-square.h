/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The x that a chi-square variable with N > 0 degrees of freedom, whole or not, stays below with
 * probability P, 0 < P <= 0.5: to 1e-11 of it for N up to 1e4, 1e-8 up to 1e9. The same bits
 * everywhere. */
double sl_chi_square_quantile (double p, double n);
