/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much classes are like one another: likeness[n_classes][n_classes], row: the class meant. */
#pragma once

#include "pipeline/command/run.h"

/* By the cosine of the word vectors of their names. */
gboolean sl_likeness_of_names (double *likeness, SlRun *run, const char *path,
                               const SlTable *classes, GError **error);

/* By a table of confusion (how often taken for the other) or of labels (how often together). */
gboolean sl_likeness_of_table (double *likeness, SlRun *run, const char *path,
                               const SlTable *classes, GError **error);

/* likeness[c][k] <- together[c][k] / mass[c]: of Σ p_c p_k and Σ p_c over labels p, the mean mass
 * of k where c is meant. */
void sl_likeness_together (double *likeness, const double *together, const double *mass,
                           gint32 n_classes);

/* Adds the label p to together[c][k] = Σ p_c p_k and mass[c] = Σ p_c. */
void sl_likeness_add (double *together, double *mass, const double *p, gint32 n_classes);

/* rank[n_classes][n_classes - 1] <- the other classes, the likest first; equals in class order. */
void sl_likeness_rank (const double *likeness, gint32 n_classes, gint32 *rank);
