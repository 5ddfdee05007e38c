/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pace.h"

#include "pipeline/base/real-math.h"
#include "precision.h"

#include <math.h>

/* Seconds are log-normal (van der Linden, J. Educational and Behavioral Statistics 31, 2006): the
 * logarithm of what person p takes for an item of group g is mean_g + people a_p + sd_g e, with a_p
 * and e of N (0, 1). By moments: y being less the group's mean,
 *
 *     people² = Σ_p Σ_{j≠k} y_pj y_pk / Σ_p n_p (n_p - 1),   sd_g² = mean y² - people² */

const char *const sl_pace_names[SL_N_PACES]
    = { "seconds.mean", "seconds.sd", "seconds.people", "again", "again.class", "again.same" };

double *
sl_pace_number (SlPace *pace, int which, int group)
{
  double *const numbers[SL_N_PACES] = { &pace->mean[group], &pace->sd[group],  &pace->people,
                                        &pace->again,       &pace->same_class, &pace->same };
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
         && (isnan (pace->mean[group])
             || (fabs (pace->mean[group]) <= most && pace->sd[group] >= 0 && pace->sd[group] <= most
                 && pace->people >= 0 && pace->people <= most));
}

static int
compare_timed (gconstpointer a, gconstpointer b)
{
  const SlTimed *x = a, *y = b;
  if (x->person != y->person)
    return x->person < y->person ? -1 : 1;
  return (x->log > y->log) - (x->log < y->log);
}

void
sl_pace_fit (SlPace *pace, GArray *const *timed)
{
  double products = 0, pairs = 0, square[SL_N_GROUPS] = { 0 };
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      guint n = timed[g]->len;
      double mean = 0;
      g_array_sort (timed[g], compare_timed);
      const SlTimed *one = (const SlTimed *) (gconstpointer) timed[g]->data;
      for (guint i = 0; i < n; i++)
        mean += one[i].log / n;
      for (guint i = 0, end; i < n; i = end)
        {
          double sum = 0, squares = 0;
          for (end = i; end < n && one[end].person == one[i].person; end++)
            {
              sum += one[end].log - mean;
              squares += (one[end].log - mean) * (one[end].log - mean);
            }
          square[g] += squares / n;
          products += one[i].person >= 0 ? sum * sum - squares : 0;
          pairs += one[i].person >= 0 ? (double) (end - i) * (end - i - 1) : 0;
        }
      pace->mean[g] = n > 0 ? sl_fitted (mean) : (double) NAN;
    }
  double people = pairs > 0 ? fmax (products / pairs, 0) : 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    if (timed[g]->len > 0)
      {
        pace->people = sl_fitted (sqrt (people));
        pace->sd[g] = sl_fitted (sqrt (fmax (square[g] - people, 0)));
      }
}

static int
compare_seen (gconstpointer a, gconstpointer b)
{
  const SlSeen *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->repeat != y->repeat)
    return x->repeat - y->repeat;
  return x->class != y->class ? x->class - y->class
                              : (x->percent > y->percent) - (x->percent < y->percent);
}

void
sl_pace_count_again (SlPace *pace, GArray *seen)
{
  double again = 0, same_class = 0, same = 0;
  g_array_sort (seen, compare_seen);
  const SlSeen *one = (const SlSeen *) (gconstpointer) seen->data, *first = one;
  for (guint i = 0; i < seen->len; i++)
    {
      first = one[i].key == first->key ? first : &one[i];
      if (!one[i].repeat || first->repeat)
        continue;
      again++;
      same_class += one[i].class == first->class;
      same += one[i].class == first->class && one[i].percent == first->percent;
    }
  if (again == 0)
    return;
  pace->again = sl_fitted (again / seen->len);
  pace->same_class = sl_fitted (same_class / again);
  pace->same = same_class > 0 ? sl_fitted (same / same_class) : 0;
}

double
sl_pace_draw (const SlPace *pace, SlGroup group, double person, SlRandom *random)
{
  double log
      = pace->mean[group] + pace->people * person + pace->sd[group] * sl_random_normal (random);
  return rint (sl_exp (CLAMP (log, -20, 20)) * 1000) / 1000;
}
