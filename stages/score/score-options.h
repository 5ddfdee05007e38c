/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of score, and which metrics they choose. */
#pragma once

#include "pipeline/command/options/option.h"
#include "stages/score/metrics/metrics.h"

#include <math.h>

typedef struct
{
  char *against;
  char *gold; /* a file, or "column" */
  gboolean inner;
  char *metrics; /* A,B,C */
  char *by;      /* A,B */
  char *mean_over;
  char *entropy_from;
  char *edges; /* 0.25,1 */
  int second;  /* SlSecondBest */
  double clip;
  char *cost, *vectors;
  gint64 bin_size;
  gboolean skip_last_bin;
  gint64 bins;
  int edge;       /* SlBinEdge */
  int bin_of_one; /* 0: the last, 1: its own */
  int interval;   /* SL_SCORE_AUTO and so on */
  double level;
  gint64 resamples;
  char *questions;
  double scale; /* NaN: by the classes */
  int repeats;  /* SlCounted */
} SlScoreOptions;

#define SL_SCORE_DEFAULTS                                                                          \
  {                                                                                                \
    .bin_size = 100, .bins = 15, .level = 0.95, .resamples = 1000, .scale = NAN                    \
  }

/* SlScoreOptions.interval */
enum
{
  SL_SCORE_AUTO,
  SL_SCORE_NONE,
  SL_SCORE_T,
  SL_SCORE_NORMAL,
  SL_SCORE_BOOTSTRAP,
};

extern const SlOption sl_score_option_table[];

gboolean sl_score_check_options (SlOptions *given, GError **error);

/* Where groups of entropy begin, *N of them; NULL and ERROR: --entropy-edges does not say it. */
double *sl_score_edges (const SlScoreOptions *options, gint32 *n, GError **error);

/* Whether --by names KEY. */
gboolean sl_score_has_key (const SlScoreOptions *options, const char *key);

/* ---- metrics that are chosen ---- */

/* Which ones LIST, "brier,ece", names: [sl_n_metrics], to be freed; NULL and ERROR where there is
 * one of them not. "all" names all. */
gboolean *sl_metrics_named (const char *list, GError **error);

/* Those of LIST, or with NULL the usual ones (which have the flag USUAL), of what HAS
 * (SL_METRIC_TARGET and the like) is there for. A metric that LIST names itself and that HAS is
 * not there for is an error. */
gboolean *sl_metrics_chosen (const char *list, SlMetricFlags usual, SlMetricFlags has,
                             GError **error);

/* What must be known of items for the chosen ones: figures, those of them that are kept item by
 * item, and whether sums by class are, and items in the order of p. */
void sl_metrics_needs (const gboolean *chosen, guint64 *wanted, guint64 *keep, gboolean *bins,
                       gboolean *ranked);
