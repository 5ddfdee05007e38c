/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What answers tell beside their first choice: how often gold is among the first two, whether an
 * annotator answers the same again, how long they take. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

typedef struct
{
  double tested, right, in_two;  /* answers to items with gold; first choice right; one of two */
  double repeats, repeated;      /* answers to items judged before; those that are the same again */
  double shifts, shifted;        /* of these, those with both percents; by how much they changed */
  gsize first_second, n_seconds; /* where the annotator's seconds stand, once finished */
} SlHabit;

typedef struct
{
  SlRun *run;
  gboolean gold, second, repeat, timed; /* whether the table has what they need */
  SlIntern *names, *items;
  GArray *of;          /* SlHabit, by the annotator's number */
  GHashTable *before;  /* annotator and item: their first answer, SlFirstAnswer */
  GArray *who, *taken; /* gint32, double: of each answer whose seconds are known */
  double *seconds;     /* all of these; finished: annotator by annotator, sorted in each */
  gsize claimed;
} SlHabits;

void sl_habits_init (SlHabits *habits, SlRun *run, const SlTable *table);
void sl_habits_clear (SlHabits *habits);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlHabits, sl_habits_clear)

/* Adds the rows of BATCH that are no attention checks and not excluded. DATA: the habits. */
gboolean sl_habits_add (gpointer data, SlBatch *batch, GError **error);

/* Once all rows are in. */
void sl_habits_finish (SlHabits *habits);

/* Of the annotator NAME; NULL where there is none. */
const SlHabit *sl_habits_find (const SlHabits *habits, const char *name, gsize length);

/* The quantile SHARE of HABIT's seconds; NaN where none are known. */
double sl_habits_seconds (const SlHabits *habits, const SlHabit *habit, double share);
