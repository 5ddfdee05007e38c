/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `softlabel survey`. */
#pragma once

#include "pipeline/command/options/option.h"

typedef enum
{
  SL_TASK_SOFT,
  SL_TASK_VOTE,
  SL_TASK_RANK,
  SL_TASK_MIXTURE,
} SlSurveyTask;

typedef enum
{
  SL_SURVEY_NAME, /* a.png of cat/a.png */
  SL_SURVEY_PATH, /* cat/a.png, below the folder that was named */
  SL_SURVEY_STEM, /* a */
} SlSurveyItemPart;

typedef struct
{
  int task; /* SlSurveyTask */
  char *classes;
  char *items;
  int item_part; /* SlSurveyItemPart */
  char *mixtures;
  gint64 batch;   /* trials */
  gint64 repeats; /* of them */
  int repeats_at; /* 1: the end */
  char *checks;
  gint64 checks_each; /* 0: one for 20 trials */
  char *practice;
  char *entropy_from;
  gint64 low_each;
  double low_entropy; /* nats */
  char *from_agreement;
  gint64 ask; /* items; 0: one batch */
  char *allocation;
  gint64 annotators;
  int perspective; /* 0: third person, 1: first */
  gboolean no_alternative;
  int class_order; /* 1: shuffled */
  char *display;   /* as-is, or pixels */
  gboolean embed;
  char *title, *question, *instructions, *consent, *code, *post;
  gboolean list;
  int display_size; /* what `display` says; 0: as is */
} SlSurveyOptions;

extern const SlOption sl_survey_options[];
extern const SlSurveyOptions sl_survey_defaults;
extern const char *const sl_survey_tasks[];

/* Ranges and contradictions; finds display_size. */
gboolean sl_survey_check_options (SlOptions *given, GError **error);
