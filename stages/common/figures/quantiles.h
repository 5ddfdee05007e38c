/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* The value below which SHARE (0 to 1) of the N sorted VALUES lie: that at place SHARE (N − 1),
 * counted from 0, between two places in proportion (Hyndman & Fan 1996, type 7, as in R and NumPy).
 * NaN of nothing. */
double sl_quantile (const double *values, gsize n, double share);
