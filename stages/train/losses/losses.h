/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses of logits, and their gradients. They know no network.
 *
 * Shapes, SCALE, GRAD and what is returned: as in soft-cross-entropy.h. */
#pragma once

#include "stages/common/network/soft-cross-entropy.h"

/* Ent-WC: cross-entropy weighted by log 2 / H (p), in [LEAST, 1]. THROUGH: the gradient flows
 * through the weight, too. */
double sl_loss_ent_wc (const float *logits, const float *target, gsize n, gsize k, double least,
                       gboolean through, double scale, float *grad, double *room);

/* Less the entropy of what is predicted: what Mix-MaxEnt adds for mixed examples. */
double sl_loss_max_entropy (const float *logits, gsize n, gsize k, double scale, float *grad,
                            double *room);

/* Distillation: cross-entropy with a teacher's targets at temperature T, of logits / T, times
 * T². */
double sl_loss_distil (const float *logits, const float *target, gsize n, gsize k,
                       double temperature, double scale, float *grad, double *room);

/* target[k] += SHARE softmax (logit / T), a teacher's part of a target. */
void sl_teacher_add (const double *logit, gsize k, double temperature, double share,
                     double *target);
