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

#define NONE ((double) NAN)

static SlPace
fit (const SlTaken *known, guint n, guint first)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (SlTaken));
  for (guint i = 0; i < n; i++)
    g_array_append_val (taken, known[(first + i) % n]);
  sl_taken_arrange (taken);
  SlPace pace;
  sl_pace_init (&pace);
  sl_pace_fit (&pace, taken);
  return pace;
}

/* Two people with the logarithms 3, 1 and 5, 7: around 4 the sums are -4 and 4, the squares 10
 * each; over 4 pairs people² is (16 - 10 + 16 - 10) / 4 = 3; the mean square is 5, so sd² is 2. */
static void
test_fit (void **state)
{
  (void) state;
  static const SlTaken known[] = {
    { .person = 1, .group = SL_GROUP_HIGH, .log = 5, .place = NONE },
    { .person = 0, .group = SL_GROUP_HIGH, .log = 3, .place = NONE },
    { .person = 1, .group = SL_GROUP_HIGH, .log = 7, .place = NONE },
    { .person = 0, .group = SL_GROUP_HIGH, .log = 1, .place = NONE },
  };
  for (guint first = 0; first < G_N_ELEMENTS (known); first++)
    {
      SlPace pace = fit (known, G_N_ELEMENTS (known), first);
      assert_false (sl_pace_has_seconds (&pace, SL_GROUP_ALL));
      assert_true (sl_pace_has_seconds (&pace, SL_GROUP_HIGH));
      assert_near (pace.mean[SL_GROUP_HIGH], 4, 1e-9);
      assert_near (pace.people, sqrt (3), 1e-9);
      assert_near (pace.sd[SL_GROUP_HIGH], sqrt (2), 1e-9);
      assert_true (isnan (pace.drift) && isnan (pace.again) && isnan (pace.check));
    }
}

/* Trials 6, 8, 7 are at 0, 1, .5 of a session; the logarithms 5, 3, 4 fall by 2 on the way, those
 * of the other person by 1, from 3 to 2. Around people's means Σ u y is -1 and -.5, Σ u² is .5 and
 * .5: the drift is -1.5. Less that, the logarithms are 4.25, 3.75, 4 and 2.25, 2.75: a mean of
 * 3.4. */
static void
test_drift (void **state)
{
  (void) state;
  static const SlTaken known[] = {
    { .person = 0, .item = 1, .log = 5, .place = 6 },
    { .person = 0, .item = 2, .log = 3, .place = 8 },
    { .person = 0, .item = 3, .log = 4, .place = 7 },
    { .person = 1, .item = 1, .log = 3, .place = 1 },
    { .person = 1, .item = 2, .log = 2, .place = 9 },
  };
  for (guint first = 0; first < G_N_ELEMENTS (known); first++)
    {
      SlPace pace = fit (known, G_N_ELEMENTS (known), first);
      assert_near (pace.drift, -1.5, 1e-9);
      assert_near (pace.mean[SL_GROUP_ALL], 3.4, 1e-9);
    }
}

/* Of six answers two are about an item seen before, of which one has the class of before, and its
 * percent; a third one has nothing before it. In any order. */
static void
test_again (void **state)
{
  (void) state;
  static const SlTaken known[] = {
    { .item = 7, .repeat = 1, .class = 2, .percent = 80, .log = NONE, .place = NONE },
    { .item = 7, .repeat = 0, .class = 2, .percent = 80, .log = NONE, .place = NONE },
    { .item = 8, .repeat = 0, .class = 1, .percent = 50, .log = NONE, .place = NONE },
    { .item = 8, .repeat = 1, .class = 0, .percent = 50, .log = NONE, .place = NONE },
    { .item = 9, .repeat = 1, .class = 1, .percent = 100, .log = NONE, .place = NONE },
    { .item = 10, .repeat = 0, .class = 0, .percent = 100, .log = NONE, .place = NONE },
  };
  for (guint first = 0; first < G_N_ELEMENTS (known); first++)
    {
      SlPace pace = fit (known, G_N_ELEMENTS (known), first);
      assert_near (pace.again, 2. / 6, 1e-9);
      assert_near (pace.same_class, .5, 1e-9);
      assert_near (pace.same, 1, 1e-9);
    }
}

/* Four of five rows are checks, three of them right: m = .75. One person is right twice, the other
 * once of two: less m, the sums are .5 and -.5, the squares .125 and .625; over 4 pairs
 * (.25 - .125 + .25 - .625) / 4 is below 0. Were the second one wrong twice, m would be .5, the
 * sums 1 and -1, the squares .5 each, and rho (2 - 1) / 4 / .25 = 1. */
static void
test_checks (void **state)
{
  (void) state;
  SlTaken known[] = {
    { .person = 0, .item = 1, .check = 1, .place = NONE },
    { .person = 0, .item = 2, .check = 1, .place = NONE },
    { .person = 1, .item = 1, .check = 1, .place = NONE },
    { .person = 1, .item = 2, .check = 1, .missed = 1, .place = NONE },
    { .person = 1, .item = 3, .log = 1, .place = NONE },
  };
  SlPace pace = fit (known, G_N_ELEMENTS (known), 2);
  assert_near (pace.check, .8, 1e-9);
  assert_near (pace.check_right, .75, 1e-9);
  assert_near (pace.check_people, 0, 0);
  assert_near (pace.mean[SL_GROUP_ALL], 1, 1e-9);
  known[2].missed = 1;
  pace = fit (known, G_N_ELEMENTS (known), 3);
  assert_near (pace.check_right, .5, 1e-9);
  assert_near (pace.check_people, 1, 1e-9);
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
      seconds[i] = sl_pace_draw (&pace, SL_GROUP_LOW, person, .5, &random);
      assert_near (seconds[i] * 1000, rint (seconds[i] * 1000), 1e-6);
    }
  qsort (seconds, N, sizeof *seconds, compare);
  for (int i = 0; i < N; i++)
    assert_near (gsl_cdf_lognormal_P (seconds[i], 3, .5), (i + .5) / N, 1.95 / sqrt (N));
}

/* At the end of a session half the drift is added, with the same numbers drawn. What people get
 * right is of the Beta distribution with mean .8 and 1 / (α + β + 1) = .2: α = 3.2, β = .8. */
static void
test_course (void **state)
{
  (void) state;
  enum
  {
    N = 20000
  };
  SlPace pace;
  sl_pace_init (&pace);
  pace.mean[SL_GROUP_ALL] = 3;
  pace.sd[SL_GROUP_ALL] = pace.people = 0;
  pace.drift = -.5;
  pace.check_right = .8;
  pace.check_people = .2;
  SlRandom random = sl_random (1, 2, 3, 0, 0);
  assert_near (sl_pace_draw (&pace, SL_GROUP_ALL, 0, 1, &random), exp (2.75), 5.1e-4);
  assert_near (sl_pace_draw (&pace, SL_GROUP_ALL, 0, 0, &random), exp (3.25), 5.1e-4);
  static double right[N];
  for (guint32 i = 0; i < N; i++)
    {
      SlRandom own = sl_random (1, 2, i, 0, 0);
      right[i] = sl_pace_draw_attention (&pace, &own);
    }
  qsort (right, N, sizeof *right, compare);
  for (int i = 0; i < N; i++)
    assert_near (gsl_cdf_beta_P (right[i], 3.2, .8), (i + .5) / N, 1.95 / sqrt (N));
  pace.check_people = 0;
  assert_near (sl_pace_draw_attention (&pace, &random), .8, 0);
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
  pace.check = .1;
  assert_false (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.check_right = .9;
  assert_true (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.check_people = -1;
  assert_false (sl_pace_is_usable (&pace, SL_GROUP_ALL));
  pace.check_people = .1;
  pace.mean[SL_GROUP_ALL] = 1e9;
  assert_false (sl_pace_is_usable (&pace, SL_GROUP_ALL));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_fit),    cmocka_unit_test (test_drift), cmocka_unit_test (test_again),
    cmocka_unit_test (test_checks), cmocka_unit_test (test_draws), cmocka_unit_test (test_course),
    cmocka_unit_test (test_usable),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
