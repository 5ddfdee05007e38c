/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study records beside answers: how long they take, what people say when an item comes
 * again, and how they do on attention checks. */
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
  double drift; /* of the logarithm of seconds, from the first answer of a session to the last */
  double check; /* the share of answers that are to attention checks; NaN: not known */
  double check_right;  /* of these, of the class that is asked for */
  double check_people; /* how far two of one person are alike in that, 0 to 1 */
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
  SL_PACE_DRIFT,
  SL_PACE_CHECK,
  SL_PACE_CHECK_RIGHT,
  SL_PACE_CHECK_PEOPLE,
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

/* An answer, and what is recorded beside it. */
typedef struct
{
  gint32 person;        /* -1: nobody knows */
  gint32 group;         /* SlGroup */
  guint64 item;         /* the hash of its name */
  gint32 class;         /* the first choice */
  guint8 repeat;        /* the person had answered about the item before */
  guint8 check, missed; /* an attention check; with another class than is asked for */
  double percent;       /* of the first choice */
  double log;           /* of the seconds; NaN: not known */
  /* The trial's number; once arranged, where it is in the person's session, from 0 to 1. NaN: not
   * known. */
  double place;
} SlTaken;

/* Sorts TAKEN, of SlTaken, which then does not depend on the order of answers. */
void sl_taken_arrange (GArray *taken);

/* Whether ONE's seconds count. */
static inline gboolean
sl_taken_is_timed (const SlTaken *one)
{
  return !one->check && one->log == one->log;
}

/* The answer of before of the I-th, which is to an item that comes again; NULL: there is none. */
const SlTaken *sl_taken_before (const GArray *taken, guint i);

/* Fits all numbers to arranged answers. */
void sl_pace_fit (SlPace *pace, const GArray *taken);

/* Seconds, to the thousandth, of whom N (0, 1) gave PERSON, at PLACE, 0 to 1, of the session. */
double sl_pace_draw (const SlPace *pace, SlGroup group, double person, double place,
                     SlRandom *random);

/* The share of attention checks that somebody gets right. */
double sl_pace_draw_attention (const SlPace *pace, SlRandom *random);
