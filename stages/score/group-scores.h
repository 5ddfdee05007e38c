/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What metrics come to over the runs of a group: the mean, its interval, and why there is none. */
#pragma once

#include "groups.h"
#include "results.h"

typedef struct
{
  double value, lower, upper, sd; /* NaN: there is none */
  gint64 n;
  gint32 runs;
  char *reason;         /* why there is no value or no interval, to be freed; or NULL */
  const char *interval; /* "bootstrap over items"; empty: there is none */
} SlGroupScore;

/* What all groups are scored by. */
typedef struct
{
  SlScoring *scoring;
  const SlResultsPlan *plan;
  double *resampled; /* [plan->resamples]: room to work in */
} SlGroupScoring;

/* scores[n] <- what METRICS[n] come to in GROUP. Reasons are to be freed, with an ERROR too. */
gboolean sl_group_scores (const SlGroupScoring *how, const SlScoreGroup *group,
                          const SlMetric *const *metrics, int n, SlGroupScore *scores,
                          GError **error);
