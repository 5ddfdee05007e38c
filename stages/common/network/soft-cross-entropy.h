/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cross-entropy with soft targets.
 *
 * Shapes: logits[n][k], target[n][k], grad[n][k]; room[k] is the function's to use. It returns the
 * sum of the rows' losses, and sets GRAD, unless it is NULL, to SCALE times the gradient of that
 * sum: SCALE is 1 / n for the mean of a batch, 1 for its sum. */
#pragma once

#include <glib.h>

double sl_loss_soft (const float *logits, const float *target, gsize n, gsize k, double scale,
                     float *grad, double *room);
