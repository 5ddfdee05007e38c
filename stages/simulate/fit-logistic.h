/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A logistic curve through what people see in mixtures. */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean identity; /* there is no fit: shares stay as they are; k and x0 are not set */
  double k, x0;
  double sse; /* sum of squared errors, of the curve or of the identity */
} SlLogistic;

/* Least squares of y[n] over x[n], which is sorted. Identity where x has fewer than three different values, or nothing is found. */
SlLogistic sl_logistic_fit (const double *x, const double *y, gsize n);
