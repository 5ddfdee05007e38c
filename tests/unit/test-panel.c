/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds are fixed, so every check gives the same result every time. */
#include "stages/simulate/simulator/elicitation.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

#define NONE ((double) NAN)

static void
say (SlPanel *people, int group, gint32 person, double first, double second, gint32 alternatives)
{
  const SlSaid said = {
    .person = person, .alternatives = alternatives, .first = first, .second = second, .n = 1
  };
  g_array_append_val (people->said[group], said);
}

static const SlSaid *
at (const SlPanel *people, guint i)
{
  return &g_array_index (people->said[SL_GROUP_ALL], SlSaid, i);
}

/* By person, then by percents, none before the others, then by the classes left; what is alike is
 * one. */
static void
test_arrange (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  sl_panel_init (&people);
  assert_false (sl_panel_is_there (&people));
  say (&people, SL_GROUP_ALL, 1, 100, NONE, 0);
  say (&people, SL_GROUP_ALL, 0, 90, 10, 2);
  say (&people, SL_GROUP_ALL, 1, 100, NONE, 0);
  say (&people, SL_GROUP_ALL, 0, 90, NONE, 1);
  say (&people, SL_GROUP_ALL, -1, 5, NONE, 9);
  say (&people, SL_GROUP_ALL, 1, 100, 0, 0);
  sl_panel_arrange (&people, 3);
  assert_true (sl_panel_is_there (&people));
  static const SlSaid expected[] = { { -1, 9, 5, NAN, .n = 1 },
                                     { 0, 1, 90, NAN, .n = 1 },
                                     { 0, 2, 90, 10, .n = 1 },
                                     { 1, 0, 100, NAN, .n = 2 },
                                     { 1, 0, 100, 0, .n = 1 } };
  assert_int_equal (people.said[SL_GROUP_ALL]->len, 5);
  for (guint i = 0; i < 5; i++)
    {
      const SlSaid *said = at (&people, i);
      assert_int_equal (said->person, expected[i].person);
      assert_int_equal (said->alternatives, expected[i].alternatives);
      assert_int_equal (said->n, expected[i].n);
      assert_near (said->first, expected[i].first, 0);
      assert_int_equal (isnan (said->second), isnan (expected[i].second));
    }
  static const gsize start[] = { 1, 3, 5, 5 };
  for (int p = 0; p <= 3; p++)
    assert_int_equal (people.start[SL_GROUP_ALL][p], start[p]);
  assert_int_equal (people.before[SL_GROUP_ALL][4], 5);
  assert_int_equal (people.before[SL_GROUP_ALL][5], 6);
}

/* One of two people says 100 twice and 50 once, the other 50 twice: around the mean of .4 the first
 * one's sum is .8, its square less the squares -.24; the second's are -.8 and .32. Over 6 + 2
 * pairs, that is .01, of a variance of .24. What is left possible goes along, so it is as much
 * alike; nobody differs in naming a second class. */
static void
test_icc (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  sl_panel_init (&people);
  for (int i = 0; i < 5; i++)
    say (&people, SL_GROUP_ALL, i > 2, i < 2 ? 100 : 50, NONE, i < 2 ? 0 : 3);
  /* Nobody's answers tell nothing. */
  say (&people, SL_GROUP_ALL, -1, 100, 10, 9);
  sl_panel_arrange (&people, 2);
  assert_near (sl_panel_icc (&people), .01 / .24, 1e-9);
}

/* Whoever is always certain, and whoever never is: 1. Both now and then: less than by chance, 0. */
static void
test_icc_at_the_edges (void **state)
{
  (void) state;
  for (int alike = 0; alike < 2; alike++)
    {
      g_auto (SlPanel) people;
      sl_panel_init (&people);
      for (int i = 0; i < 4; i++)
        say (&people, SL_GROUP_HIGH, alike ? i / 2 : i % 2, i < 2 ? 100 : 50, NONE, 1);
      sl_panel_arrange (&people, 2);
      assert_near (sl_panel_icc (&people), alike, 1e-9);
    }
  g_auto (SlPanel) once;
  sl_panel_init (&once);
  say (&once, SL_GROUP_ALL, 0, 100, NONE, 0);
  say (&once, SL_GROUP_ALL, 1, 50, NONE, 1);
  sl_panel_arrange (&once, 2);
  assert_near (sl_panel_icc (&once), 0, 0);
}

/* Two people, 4 answers and 1: 90 three times and 80; 70. */
static void
make_two (SlPanel *people, double icc)
{
  sl_panel_init (people);
  for (int i = 0; i < 3; i++)
    say (people, SL_GROUP_ALL, 0, 90, 5, 2);
  say (people, SL_GROUP_ALL, 0, 80, 20, 1);
  say (people, SL_GROUP_ALL, 1, 70, NONE, 0);
  sl_panel_arrange (people, 2);
  sl_panel_set_icc (people, icc);
}

/* Of icc 1/2, n answers keep sqrt (n / (n + 1)): sqrt (.8) = .894427 and sqrt (.5) = .707107. By
 * hand: .2 is within the first quarter of the first one's .894427, so 80; .3 is not, so 90. .9 is
 * (.9 - .894427) / .105573 = .0528 of everybody's, of which the first fifth is 80; .93 is .337 of
 * them, 90; .99 is .905 of them, so 70. */
static void
test_say (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  make_two (&people, .5);
  assert_near (people.own[SL_GROUP_ALL][0], .8944271910, 1e-9);
  assert_near (people.own[SL_GROUP_ALL][1], .7071067812, 1e-9);
  assert_near (people.own[SL_GROUP_LOW][1], 0, 0);
  static const struct
  {
    gint32 person;
    double v, first;
  } cases[] = { { 0, 0, 80 },    { 0, .2, 80 },   { 0, .3, 90 },  { 0, .89, 90 }, { 0, .9, 80 },
                { 0, .93, 90 },  { 0, .99, 70 },  { 1, .7, 70 },  { 1, .71, 80 }, { 1, .999, 70 },
                { -1, .19, 80 }, { -1, .21, 90 }, { -1, .81, 70 } };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_near (sl_panel_say (&people, SL_GROUP_ALL, cases[i].person, cases[i].v)->first,
                 cases[i].first, 0);
  assert_near (sl_panel_say (&people, SL_GROUP_ALL, 1, 1 - 0x1p-53)->first, 70, 0);
}

#define N 200000

/* That observed[n] are drawn with the shares expected[n], by Pearson's chi-square. */
static void
check_shares (const double *observed, const double *expected, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += pow (observed[i] - N * expected[i], 2) / (N * expected[i]);
  assert_true (gsl_cdf_chisq_Q (sum, n - 1) > 1e-4);
}

/* Whoever answered more often is drawn more often; and a person's answers are their own and
 * everybody's. */
static void
test_draws (void **state)
{
  (void) state;
  g_auto (SlPanel) people;
  make_two (&people, .5);
  double drawn[2] = { 0 }, own = sqrt (.8), said[2][3] = { { 0 } };
  for (guint32 i = 0; i < N; i++)
    {
      SlRandom random = sl_random (1, 2, i, 4, 0);
      drawn[sl_panel_draw (&people, &random)]++;
      for (gint32 person = -1; person < 1; person++)
        {
          double v = sl_random_unit (&random);
          int first = (int) sl_panel_say (&people, SL_GROUP_ALL, person, v)->first;
          said[person + 1][(first - 70) / 10]++;
        }
    }
  check_shares (drawn, (const double[]){ .8, .2 }, 2);
  check_shares (said[0], (const double[]){ .2, .2, .6 }, 3);
  check_shares (
      said[1],
      (const double[]){ .2 * (1 - own), .25 * own + .2 * (1 - own), .75 * own + .6 * (1 - own) },
      3);
}

/* As it was typed, or rounded; the second class is the likest, and what was said is said of it. */
static void
test_elicit (void **state)
{
  (void) state;
  enum
  {
    K = 4
  };
  double likeness[K * K] = { [0 * K + 2] = .5, [0 * K + 3] = .2 }, none[K] = { 0 };
  double sums[K] = { 1, 1, 1, 1 };
  for (int step = 0; step <= 10; step += 10)
    {
      g_auto (SlSimulator) simulator
          = { .n_classes = K, .likeness = g_memdup2 (likeness, sizeof likeness) };
      for (int g = 0; g < SL_N_GROUPS; g++)
        simulator.group[g].alternatives = g_memdup2 (none, sizeof none);
      simulator.group[SL_GROUP_ALL].answers = 1;
      sl_panel_init (&simulator.people);
      say (&simulator.people, SL_GROUP_ALL, 0, 93, 3, 2);
      sl_panel_arrange (&simulator.people, 1);
      sl_panel_set_icc (&simulator.people, 0);
      g_auto (SlElicitor) elicitor;
      sl_elicitor_init (&elicitor, &simulator, step);
      SlRandom random = sl_random (1, 2, 3, 4, 5);
      SlElicited answer = sl_elicit (&elicitor, SL_GROUP_ALL, 0, sums, &random);
      assert_int_equal (answer.class, 0);
      assert_int_equal (answer.second, 2);
      assert_int_equal (answer.alternatives, 2);
      assert_near (answer.percent, step > 0 ? 90 : 93, 0);
      assert_near (answer.second_percent, step > 0 ? 10 : 3, 0);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_arrange),
    cmocka_unit_test (test_icc),
    cmocka_unit_test (test_icc_at_the_edges),
    cmocka_unit_test (test_say),
    cmocka_unit_test (test_draws),
    cmocka_unit_test (test_elicit),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
