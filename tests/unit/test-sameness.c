/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds are fixed, so every check gives the same result every time. */
#include "stages/simulate/simulator/sameness.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "near.h"

#define NONE ((double) NAN)
#define CLASSES 11 /* so that one more class left possible is .1 */

static void
say (SlPanel *people, gint32 person, double first, double second, gint32 alternatives)
{
  const SlSaid said = {
    .person = person, .alternatives = alternatives, .first = first, .second = second, .n = 1
  };
  g_array_append_val (people->said[SL_GROUP_ALL], said);
}

/* Of what is recorded beside answers nothing is known. */
static void
figures_of (const SlPanel *people, SlMannerFigure *figure)
{
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (SlTaken));
  sl_manner_figures (people, none, CLASSES, figure);
}

/* Two people, who answer twice each: 100, and 100; 60 and 40, of 2 classes, 60 and 50, of 4. */
static void
make_two (SlPanel *people)
{
  sl_panel_init (people);
  say (people, 0, 100, NONE, 0);
  say (people, 0, 100, NONE, 0);
  say (people, 1, 60, 40, 2);
  say (people, 1, 60, 50, 4);
  sl_panel_arrange (people, 2);
}

/* Three sums of four are 100, one is more; leaving out either person makes 1/2 and 1 of the first:
 * se² = 1/2 (1/16 + 1/16). To say 100 has the mean 1/2; both pairs of the first person do, none of
 * the second's: 2/4 - 1/4, so sd 1/2, as that of naming a second class. Of the shares 0, 0, .2, .4
 * the mean is .15, the products 0 and .08: .16 / 4 - .0225. */
static void
test_figures (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  make_two (&people);
  SlMannerFigure figure[SL_N_MANNERS];
  figures_of (&people, figure);
  assert_near (figure[SL_MANNER_SUM_100].value, .75, 1e-9);
  assert_near (figure[SL_MANNER_SUM_100].se, .25, 1e-9);
  assert_near (figure[SL_MANNER_SUM_ABOVE].value, .25, 1e-9);
  assert_true (isnan (figure[SL_MANNER_R_SECOND].value));
  const double first[] = { 100, 100, 60, 60 }, open[] = { 0, 0, 2, 4 };
  assert_near (figure[SL_MANNER_R_ALTERNATIVES].value, gsl_stats_correlation (first, 1, open, 1, 4),
               1e-9);
  assert_near (figure[SL_MANNER_SD_CERTAIN].value, .5, 1e-9);
  assert_near (figure[SL_MANNER_SD_SECOND].value, .5, 1e-9);
  assert_near (figure[SL_MANNER_SD_RULED_OUT].value, sqrt (.04 - .0225), 1e-9);
}

/* Both see an item at the begin and again at the end. One says the same class, 80 in place of 100:
 * that is half of both, and a change of .2; the other 60 both times. Within people u is -.5 and .5,
 * the shares .1, -.1 and 0: r is -.1 / sqrt (.02). The logarithms 1, 3 and 4, 4 make 1 / sqrt (2);
 * their mean is 3, their products (3 + 3 + 16 + 16) / 4, so the variance over people is 9.5 - 9. An
 * attention check is left out. */
static void
test_course (void **state)
{
  (void) state;
  static const SlTaken known[] = {
    { .person = 0, .item = 1, .percent = 100, .log = 1, .place = 1 },
    { .person = 0, .item = 1, .repeat = 1, .percent = 80, .log = 3, .place = 5 },
    { .person = 0, .item = 2, .check = 1, .percent = 7, .log = 9, .place = 2 },
    { .person = 1, .item = 1, .percent = 60, .log = 4, .place = 1 },
    { .person = 1, .item = 1, .repeat = 1, .class = 1, .percent = 60, .log = 4, .place = 5 },
  };
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (SlTaken));
  g_array_append_vals (taken, known, G_N_ELEMENTS (known));
  sl_taken_arrange (taken);
  g_auto (SlPanel) people;
  make_two (&people);
  SlMannerFigure figure[SL_N_MANNERS];
  sl_manner_figures (&people, taken, CLASSES, figure);
  assert_near (figure[SL_MANNER_AGAIN_CLASS].value, .5, 1e-9);
  assert_near (figure[SL_MANNER_AGAIN_CLASS].se, .5, 1e-9);
  assert_near (figure[SL_MANNER_AGAIN_PERCENT].value, .2, 1e-9);
  assert_near (figure[SL_MANNER_R_TRIAL].value, -sqrt (.5), 1e-9);
  assert_near (figure[SL_MANNER_R_TRIAL_SECONDS].value, sqrt (.5), 1e-9);
  assert_near (figure[SL_MANNER_SD_SECONDS].value, sqrt (.5), 1e-9);
  assert_near (figure[SL_MANNER_SUM_100].value, .75, 1e-9);
}

/* Nobody, and somebody whom nobody knows: no spread over people, and no error. */
static void
test_nobody (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  SlMannerFigure figure[SL_N_MANNERS];
  for (int n = 0; n < 2; n++)
    {
      sl_panel_init (&people);
      for (int i = 0; i < n; i++)
        say (&people, -1, 90, 10, 1);
      sl_panel_arrange (&people, 0);
      figures_of (&people, figure);
      assert_true (n == 0 ? isnan (figure[SL_MANNER_SUM_100].value)
                          : figure[SL_MANNER_SUM_100].value == 1);
      for (int m = 0; m < SL_N_MANNERS; m++)
        assert_true (isnan (figure[m].se));
      assert_true (isnan (figure[SL_MANNER_SD_CERTAIN].value));
      sl_panel_clear (&people);
    }
}

enum
{
  PEOPLE = 400,
  ANSWERS = 10,
};

/* Whoever has the tendency t, of Beta (2, 2), says 100 with that probability. The sd of t is
 * sqrt (.05), whatever the number of answers, and the jackknife's error about sd / sqrt (2 P). */
static void
make_beta (SlPanel *people, guint32 seed, double other)
{
  sl_panel_init (people);
  for (gint32 p = 0; p < PEOPLE; p++)
    {
      SlRandom random = sl_random (seed, 2, (guint64) p, 0, 0);
      double t = sl_random_beta (&random, 2, 2);
      for (int i = 0; i < ANSWERS; i++)
        say (people, p, sl_random_unit (&random) < t ? 100 : other, NONE, 0);
    }
  sl_panel_arrange (people, PEOPLE);
}

static void
test_spread (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  make_beta (&people, 1, 50);
  SlMannerFigure figure[SL_N_MANNERS];
  figures_of (&people, figure);
  double se = figure[SL_MANNER_SD_CERTAIN].se;
  assert_near (figure[SL_MANNER_SD_CERTAIN].value, sqrt (.05), 4 * se);
  assert_true (se > .5 * sqrt (.05 / (2 * PEOPLE)) && se < 2 * sqrt (.05 / (2 * PEOPLE)));
}

/* Two points, (1, 0, 0) and (.5, .5, .4), are sqrt (.66) apart: twice that. What to expect, one
 * answer does not tell. */
static void
test_energy_of_points (void **state)
{
  (void) state;
  g_auto (SlPanel) a, b;
  sl_panel_init (&a);
  sl_panel_init (&b);
  say (&a, 0, 100, NONE, 0);
  say (&b, 0, 50, 50, 4);
  sl_panel_arrange (&a, 1);
  sl_panel_arrange (&b, 1);
  double expected;
  assert_near (sl_energy_distance (&a, &b, SL_GROUP_ALL, CLASSES, &expected), 2 * sqrt (.66), 1e-9);
  assert_true (isnan (expected));
  assert_true (isnan (sl_energy_distance (&a, &b, SL_GROUP_LOW, CLASSES, &expected)));
}

/* make_two() against itself: 0. Of 16 pairs 8 are one person's; within are 2 × .2236 (.1 and .2
 * apart); two people are on average mu apart, so 1/2 mu - .4472 / 16 is expected of either. */
static void
test_energy_expected (void **state)
{
  (void) state;
  g_auto (SlPanel) a, b;
  make_two (&a);
  make_two (&b);
  double expected, within = 2 * sqrt (.05) / 16;
  double mu = (sqrt (.16 + .16 + .04) + sqrt (.16 + .25 + .16)) / 2;
  assert_near (sl_energy_distance (&a, &b, SL_GROUP_ALL, CLASSES, &expected), 0, 1e-9);
  assert_near (expected, 2 * (mu / 2 - within), 1e-9);
}

/* Of first percents alone it is 2 ∫ (F - G)², by the definition of Cramér's distance. With
 * thousands of different ones, a part of them is enough. */
static void
test_energy_in_one_dimension (void **state)
{
  (void) state;
  enum
  {
    N = 6000
  };
  g_auto (SlPanel) a, b;
  static int of_a[10001], of_b[10001];
  sl_panel_init (&a);
  sl_panel_init (&b);
  for (gint32 i = 0; i < N; i++)
    {
      SlRandom random = sl_random (1, 2, (guint64) i, 0, 0);
      int x = (int) sl_random_below (&random, 10001), y = (int) sl_random_below (&random, 8001);
      say (&a, -1, x / 100., NONE, 0);
      say (&b, -1, y / 100., NONE, 0);
      of_a[x]++;
      of_b[y]++;
    }
  sl_panel_arrange (&a, 0);
  sl_panel_arrange (&b, 0);
  double integral = 0, apart = 0, expected;
  for (int x = 0; x <= 10000; x++)
    {
      apart += (of_a[x] - of_b[x]) / (double) N;
      integral += apart * apart / 10000;
    }
  assert_near (sl_energy_distance (&a, &b, SL_GROUP_ALL, CLASSES, &expected), 2 * integral,
               .01 * integral);
}

/* Two halves of one kind of people: what comes is what is expected, on average of forty times. */
static void
test_energy_under_sameness (void **state)
{
  (void) state;
  double sum = 0, sums = 0, expected;
  for (guint32 i = 0; i < 40; i++)
    {
      g_auto (SlPanel) a, b;
      make_beta (&a, 2 * i + 1, 50);
      make_beta (&b, 2 * i + 2, 50);
      sum += sl_energy_distance (&a, &b, SL_GROUP_ALL, CLASSES, &expected);
      sums += expected;
    }
  /* A squared normal variable has the standard deviation sqrt (2), of its mean. */
  assert_near (sum / sums, 1, 3 * sqrt (2. / 40));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_figures),
    cmocka_unit_test (test_course),
    cmocka_unit_test (test_nobody),
    cmocka_unit_test (test_spread),
    cmocka_unit_test (test_energy_of_points),
    cmocka_unit_test (test_energy_expected),
    cmocka_unit_test (test_energy_in_one_dimension),
    cmocka_unit_test (test_energy_under_sameness),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
