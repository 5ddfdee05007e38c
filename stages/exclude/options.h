/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of exclude, and the rule that they come to. */
#pragma once

#include "pipeline/command/options/option.h"
#include "rules.h"

typedef struct
{
  int preset;           /* into sl_presets */
  char *max_violations; /* KIND=N,... */
  double min_accuracy;  /* [0, 1] */
  int accuracy_applies; /* as the preset, any, once */
  int count_mode;       /* 0 per kind, 1 total */
  double min_check;     /* [0, 1]; 0 for none */
  char *annotators;     /* a file of names */
  double max_accuracy;  /* [0, 1]; 0 for none */
  double min_agreement; /* [0, 1]; 0 for none */
  gint64 min_answers;   /* 0 for none */
  int incomplete;       /* 0 drop, 1 keep */
  int dedupe;           /* SL_DEDUPE_... */
  char *report;
  gboolean mark;
} SlExcludeOptions;

enum
{
  SL_DEDUPE_OFF,
  SL_DEDUPE_EXACT
};

extern const SlExcludeOptions sl_exclude_defaults;
extern const SlOption sl_exclude_options[];

/* Ranges, and one form for what is the same: see the definition. */
gboolean sl_exclude_check (SlOptions *given, GError **error);

SlVerdictRule sl_exclude_rule (const SlExcludeOptions *options);
