/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Examples moved so that a loss rises. Goodfellow, Shlens, Szegedy 2015 (FGSM: one step as long as
 * the bound); Madry et al. 2018 (PGD).
 *
 * x <- clip (x + step sign (grad)) to [origin - bound, origin + bound] and then to [0, 1]; sign (0)
 * = 0. */
#pragma once

#include "pipeline/base/random.h"

/* x[n], which came from origin[n], goes one step up grad[n]. */
void sl_attack_step (float *x, const float *origin, const float *grad, gsize n, double step,
                     double bound);

/* x[n] <- origin + U(-BOUND, BOUND), clipped to [0, 1]. */
void sl_attack_start (float *x, const float *origin, gsize n, double bound, SlRandom *random);
