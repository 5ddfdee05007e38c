/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a logistic curve to what people see in mixtures of two classes. */
#pragma once

#include "stages/common/mixtures/logistic.h"

/* Least squares of y[n] over x[n], which is sorted. Identity where x has fewer than three different
 * values, or nothing is found. */
SlLogistic sl_logistic_fit (const double *x, const double *y, gsize n);
