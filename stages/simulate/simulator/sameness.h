/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far two tables' whole answers are apart: what goes together in an answer, how much people
 * differ, and how answers change in the course of a session. */
#pragma once

#include "pace.h"

/* What is told of answers, all groups together. */
typedef enum
{
  SL_MANNER_SUM_100,         /* share whose percents sum to 100 */
  SL_MANNER_SUM_ABOVE,       /* to more */
  SL_MANNER_R_SECOND,        /* correlation of first and second percent, where there are both */
  SL_MANNER_R_ALTERNATIVES,  /* of first percent and number of classes left possible */
  SL_MANNER_SD_CERTAIN,      /* standard deviations over people: of how often they say 100, */
  SL_MANNER_SD_SECOND,       /* name a second class, */
  SL_MANNER_SD_RULED_OUT,    /* of the share of other classes that they leave possible, */
  SL_MANNER_SD_SECONDS,      /* and of the logarithm of seconds */
  SL_MANNER_AGAIN_CLASS,     /* of answers to items that come again: share with the same class */
  SL_MANNER_AGAIN_PERCENT,   /* and by how much these change their percent, 0 to 1 */
  SL_MANNER_R_TRIAL,         /* correlation, within people, of the trial and the first percent, */
  SL_MANNER_R_TRIAL_SECONDS, /* and of the trial and the logarithm of seconds */
  SL_N_MANNERS,
} SlManner;

extern const char *const sl_manner_names[SL_N_MANNERS];

typedef struct
{
  double value; /* NaN: the answers do not tell */
  double se;    /* standard error, by leaving out person after person; NaN: there are too few */
} SlMannerFigure;

/* figure[SL_N_MANNERS] of arranged answers about N_CLASSES, and what is recorded beside them. */
void sl_manner_figures (const SlPanel *people, const GArray *taken, gint32 n_classes,
                        SlMannerFigure *figure);

/* The energy distance of GROUP's answers, as points (first, second, left possible), each from 0 to
 * 1; *EXPECTED is what it would be on average if other people had given one of the tables' answers,
 * who are like them. NaN where there are none. */
double sl_energy_distance (const SlPanel *a, const SlPanel *b, SlGroup group, gint32 n_classes,
                           double *expected);
