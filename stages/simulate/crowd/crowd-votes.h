/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crowd's answers as rows of a table, and the items' true classes as rows of another. */
#pragma once

#include "assignment.h"
#include "crowd-people.h"

typedef struct
{
  SlRun *run;
  const SlCrowdPeople *people;
  const SlAssignment *assignment;
  gboolean evenly; /* sl_assign_evenly() */
  double sigma;    /* of the items' ease; 0: none is easier */
  SlBuilder *votes;
  SlBuilder *truth; /* labels with gold; NULL: not wanted */
  SlWriter *truth_writer;
  guint32 truth_purpose, ease_purpose, vote_purpose;
} SlCrowdVotes;

/* PEOPLE are prepared, TABLE is the run's output. The caller sets all other fields, 0 at first. */
void sl_crowd_votes_init (SlCrowdVotes *votes, SlRun *run, const SlCrowdPeople *people,
                          const SlAssignment *assignment, SlTable *table);
void sl_crowd_votes_clear (SlCrowdVotes *votes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCrowdVotes, sl_crowd_votes_clear)

typedef struct
{
  gint64 first, n; /* items before these; how many */
  SlText name;
  const double *share; /* of the classes: of the first item */
  gsize stride;        /* from one item's to the next: n_classes, or 0 where all have the same */
} SlCrowdItems;

gboolean sl_crowd_votes_add (SlCrowdVotes *votes, const SlCrowdItems *items, GError **error);
gboolean sl_crowd_votes_end (SlCrowdVotes *votes, GError **error);

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
