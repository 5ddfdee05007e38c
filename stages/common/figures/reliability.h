/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often what is said with some confidence is right, by equal parts of [0, 1] (Guo et al. 2017,
 * §2): part b of n has the confidences b/n <= c < (b+1)/n, the last one 1 as well. */
#pragma once

#include <glib.h>

#define SL_RELIABILITY_MOST 20

typedef struct
{
  int n;
  gint64 count[SL_RELIABILITY_MOST], right[SL_RELIABILITY_MOST];
  double confidence[SL_RELIABILITY_MOST]; /* sums */
} SlReliability;

void sl_reliability_add (SlReliability *reliability, double confidence, gboolean right);

gint64 sl_reliability_all (const SlReliability *reliability);
double sl_reliability_accuracy (const SlReliability *reliability);
double sl_reliability_confidence (const SlReliability *reliability);

/* Expected calibration error: Σ_b n_b/n |accuracy_b − confidence_b|. NaN of nothing, as are the two
 * above. */
double sl_reliability_error (const SlReliability *reliability);

/* The 95 % interval of a share of RIGHT among N > 0 by Wilson (1927). */
void sl_share_interval (gint64 right, gint64 n, double *lower, double *upper);
