/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a judge may stand in for people: the alternative annotator test of Calderon, Reichart &
 * Dror (ACL 2025). Each person in turn is left out, and judge and person are held against the
 * others. */
#pragma once

#include <glib.h>

/* What people answered: of item i answer[first[i]] up to answer[first[i + 1]]. */
typedef struct
{
  gint32 n_items, n_people;
  const gint64 *first;           /* [n_items + 1] */
  const gint32 *person, *answer; /* [answers] */
  const double *value;           /* [classes] of ordered classes; NULL: they are names */
} SlPeople;

typedef struct
{
  double epsilon;     /* how much worse than a person a judge may be, for what people cost */
  double rate;        /* false discoveries: q */
  gint64 least_items; /* a person with fewer says nothing */
  double level;       /* of intervals */
} SlAlternativeSettings;

/* NaN: there is none. */
typedef struct
{
  double value, lower, upper;
  gint64 n;
} SlMeanFigure;

typedef struct
{
  SlMeanFigure
      agreement; /* mean over items of the share of people's answers that are the judge's */
  SlMeanFigure of_people; /* the same of each person's answer and the others' */
  gint64 n_people;        /* who have enough items */
  SlMeanFigure advantage; /* ρ, mean over people; n: items */
  double winning;         /* ω: the share of people as near to whom the judge is */
} SlAlternative;

/* JUDGE[n_items]: its class; -1: none. An item counts with two people or more. Let S (x) be the
 * share of the others' answers that are x, or, where classes have values, -√ of the mean squared
 * distance from x. For person j and their items i,
 *     d_ij = [S (person) ≥ S (judge)] - [S (judge) ≥ S (person)],
 * and the judge wins where t = (mean d - ε) / (s / √n) is so small that the
 * Benjamini-Yekutieli procedure rejects at q over all people. */
void sl_alternative_test (const SlPeople *people, const gint32 *judge,
                          const SlAlternativeSettings *settings, SlAlternative *result);
