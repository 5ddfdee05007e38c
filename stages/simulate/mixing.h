/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of two things that are mixed: shares, and labels of the mixture. */
#pragma once

#include "pipeline/base/random.h"

/* A share drawn from Beta(ALPHA, ALPHA); 1 where ALPHA is 0. */
double sl_mix_draw (SlRandom *random, double alpha);

/* The share of the first class that people see where LAMBDA of it is mixed in: a logistic curve. */
double sl_mix_logistic (double k, double x0, double lambda);

/* The part of a label that goes to all classes alike, of who is sure by CONFIDENCE (0 to 1):
 * GAMMA^CONFIDENCE, which leaves GAMMA at 1; with EXACT_AT_1 nothing. */
double sl_mix_spread (double gamma, double confidence, gboolean exact_at_1);

/* label[n_classes] <- LAMBDA FIRST + (1 - LAMBDA) SECOND. */
void sl_mix_labels (const double *first, const double *second, double lambda, gint32 n_classes,
                    double *label);

/* The same of two classes that are certain, of which SPREAD goes to all classes. */
void sl_mix_classes (gint32 first, gint32 second, double lambda, double spread, gint32 n_classes,
                     double *label);
