/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two readers of jsPsych surveys share: forms (jspsych.c), and trials of any kind
 * (jspsych-trials.c). */
#pragma once

#include "stages/ingest/ingestion.h"

/* Places in --column. */
enum
{
  SL_JSPSYCH_TYPE,
  SL_JSPSYCH_RESPONSE,
  SL_JSPSYCH_ITEM,
  SL_JSPSYCH_ANNOTATOR,
  SL_JSPSYCH_GOLD,
  SL_JSPSYCH_TASK,
  SL_JSPSYCH_TRIAL,
  SL_JSPSYCH_TIME,
  SL_JSPSYCH_N_ROLES,
};

/* Trials of any survey, CSV or JSON, whose answers are classes: with --trial-type or --question. */
gboolean sl_jspsych_run_trials (SlIngest *ingest, GError **error);
