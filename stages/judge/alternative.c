/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alternative.h"

#include "pipeline/base/texts.h"
#include "stages/common/figures/chances.h"

#include <math.h>
#include <stdlib.h>

#define FEW 10 /* items: of fewer there is no interval */

/* Mean ± t s / √n of VALUE[n]. */
static SlMeanFigure
mean_of (const double *value, gint64 n, double level)
{
  SlMeanFigure mean = { n > 0 ? 0 : NAN, NAN, NAN, n };
  double squares = 0;
  for (gint64 i = 0; i < n; i++)
    mean.value += value[i];
  mean.value /= (double) n;
  for (gint64 i = 0; i < n; i++)
    squares += (value[i] - mean.value) * (value[i] - mean.value);
  if (n < FEW)
    return mean;
  double half = sl_t_quantile (0.5 + level / 2, (double) (n - 1))
                * sqrt (squares / (double) (n - 1) / (double) n);
  mean.lower = MAX (mean.value - half, 0);
  mean.upper = MIN (mean.value + half, 1);
  return mean;
}

/* How near CLASS is to the answers FROM .. TO - 1 of PEOPLE, all but answer EXCEPT. */
static double
nearness (const SlPeople *people, gint64 from, gint64 to, gint64 except, gint32 class)
{
  double sum = 0, n = 0;
  for (gint64 j = from; j < to; j++)
    {
      if (j == except)
        continue;
      double far = people->value == NULL ? people->answer[j] != class
                                         : people->value[people->answer[j]] - people->value[class];
      sum += far * far;
      n++;
    }
  return people->value == NULL ? 1 - sum / n : -sqrt (sum / n);
}

/* Of one person: items, the sum of d and of its squares, how often the judge is as near or
 * nearer. */
typedef struct
{
  double n, sum, squares, ahead;
} Person;

/* Of answer J to item I: D, and whether the judge is as near or nearer (AHEAD). */
static void
compare (const SlPeople *people, const gint32 *judge, gint32 i, gint64 j, double *d, double *ahead)
{
  gint64 from = people->first[i], to = people->first[i + 1];
  double person = nearness (people, from, to, j, people->answer[j]);
  double machine = nearness (people, from, to, j, judge[i]);
  *ahead = machine >= person;
  *d = (person >= machine) - *ahead;
}

static gboolean
counts (const SlPeople *people, const gint32 *judge, gint32 i)
{
  return judge[i] >= 0 && people->first[i + 1] - people->first[i] >= 2;
}

static int
compare_reals (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;
  return SL_COMPARE (*x, *y);
}

/* How many of P[n] are rejected (Benjamini & Yekutieli, Annals of Statistics 29, 2001). */
static gint64
rejected (double *p, gint64 n, double rate)
{
  double harmonic = 0;
  gint64 last = 0;
  qsort (p, (gsize) n, sizeof *p, compare_reals);
  for (gint64 k = 1; k <= n; k++)
    harmonic += 1 / (double) k;
  for (gint64 k = 1; k <= n; k++)
    if (p[k - 1] <= (double) k / (double) n * rate / harmonic)
      last = k;
  return last;
}

/* ρ, and its interval by what each item adds to it: Σ over items of the squares of Σ_j (ahead -
 * ρ_j) / (n_j people). */
static SlMeanFigure
advantage_of (const SlPeople *people, const gint32 *judge, const Person *person, gint64 least,
              gint64 n_people, double level)
{
  SlMeanFigure mean = { n_people > 0 ? 0 : NAN, NAN, NAN, 0 };
  double squares = 0, m = (double) n_people;
  for (gint32 a = 0; a < people->n_people; a++)
    mean.value += person[a].n >= (double) least ? person[a].ahead / person[a].n : 0;
  mean.value /= m;
  for (gint32 i = 0; i < people->n_items && n_people > 0; i++)
    {
      double sum = 0, d, ahead;
      gboolean any = FALSE;
      for (gint64 j = people->first[i]; counts (people, judge, i) && j < people->first[i + 1]; j++)
        {
          const Person *own = &person[people->person[j]];
          if (own->n < (double) least)
            continue;
          compare (people, judge, i, j, &d, &ahead);
          sum += (ahead - own->ahead / own->n) / (own->n * m);
          any = TRUE;
        }
      squares += sum * sum;
      mean.n += any;
    }
  if (mean.n < FEW)
    return mean;
  double n = (double) mean.n;
  double half = sl_t_quantile (0.5 + level / 2, n - 1) * sqrt (squares * n / (n - 1));
  mean.lower = MAX (mean.value - half, 0);
  mean.upper = MIN (mean.value + half, 1);
  return mean;
}

static void
agree (const SlPeople *people, const gint32 *judge, double level, SlAlternative *result)
{
  g_autofree double *with = g_new (double, MAX (people->n_items, 1)),
                    *among = g_new (double, MAX (people->n_items, 1));
  gint64 n = 0;
  for (gint32 i = 0; i < people->n_items; i++)
    {
      gint64 from = people->first[i], to = people->first[i + 1];
      double same = 0, pairs = 0, m = (double) (to - from);
      if (!counts (people, judge, i))
        continue;
      for (gint64 j = from; j < to; j++)
        {
          same += people->answer[j] == judge[i];
          for (gint64 l = from; l < to; l++)
            pairs += l != j && people->answer[l] == people->answer[j];
        }
      with[n] = same / m;
      among[n++] = pairs / (m * (m - 1));
    }
  result->agreement = mean_of (with, n, level);
  result->of_people = mean_of (among, n, level);
}

void
sl_alternative_test (const SlPeople *people, const gint32 *judge,
                     const SlAlternativeSettings *settings, SlAlternative *result)
{
  gint32 n_people = people->n_people;
  g_autofree Person *person = g_new0 (Person, MAX (n_people, 1));
  g_autofree double *p = g_new (double, MAX (n_people, 1));
  for (gint32 i = 0; i < people->n_items; i++)
    for (gint64 j = people->first[i]; counts (people, judge, i) && j < people->first[i + 1]; j++)
      {
        Person *own = &person[people->person[j]];
        double d, ahead;
        compare (people, judge, i, j, &d, &ahead);
        own->n++;
        own->sum += d;
        own->squares += d * d;
        own->ahead += ahead;
      }
  *result = (SlAlternative){ .winning = NAN };
  for (gint32 a = 0; a < n_people; a++)
    {
      double n = person[a].n, mean = person[a].sum / n;
      if (n < (double) settings->least_items)
        continue;
      double variance = MAX (person[a].squares - n * mean * mean, 0) / (n - 1);
      double above = mean - settings->epsilon;
      double t = variance > 1e-12 ? above / sqrt (variance / n) : above < 0 ? -INFINITY : INFINITY;
      p[result->n_people++] = sl_t_above (-t, n - 1);
    }
  if (result->n_people > 0)
    result->winning
        = (double) rejected (p, result->n_people, settings->rate) / (double) result->n_people;
  result->advantage = advantage_of (people, judge, person, settings->least_items, result->n_people,
                                    settings->level);
  agree (people, judge, settings->level, result);
}
