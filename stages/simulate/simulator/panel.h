/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each of the fitted people said, answer by answer: first percent, second percent and number
 * of classes left possible go together as they did; and simulated people who answer as they did. */
#pragma once

#include "pipeline/base/random.h"
#include "pipeline/base/texts.h"

#include <glib.h>

/* Items are alike, or go by the entropy of what people say of them. */
typedef enum
{
  SL_GROUP_ALL,
  SL_GROUP_HIGH,
  SL_GROUP_LOW,
  SL_N_GROUPS,
} SlGroup;

/* Choices that are ruled out as well. */
enum
{
  SL_RULED_OUT_FIRST = 1,
  SL_RULED_OUT_SECOND = 2,
};

typedef struct
{
  gint32 person;        /* from 0; -1: nobody knows */
  gint32 alternatives;  /* classes left possible, besides the first choice */
  double first, second; /* percents as typed; second NaN: there is none */
  gint32 ruled_out;     /* SL_RULED_OUT_..., together */
  gboolean repaired;    /* a first percent of 0, or none, was replaced by 100 */
  gint64 n;             /* answers like that */
} SlSaid;

typedef struct
{
  GArray *said[SL_N_GROUPS]; /* of SlSaid */
  /* Once arranged: */
  gint32 n_people;
  gint64 *before[SL_N_GROUPS]; /* [said->len + 1]: answers before each; at the end, all of them */
  gsize *start[SL_N_GROUPS];   /* [n_people + 1]: where each one's begin */
  double icc;                  /* how far two answers of one person are alike, 0 to 1 */
  double *own[SL_N_GROUPS];    /* [n_people]: the share of answers that are as one's own */
} SlPanel;

/* Order of reals, NaN before all numbers. */
static inline int
sl_compare_reals (double a, double b)
{
  return a != a || b != b ? (a == a) - (b == b) : SL_COMPARE (a, b);
}

void sl_panel_init (SlPanel *people);
void sl_panel_clear (SlPanel *people);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPanel, sl_panel_clear)

/* Whether anything was said, by whomever. */
static inline gboolean
sl_panel_is_there (const SlPanel *people)
{
  gboolean there = FALSE;
  for (int g = 0; g < SL_N_GROUPS; g++)
    there = there || (people->said[g] != NULL && people->said[g]->len > 0);
  return there;
}

/* Sorts what was said, which then does not depend on the order of answers, and makes one of what is
 * alike. Persons are below N_PEOPLE, answers fewer than 2^53. */
void sl_panel_arrange (SlPanel *people, gint32 n_people);

/* The intraclass correlation of arranged answers: of saying 100, of naming a second class, and of
 * the number left possible, from the means of their groups; the mean of those of the three that
 * differ at all. 0 where nobody gave two answers of a group. */
double sl_panel_icc (const SlPanel *people);

/* Sets icc, and how much of their own people keep. */
void sl_panel_set_icc (SlPanel *people, double icc);

/* One of the people, each as often as they answered; -1: nobody. */
gint32 sl_panel_draw (const SlPanel *people, SlRandom *random);

/* What is said for V, uniform in [0, 1), of an item of GROUP, by somebody like PERSON, or, where
 * that is -1, by anybody. */
const SlSaid *sl_panel_say (const SlPanel *people, SlGroup group, gint32 person, double v);
