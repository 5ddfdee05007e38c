/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "panel.h"

#include "precision.h"

#include <math.h>

/* Whole answers are drawn anew from what people said (Efron & Tibshirani, An Introduction to the
 * Bootstrap, 1993), so that percents sum to 100, or to more, as often as theirs, and whoever is
 * certain rules out more. A simulated person is like one of the fitted people p, with n answers of
 * the group: a share
 *
 *     w = sqrt (n / (n + (1 - rho) / rho))
 *
 * of their answers is drawn from p's own, the rest from everybody's. With the intraclass
 * correlation rho between two answers of a person, n / (n + (1 - rho) / rho) is the reliability of
 * p's mean; shrunk by its square root, means differ as much as people do, neither more, as the
 * means of n answers do, nor less, as best guesses of each do (Louis, JASA 79, 1984). */

void
sl_panel_init (SlPanel *people)
{
  *people = (SlPanel){ 0 };
  for (int g = 0; g < SL_N_GROUPS; g++)
    people->said[g] = g_array_new (FALSE, FALSE, sizeof (SlSaid));
}

void
sl_panel_clear (SlPanel *people)
{
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      g_clear_pointer (&people->said[g], g_array_unref);
      g_clear_pointer (&people->before[g], g_free);
      g_clear_pointer (&people->start[g], g_free);
      g_clear_pointer (&people->own[g], g_free);
    }
}

static inline SlSaid *
said (const SlPanel *people, int group, gsize i)
{
  return &g_array_index (people->said[group], SlSaid, i);
}

static int
compare_said (gconstpointer a, gconstpointer b)
{
  const SlSaid *x = a, *y = b;
  int order = SL_COMPARE (x->person, y->person) ?: sl_compare_reals (x->first, y->first);
  order = order ?: sl_compare_reals (x->second, y->second);
  order = order ?: SL_COMPARE (x->alternatives, y->alternatives);
  return order ?: SL_COMPARE (x->ruled_out, y->ruled_out) ?: x->repaired - y->repaired;
}

static void
merge (GArray *said)
{
  guint kept = 0;
  for (guint i = 0; i < said->len; i++)
    {
      const SlSaid *one = &g_array_index (said, SlSaid, i);
      SlSaid *last = kept > 0 ? &g_array_index (said, SlSaid, kept - 1) : NULL;
      if (last != NULL && compare_said (last, one) == 0)
        last->n += one->n;
      else
        g_array_index (said, SlSaid, kept++) = *one;
    }
  g_array_set_size (said, kept);
}

void
sl_panel_arrange (SlPanel *people, gint32 n_people)
{
  people->n_people = n_people;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      g_array_sort (people->said[g], compare_said);
      merge (people->said[g]);
      gsize n = people->said[g]->len, i = 0;
      people->before[g] = g_new0 (gint64, n + 1);
      people->start[g] = g_new (gsize, (gsize) n_people + 1);
      for (gint32 p = 0; p <= n_people; p++)
        {
          while (i < n && said (people, g, i)->person < p)
            i++;
          people->start[g][p] = i;
        }
      for (i = 0; i < n; i++)
        people->before[g][i + 1] = people->before[g][i] + said (people, g, i)->n;
    }
}

enum
{
  CERTAIN,
  SECOND,
  OPEN,
  N_TENDENCIES,
};

static double
tendency (const SlSaid *said, int which)
{
  return which == CERTAIN  ? said->first >= 100
         : which == SECOND ? !isnan (said->second)
                           : said->alternatives;
}

/* Sums over answers and over pairs of answers of one person, less the group's mean. */
typedef struct
{
  double squares, n, products, pairs;
} Spread;

static void
add_group (const SlPanel *people, int group, int which, Spread *spread)
{
  const gsize *start = people->start[group];
  const gint64 *before = people->before[group];
  gsize first = start[0], end = start[people->n_people];
  double mean = 0;
  for (gsize i = first; i < end; i++)
    mean += (double) said (people, group, i)->n * tendency (said (people, group, i), which)
            / (double) (before[end] - before[first]);
  for (gint32 p = 0; p < people->n_people; p++)
    {
      double sum = 0, squares = 0, n = (double) (before[start[p + 1]] - before[start[p]]);
      for (gsize i = start[p]; i < start[p + 1]; i++)
        {
          double x = tendency (said (people, group, i), which) - mean;
          sum += (double) said (people, group, i)->n * x;
          squares += (double) said (people, group, i)->n * x * x;
        }
      spread->squares += squares;
      spread->n += n;
      spread->products += sum * sum - squares;
      spread->pairs += n * (n - 1);
    }
}

double
sl_panel_icc (const SlPanel *people)
{
  double sum = 0;
  int n = 0;
  for (int which = 0; which < N_TENDENCIES; which++)
    {
      Spread spread = { 0 };
      for (int g = 0; g < SL_N_GROUPS; g++)
        add_group (people, g, which, &spread);
      if (!(spread.squares > 0 && spread.pairs > 0))
        continue;
      sum += spread.products / spread.pairs / (spread.squares / spread.n);
      n++;
    }
  return n > 0 ? sl_fitted (CLAMP (sum / n, 0, 1)) : 0;
}

void
sl_panel_set_icc (SlPanel *people, double icc)
{
  people->icc = icc;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      g_free (people->own[g]);
      people->own[g] = g_new (double, MAX (people->n_people, 1));
      for (gint32 p = 0; p < people->n_people; p++)
        {
          const gsize *start = people->start[g];
          double n = (double) (people->before[g][start[p + 1]] - people->before[g][start[p]]);
          people->own[g][p] = n > 0 && icc > 0 ? sqrt (n / (n + (1 - icc) / icc)) : 0;
        }
    }
}

/* The one of FIRST .. END - 1 that has answer number I of all, from 0. */
static const SlSaid *
find_answer (const SlPanel *people, int group, gsize first, gsize end, gint64 i)
{
  const gint64 *before = people->before[group];
  for (gsize left = end - first, half; left > 1; left -= half)
    {
      half = left / 2;
      first += before[first + half] <= i ? half : 0; /* no branch to be guessed */
    }
  return said (people, group, first);
}

static inline gint64
answers (const SlPanel *people, int group)
{
  return people->before[group][people->said[group]->len];
}

gint32
sl_panel_draw (const SlPanel *people, SlRandom *random)
{
  gint64 all = 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    all += answers (people, g);
  gint64 i = (gint64) sl_random_below (random, (guint64) all);
  int g = 0;
  for (; i >= answers (people, g); g++)
    i -= answers (people, g);
  return find_answer (people, g, 0, people->said[g]->len, i)->person;
}

const SlSaid *
sl_panel_say (const SlPanel *people, SlGroup group, gint32 person, double v)
{
  gsize first = 0, end = people->said[group]->len;
  double own = person >= 0 ? people->own[group][person] : 0;
  if (v < own)
    {
      first = people->start[group][person];
      end = people->start[group][person + 1];
      v /= own;
    }
  else if (own > 0)
    v = (v - own) / (1 - own);
  const gint64 *before = people->before[group];
  gint64 n = before[end] - before[first];
  /* Rounding may have made v 1. */
  return find_answer (people, group, first, end,
                      before[first] + MIN ((gint64) (v * (double) n), n - 1));
}
