/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A crowd's answers about items, as rows of a table, and the items' true classes as rows of
 * another. */
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

/* PEOPLE are prepared, TABLE is the run's output. All other fields begin as 0; the caller sets
 * them. */
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
