/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `softlabel aggregate` can be told, and its defaults. */
#pragma once

#include "pipeline/command/options/option.h"
#include "stages/common/priors/prior-files.h"

typedef struct
{
  int method;         /* into sl_methods */
  double temperature; /* of softmax, more than 0 */
  gint64 digits;      /* of softmax; 0: all */
  int ties;           /* SlTies */
  char *asked;        /* truth or people; NULL: not given, the truth */
  gboolean sorted;
  gint64 iterations, restarts; /* 0: the method's own */
  double tolerance, smoothing; /* NaN: the method's own */
  gboolean calibrate;
  double prior_weight;
  SlPriorFiles priors;
  char *annotators, *confusion;
  gboolean frozen, partial, merge;
} SlAggregateOptions;

extern const SlAggregateOptions sl_aggregate_defaults;
extern const SlOption sl_aggregate_option_table[];

/* Ranges and contradictions. */
gboolean sl_aggregate_check (SlOptions *given, GError **error);

/* Whether items are written as they pass. */
gboolean sl_aggregate_streams (const SlAggregateOptions *options);

/* Whether --gold names the column of the answers. */
gboolean sl_aggregate_gold_is_column (const SlAggregateOptions *options);
