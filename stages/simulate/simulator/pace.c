/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pace.h"

#include "pipeline/base/real-math.h"
#include "precision.h"

#include <math.h>

/* Seconds are log-normal (van der Linden, J. Educational and Behavioral Statistics 31, 2006): the
 * logarithm of what person p takes for an item of group g, at place u of the session, from 0 to 1,
 * is mean_g + people a_p + drift (u - 1/2) + sd_g e, with a_p and e of N (0, 1). The drift is by
 * least squares within people. The rest is by moments: y being less the drift and the group's mean,
 *
 *     people² = Σ_p Σ_{j≠k} y_pj y_pk / Σ_p n_p (n_p - 1),   sd_g² = mean y² - people²
 *
 * The shares of attention checks that people get right are of a Beta distribution, with the mean m
 * of all, and rho = Σ_p Σ_{j≠k} x_pj x_pk / Σ_p n_p (n_p - 1) / m (1 - m), x being 0 or 1 less m;
 * t = (1 - rho) / rho is the sum of its two parameters (Griffiths, Biometrics 29, 1973). */

const char *const sl_pace_names[SL_N_PACES]
    = { "seconds.mean", "seconds.sd",    "seconds.people", "again",       "again.class",
        "again.same",   "seconds.drift", "check",          "check.right", "check.people" };

double *
sl_pace_number (SlPace *pace, int which, int group)
{
  double *const numbers[SL_N_PACES]
      = { &pace->mean[group], &pace->sd[group],   &pace->people, &pace->again,
          &pace->same_class,  &pace->same,        &pace->drift,  &pace->check,
          &pace->check_right, &pace->check_people };
  return numbers[which];
}

void
sl_pace_init (SlPace *pace)
{
  for (int which = 0; which < SL_N_PACES; which++)
    for (int g = 0; g < SL_N_GROUPS; g++)
      *sl_pace_number (pace, which, g) = (double) NAN;
}

static gboolean
is_share (double x)
{
  return isnan (x) || (x >= 0 && x <= 1);
}

gboolean
sl_pace_is_usable (const SlPace *pace, SlGroup group)
{
  const double most = 20; /* of a logarithm: 15 years */
  return is_share (pace->again) && is_share (pace->same_class) && is_share (pace->same)
         && is_share (pace->check) && isnan (pace->check) == isnan (pace->check_right)
         && is_share (pace->check_right) && is_share (pace->check_people)
         && (isnan (pace->drift) || fabs (pace->drift) <= most)
         && (isnan (pace->mean[group])
             || (fabs (pace->mean[group]) <= most && pace->sd[group] >= 0 && pace->sd[group] <= most
                 && pace->people >= 0 && pace->people <= most));
}

static int
compare_taken (gconstpointer a, gconstpointer b)
{
  const SlTaken *x = a, *y = b;
  int order = SL_COMPARE (x->person, y->person) ?: SL_COMPARE (x->item, y->item);
  order = order ?: x->check - y->check ?: x->repeat - y->repeat ?: x->class - y->class;
  order = order ?: sl_compare_reals (x->percent, y->percent);
  order = order ?: sl_compare_reals (x->place, y->place) ?: sl_compare_reals (x->log, y->log);
  return order ?: SL_COMPARE (x->group, y->group) ?: x->missed - y->missed;
}

static inline SlTaken *
taken_at (const GArray *taken, guint i)
{
  return &g_array_index (taken, SlTaken, i);
}

/* Behind the last answer of the person whose first one is FROM. */
static guint
person_end (const GArray *taken, guint from)
{
  guint end = from;
  while (end < taken->len && taken_at (taken, end)->person == taken_at (taken, from)->person)
    end++;
  return end;
}

void
sl_taken_arrange (GArray *taken)
{
  g_array_sort (taken, compare_taken);
  for (guint from = 0, end; from < taken->len; from = end)
    {
      double least = INFINITY, most = -INFINITY;
      end = person_end (taken, from);
      for (guint i = from; i < end; i++)
        {
          least = fmin (least, taken_at (taken, i)->place);
          most = fmax (most, taken_at (taken, i)->place);
        }
      gboolean there = taken_at (taken, from)->person >= 0 && most > least;
      for (guint i = from; i < end; i++)
        taken_at (taken, i)->place
            = there ? (taken_at (taken, i)->place - least) / (most - least) : (double) NAN;
    }
}

const SlTaken *
sl_taken_before (const GArray *taken, guint i)
{
  const SlTaken *one = taken_at (taken, i);
  if (!one->repeat || one->check || one->person < 0)
    return NULL;
  while (i > 0 && taken_at (taken, i - 1)->person == one->person
         && taken_at (taken, i - 1)->item == one->item && !taken_at (taken, i - 1)->check)
    i--;
  return taken_at (taken, i)->repeat ? NULL : taken_at (taken, i);
}

/* The logarithm of seconds, less the drift. */
static double
less_drift (const SlPace *pace, const SlTaken *one)
{
  gboolean drifts = !isnan (one->place) && !isnan (pace->drift);
  return one->log - (drifts ? pace->drift * (one->place - .5) : 0);
}

static void
fit_means (SlPace *pace, const GArray *taken)
{
  double sum[SL_N_GROUPS] = { 0 }, n[SL_N_GROUPS] = { 0 };
  for (guint i = 0; i < taken->len; i++)
    if (sl_taken_is_timed (taken_at (taken, i)))
      {
        sum[taken_at (taken, i)->group] += less_drift (pace, taken_at (taken, i));
        n[taken_at (taken, i)->group]++;
      }
  for (int g = 0; g < SL_N_GROUPS; g++)
    pace->mean[g] = n[g] > 0 ? sl_fitted (sum[g] / n[g]) : (double) NAN;
}

static void
fit_drift (SlPace *pace, const GArray *taken)
{
  double products = 0, squares = 0;
  for (guint from = 0, end; from < taken->len; from = end)
    {
      double n = 0, u = 0, y = 0, uu = 0, uy = 0;
      end = person_end (taken, from);
      for (guint i = from; i < end; i++)
        {
          const SlTaken *one = taken_at (taken, i);
          if (!sl_taken_is_timed (one) || isnan (one->place))
            continue;
          double log = one->log - pace->mean[one->group];
          n++;
          u += one->place;
          y += log;
          uu += one->place * one->place;
          uy += one->place * log;
        }
      products += n > 0 ? uy - u * y / n : 0;
      squares += n > 0 ? uu - u * u / n : 0;
    }
  if (squares > 1e-9)
    pace->drift = sl_fitted (products / squares);
}

static void
fit_spreads (SlPace *pace, const GArray *taken)
{
  double products = 0, pairs = 0, square[SL_N_GROUPS] = { 0 }, n_of[SL_N_GROUPS] = { 0 };
  for (guint from = 0, end; from < taken->len; from = end)
    {
      double sum = 0, squares = 0, n = 0;
      end = person_end (taken, from);
      for (guint i = from; i < end; i++)
        {
          const SlTaken *one = taken_at (taken, i);
          if (!sl_taken_is_timed (one))
            continue;
          double y = less_drift (pace, one) - pace->mean[one->group];
          n++;
          sum += y;
          squares += y * y;
          square[one->group] += y * y;
          n_of[one->group]++;
        }
      gboolean known = taken_at (taken, from)->person >= 0;
      products += known ? sum * sum - squares : 0;
      pairs += known ? n * (n - 1) : 0;
    }
  double people = pairs > 0 ? fmax (products / pairs, 0) : 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    if (n_of[g] > 0)
      {
        pace->people = sl_fitted (sqrt (people));
        pace->sd[g] = sl_fitted (sqrt (fmax (square[g] / n_of[g] - people, 0)));
      }
}

static void
count_again (SlPace *pace, const GArray *taken)
{
  double all = 0, again = 0, same_class = 0, same = 0;
  for (guint i = 0; i < taken->len; i++)
    {
      const SlTaken *one = taken_at (taken, i), *before = sl_taken_before (taken, i);
      all += !one->check && one->person >= 0;
      if (before == NULL)
        continue;
      again++;
      same_class += one->class == before->class;
      same += one->class == before->class && one->percent == before->percent;
    }
  if (again == 0)
    return;
  pace->again = sl_fitted (again / all);
  pace->same_class = sl_fitted (same_class / again);
  pace->same = same_class > 0 ? sl_fitted (same / same_class) : 0;
}

static void
count_checks (SlPace *pace, const GArray *taken)
{
  double n = 0, right = 0, products = 0, pairs = 0;
  for (guint i = 0; i < taken->len; i++)
    {
      n += taken_at (taken, i)->check;
      right += taken_at (taken, i)->check && !taken_at (taken, i)->missed;
    }
  if (n == 0)
    return;
  double mean = right / n, variance = mean * (1 - mean);
  for (guint from = 0, end; from < taken->len; from = end)
    {
      double own = 0, sum = 0, squares = 0;
      end = person_end (taken, from);
      for (guint i = from; i < end; i++)
        {
          double x = taken_at (taken, i)->check ? !taken_at (taken, i)->missed - mean : 0;
          own += taken_at (taken, i)->check;
          sum += x;
          squares += x * x;
        }
      gboolean known = taken_at (taken, from)->person >= 0;
      products += known ? sum * sum - squares : 0;
      pairs += known ? own * (own - 1) : 0;
    }
  pace->check = sl_fitted (n / taken->len);
  pace->check_right = sl_fitted (mean);
  pace->check_people
      = pairs > 0 && variance > 0 ? sl_fitted (CLAMP (products / pairs / variance, 0, 1)) : 0;
}

void
sl_pace_fit (SlPace *pace, const GArray *taken)
{
  fit_means (pace, taken);
  fit_drift (pace, taken);
  fit_means (pace, taken);
  fit_spreads (pace, taken);
  count_again (pace, taken);
  count_checks (pace, taken);
}

double
sl_pace_draw (const SlPace *pace, SlGroup group, double person, double place, SlRandom *random)
{
  double drift = isnan (pace->drift) ? 0 : pace->drift * (place - .5);
  double log = pace->mean[group] + pace->people * person + drift
               + pace->sd[group] * sl_random_normal (random);
  return rint (sl_exp (CLAMP (log, -20, 20)) * 1000) / 1000;
}

double
sl_pace_draw_attention (const SlPace *pace, SlRandom *random)
{
  double mean = pace->check_right, rho = MIN (pace->check_people, .999);
  if (!(rho > 1e-3) || mean <= 0 || mean >= 1)
    return mean;
  double t = (1 - rho) / rho;
  return sl_random_beta (random, mean * t, (1 - mean) * t);
}
