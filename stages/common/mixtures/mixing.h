/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of two things that are mixed: shares, and labels of the mixture. */
#pragma once

#include "pipeline/base/random.h"

/* A share drawn from Beta(ALPHA, ALPHA); 1 where ALPHA is 0. */
double sl_mix_draw (SlRandom *random, double alpha);

/* The share of the first class that people see where LAMBDA of it is mixed in: a logistic curve. */
double sl_mix_logistic (double k, double x0, double lambda);

/* Label smoothing by confidence: the part of a label that is spread evenly over all classes, where
 * a person's CONFIDENCE is 0 to 1. It is GAMMA^CONFIDENCE, so GAMMA at confidence 1; with
 * EXACT_AT_1 it is 0 there. */
double sl_mix_spread (double gamma, double confidence, gboolean exact_at_1);

/* The class that alone has mass in LABEL[n_classes]; -1: several have. */
gint32 sl_mix_certain (const double *label, gint32 n_classes);

/* label[n_classes] <- LAMBDA FIRST + (1 - LAMBDA) SECOND. */
void sl_mix_labels (const double *first, const double *second, double lambda, gint32 n_classes,
                    double *label);

/* The same of two classes that are certain, of which SPREAD goes to all classes. */
void sl_mix_classes (gint32 first, gint32 second, double lambda, double spread, gint32 n_classes,
                     double *label);
