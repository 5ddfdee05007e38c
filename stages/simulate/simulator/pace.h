/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study records beside answers: how long they take, and what people say when an item comes
 * again. */
#pragma once

#include "panel.h"

#include <glib.h>

typedef struct
{
  /* Of the logarithm of seconds: mean and standard deviation within a person, by group (NaN: not
   * known); standard deviation over people. */
  double mean[SL_N_GROUPS], sd[SL_N_GROUPS], people;
  double again;      /* the share of answers that are about an item seen before; NaN: not known */
  double same_class; /* of these, with the first choice of before */
  double same;       /* and of those, with its percent */
} SlPace;

/* The names of the numbers of SlPace, which stand in this order; those of groups are given
 * again. */
enum
{
  SL_PACE_MEAN,
  SL_PACE_SD,
  SL_PACE_PEOPLE,
  SL_PACE_AGAIN,
  SL_PACE_SAME_CLASS,
  SL_PACE_SAME,
  SL_N_PACES,
};

extern const char *const sl_pace_names[SL_N_PACES];

static inline gboolean
sl_pace_of_groups (int which)
{
  return which == SL_PACE_MEAN || which == SL_PACE_SD;
}

double *sl_pace_number (SlPace *pace, int which, int group);

/* All numbers are missing. */
void sl_pace_init (SlPace *pace);

static inline gboolean
sl_pace_has_seconds (const SlPace *pace, SlGroup group)
{
  return pace->mean[group] == pace->mean[group];
}

/* Whether what is known of GROUP can be drawn from. */
gboolean sl_pace_is_usable (const SlPace *pace, SlGroup group);

typedef struct
{
  gint32 person; /* -1: nobody knows */
  double log;    /* of seconds */
} SlTimed;

/* Fits the seconds to TIMED[SL_N_GROUPS], of SlTimed, which is sorted. */
void sl_pace_fit (SlPace *pace, GArray *const *timed);

/* An answer of somebody to an item. */
typedef struct
{
  guint64 key; /* of both names */
  gint32 repeat, class;
  double percent;
} SlSeen;

/* How often an item comes again, and what is said then, of SEEN, of SlSeen, which is sorted. */
void sl_pace_count_again (SlPace *pace, GArray *seen);

/* Seconds, to the thousandth, of a person of whom N (0, 1) gave PERSON. */
double sl_pace_draw (const SlPace *pace, SlGroup group, double person, SlRandom *random);
