/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From cases to the rows of scores. */
#pragma once

#include "metrics/intervals.h"
#include "scoring.h"

typedef struct
{
  const gboolean *chosen; /* [sl_n_metrics] */
  SlInterval interval;
  gboolean automatic; /* the interval: t of runs, the bootstrap of one run that is not too large */
  double level;
  gint64 resamples;
  char **by;       /* --by, or NULL */
  char *mean_over; /* or NULL */
} SlResultsPlan;

/* A row of scores; a number that is NaN is not there. */
typedef struct
{
  const char *group, *bin;
  const SlTags *tags; /* of the group */
  double value, lower, upper, sd, p;
  gint64 n;
  gint32 runs;
  const char *reason;   /* why there is no value or no interval; or NULL */
  const char *interval; /* "bootstrap over items"; empty: there is none */
} SlScoresRow;

/* Adds ROW, of METRIC, with what columns BUILDER's TABLE has. LEVEL: of the interval. */
void sl_score_row_put (SlBuilder *builder, const SlTable *table, const SlMetric *metric,
                       const SlScoresRow *row, double level);

/* The tags that differ between files, or those of --by; checks what --by and --mean-over name. */
gboolean sl_results_write (SlScoring *scoring, const SlResultsPlan *plan, GError **error);
