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

/* The tags that differ between files, or those of --by; checks what --by and --mean-over name. */
gboolean sl_results_write (SlScoring *scoring, const SlResultsPlan *plan, GError **error);
