/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be simulated, from options and the tables that they name. */
#pragma once

#include "assignment.h"
#include "crowd-people.h"

typedef struct
{
  gint64 items;     /* 0: those of a table */
  char *classes;    /* names, or how many */
  char *priors;     /* NULL: not given */
  double imbalance; /* >= 1; NaN: not given */
  char *confusion;
  gint64 annotators; /* 0: as many as the table has or the items need */
  char *crowd;
  char *groups;
  double difficulty;          /* >= 0 */
  gint64 answers;             /* an item */
  gint64 items_per_annotator; /* 0: as it comes */
  double activity;            /* >= 0 */
  char *truth, *write_confusion;
} SlCrowdSettings;

typedef struct
{
  const SlCrowdSettings *settings;
  SlReader *confusion; /* NULL: annotators are made */
  SlTable *table;      /* of the votes */
  double *priors;      /* [n_classes] of made items; NULL where items are read */
  SlCrowdPeople people;
  SlAssignment assignment;
} SlCrowdPlan;

/* PLAN is all 0. */
gboolean sl_crowd_plan_init (SlCrowdPlan *plan, SlRun *run, const SlCrowdSettings *settings,
                             GError **error);
void sl_crowd_plan_clear (SlCrowdPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCrowdPlan, sl_crowd_plan_clear)
