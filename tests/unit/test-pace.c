/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds are fixed, so every check gives the same result every time. */
#include "stages/simulate/simulator/pace.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "near.h"

/* Two people with the logarithms 3, 1 and 5, 7: around 4 the sums are -4 and 4, the squares 10
 * each; over 4 pairs people² is (16 - 10 + 16 - 10) / 4 = 3; the mean square is 5, so sd² is 2. */
static void
test_fit (void **state)
{
  (void) state;
  static const SlTimed known[] = { { 1, 5 }, { 0, 3 }, { 1, 7 }, { 0, 1 } };
  GArray *timed[SL_N_GROUPS];
  for (int g = 0; g < SL_N_GROUPS; g++)
    timed[g] = g_array_new (FALSE, FALSE, sizeof (SlTimed));
  g_array_append_vals (timed[SL_GROUP_HIGH], known, G_N_ELEMENTS (known));
  SlPace pace;
  sl_pace_init (&pace);
  sl_pace_fit (&pace, timed);
  assert_false (sl_pace_has_seconds (&pace, SL_GROUP_ALL));
  assert_true (sl_pace_has_seconds (&pace, SL_GROUP_HIGH));
  assert_near (pace.mean[SL_GROUP_HIGH], 4, 1e-9);
  assert_near (pace.people, sqrt (3), 1e-9);
  assert_near (pace.sd[SL_GROUP_HIGH], sqrt (2), 1e-9);
  for (int g = 0; g < SL_N_GROUPS; g++)
    g_array_unref (timed[g]);
}

/* Of six answers two are about an item seen before, of which one has the class of before, and its
 * percent; a third one has nothing before it. In any order. */
static void
test_again (void **state)
{
  (void) state;
  static const SlSeen known[] = { { 7, 1, 2, 80 }, { 7, 0, 2, 80 },  { 8, 0, 1, 50 },
                                  { 8, 1, 0, 50 }, { 9, 1, 1, 100 }, { 10, 0, 0, 100 } };
  for (guint first = 0; first < G_N_ELEMENTS (known); first++)
    {
      g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (SlSeen));
      for (guint i = 0; i < G_N_ELEMENTS (known); i++)
        g_array_append_val (seen, known[(first + i) % G_N_ELEMENTS (known)]);
      SlPace pace;
      sl_pace_init (&pace);
      sl_pace_count_again (&pace, seen);
      assert_near (pace.again, 2. / 6, 1e-9);
      assert_near (pace.same_class, .5, 1e-9);
      assert_near (pace.same, 1, 1e-9);
    }
}

static int
compare (const void *a, const void *b)
{
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Over people, seconds are log-normal with both variances together. The Kolmogorov-Smirnov distance
 * is below 1.95 / sqrt (N) with probability .999. */
static void
test_draws (void **state)
{
  (void) state;
  enum
  {
    N = 20000
  };
  SlPace pace;
  sl_pace_init (&pace);
  pace.mean[SL_GROUP_LOW] = 3;
  pace.sd[SL_GROUP_LOW] = .4;
  pace.people = .3;
  static double seconds[N];
  for (guint32 i = 0; i < N; i++)
    {
      SlRandom random = sl_random (1, 2, i, 0, 0);
      double person = sl_random_normal (&random);
      seconds[i] = sl_pace_draw (&pace, SL_GROUP_LOW, person, &random);
      assert_near (seconds[i] * 1000, rint (seconds[i] * 1000), 1e-6);
    }
  qsort (seconds, N, sizeof *seconds, compare);
  for (int i = 0; i < N; i++)
    assert_near (gsl_cdf_lognormal_P (seconds[i], 3, .5), (i + .5) / N, 1.95 / sqrt (N));
}

static void
test_usable (void **state)
{
  (void) state;
  SlPace pace;
  sl_pace_init (&pace);
  assert_true (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.mean[SL_GROUP_ALL] = 3;
  assert_false (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.sd[SL_GROUP_ALL] = pace.people = .5;
  assert_true (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.again = 1.5;
  assert_false (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.again = .5;
  pace.mean[SL_GROUP_ALL] = 1e9;
  assert_false (sl_pace_is_usable (&pace, SL_GROUP_ALL));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_fit),
    cmocka_unit_test (test_again),
    cmocka_unit_test (test_draws),
    cmocka_unit_test (test_usable),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
