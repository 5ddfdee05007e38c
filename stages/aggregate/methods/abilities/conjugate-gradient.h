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
