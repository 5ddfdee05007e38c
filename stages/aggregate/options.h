/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `softlabel aggregate` can be told, and its defaults. */
#pragma once

#include "pipeline/command/options/option.h"
#include "stages/common/methods/method.h"
#include "stages/common/priors/prior-files.h"

typedef struct
{
  int method;                /* into sl_methods */
  SlMethodSettings settings; /* of them those that have options */
  char *asked;               /* truth or people; NULL: not given, the truth */
  SlPriorFiles priors;
  char *annotators, *confusion; /* files for what is learned of annotators; NULL: none */
  char *questions;              /* what parts items from their questions; NULL: there is one */
  gboolean sorted;
  char *calibrate;  /* SL_BY_ANSWERS, or a table of labels; NULL: they stay as they are */
  gboolean frozen;  /* labels by what priors.start says, learning nothing */
  gboolean partial; /* the output is of confusion: the sums of a round, for shards.h */
  gboolean merge;
  char *group;   /* an attribute of annotators; NULL: there are no groups */
  char *weights; /* "alike" or a file; NULL: each group has labels of its own */
  int repeats;   /* SlCounted */
} SlAggregateOptions;

extern const SlAggregateOptions sl_aggregate_defaults;
extern const SlOption sl_aggregate_option_table[];

/* --calibrate alone: by answers held back, or gold. */
#define SL_BY_ANSWERS "answers"

/* Ranges and contradictions. */
gboolean sl_aggregate_check (SlOptions *given, GError **error);

/* Whether items are written as they pass. */
gboolean sl_aggregate_streams (const SlAggregateOptions *options);

/* Whether labels are calibrated as those of a file are. */
gboolean sl_aggregate_calibrates_as (const SlAggregateOptions *options);

/* Whether --gold names the column of the answers. */
gboolean sl_aggregate_gold_is_column (const SlAggregateOptions *options);
