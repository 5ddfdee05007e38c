/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stages/common/figures/chances.h"
#include "stages/common/items/question.h"
#include "stages/judge/alternative.h"
#include "stages/judge/corrected-rate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* 40 items, 20 of them with gold: the judge finds 8 of 10, and names 3 of 10 others; of the rest it
 * names 9. */
static void
test_rates (void **state)
{
  double said[40] = { 0 };
  guint8 named[40] = { 0 };
  gint8 truth[40];
  for (int i = 0; i < 40; i++)
    {
      truth[i] = i >= 20 ? -1 : i < 10;
      named[i] = i < 10 ? i < 8 : i < 20 ? i < 13 : i < 29;
      said[i] = named[i];
    }
  const SlJudgedClass judged = { 40, said, named, truth };
  SlRates rates;
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_int_equal (rates.n, 40);
  assert_int_equal (rates.n_gold, 20);
  assert_float_equal (rates.judged.value, 0.5, 1e-15);
  assert_float_equal (rates.gold.value, 0.5, 1e-15);
  /* Wilson: (10 + z² / 2 ± z √(20 / 4 + z² / 4)) / (20 + z²). */
  assert_float_equal (rates.gold.lower, 0.299298, 1e-6);
  assert_float_equal (rates.gold.upper, 0.700702, 1e-6);
  /* (.5 + .7 - 1) / (.8 + .7 - 1) */
  assert_float_equal (rates.rogan_gladen.value, 0.4, 1e-15);
  /* cov = .4 - .5 × .55 = .125, var of all 40 × .25 / 39 = .25641; λ = .125 / (2 × .25641). */
  assert_float_equal (rates.power, 0.24375, 1e-15);
  assert_float_equal (rates.predicted.value, 0.5 + 0.24375 * (0.45 - 0.55), 1e-15);
  /* var y .25, cov .125 and var f .2475 of the slice, with 1 / n; var f of the rest with n - 1. */
  double variance = (0.25 - 2 * 0.24375 * 0.125 + 0.24375 * 0.24375 * 0.2475) / 20
                    + 0.24375 * 0.24375 * 0.2475 / 19;
  double v = rates.predicted.value, like = v * (1 - v) / variance, lower, upper;
  sl_wilson (v * like, like, 0.95, &lower, &upper);
  assert_float_equal (rates.predicted.lower, lower, 1e-14);
  assert_float_equal (rates.predicted.upper, upper, 1e-14);
  assert_float_equal (rates.worth, 0.25 / variance, 1e-9);
  /* A judge of whom nothing follows takes nothing off, and adds nothing. */
  for (int i = 0; i < 20; i++)
    said[i] = i % 2;
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_float_equal (rates.power, 0, 0);
  assert_float_equal (rates.predicted.lower, rates.gold.lower, 1e-12);
  assert_float_equal (rates.predicted.upper, rates.gold.upper, 1e-12);
}

static void
test_rates_edges (void **state)
{
  const double said[] = { 1, 1, 0, 0 };
  const guint8 named[] = { 1, 1, 0, 0 };
  const gint8 unknown[] = { -1, -1, -1, -1 }, all[] = { 1, 1, 0, 0 }, wrong[] = { 0, 0, 1, 1 },
              one[] = { 1, 1, -1, -1 };
  SlRates rates;
  SlJudgedClass judged = { 4, said, named, unknown };
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_float_equal (rates.judged.value, 0.5, 0);
  assert_true (isnan (rates.gold.value) && isnan (rates.predicted.value));
  assert_non_null (rates.rogan_gladen.reason);
  judged.truth = all; /* nothing is left to predict: gold alone */
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_float_equal (rates.power, 0, 0);
  assert_float_equal (rates.predicted.value, 0.5, 0);
  assert_true (isnan (rates.predicted.lower)); /* of 2 and 2 */
  judged.truth = wrong;
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_true (isnan (rates.rogan_gladen.value));
  judged.truth = one;
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_true (isnan (rates.rogan_gladen.value));
  assert_float_equal (rates.gold.value, 1, 0);
  judged.n = 0;
  sl_corrected_rates (&judged, 0.95, &rates);
  assert_true (isnan (rates.judged.value));
}

/* Three people, four items; the judge goes with the first person. */
static void
test_alternative (void **state)
{
  const gint64 first[] = { 0, 3, 6, 9, 12 };
  const gint32 person[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2 };
  const gint32 answer[] = { 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0 };
  const gint32 judge[] = { 0, 1, 0, 0 };
  SlPeople people = { 4, 3, first, person, answer, NULL };
  SlAlternativeSettings settings = { 0.2, 0.05, 2, 0.95 };
  SlAlternative result;
  sl_alternative_test (&people, judge, &settings, &result);
  assert_int_equal (result.n_people, 3);
  /* Of the judge: 2/3, 1, 1/3, 1; of people: 1/3, 1, 1/3, 1. */
  assert_float_equal (result.agreement.value, 0.75, 1e-15);
  assert_float_equal (result.of_people.value, (1.0 / 3 + 1 + 1.0 / 3 + 1) / 4, 1e-15);
  /* The judge is never behind, and ahead of the third person at the first item. */
  assert_float_equal (result.advantage.value, 1, 1e-15);
  /* All d of the first two are 0: certainly below ε. The third's have mean -1/4 and s = 1/2: t =
   * -1.8, p = .085, above 3/3 × .05 / (1 + 1/2 + 1/3). */
  assert_float_equal (result.winning, 2.0 / 3, 1e-15);
  /* Behind all three at the second item, ahead of the first at the third. */
  const gint32 other[] = { 1, 0, 1, 0 };
  sl_alternative_test (&people, other, &settings, &result);
  assert_float_equal (result.advantage.value, 0.75, 1e-15);
  assert_float_equal (result.winning, 0, 0);
  /* As numbers 0 and 1 the same answers are as near. */
  const double value[] = { 0, 1 };
  people.value = value;
  sl_alternative_test (&people, judge, &settings, &result);
  assert_float_equal (result.advantage.value, 1, 1e-15);
  settings.least_items = 5;
  sl_alternative_test (&people, judge, &settings, &result);
  assert_int_equal (result.n_people, 0);
  assert_true (isnan (result.winning) && isnan (result.advantage.value));
}

static void
test_chances (void **state)
{
  double lower, upper;
  /* R: pt (2.776445, 4), pt (-1, 10). */
  assert_float_equal (sl_t_above (2.7764451052, 4), 0.025, 1e-9);
  assert_float_equal (sl_t_above (-1, 10), 1 - 0.1704465662, 1e-9);
  assert_float_equal (sl_t_above (INFINITY, 3), 0, 0);
  assert_float_equal (sl_t_above (-INFINITY, 3), 1, 0);
  sl_wilson (10, 20, 0.95, &lower, &upper);
  assert_float_equal (lower + upper, 1, 1e-12);
}

static void
test_question (void **state)
{
  const char *name = "a/b/cat";
  assert_ptr_equal (sl_question_in (name, 7, "/"), name + 4);
  assert_ptr_equal (sl_question_in (name, 7, "/b/"), name + 4);
  assert_ptr_equal (sl_question_in (name, 4, "/"), name + 4);
  assert_null (sl_question_in (name, 7, ":"));
  assert_null (sl_question_in ("", 0, "/"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_rates),       cmocka_unit_test (test_rates_edges),
    cmocka_unit_test (test_alternative), cmocka_unit_test (test_chances),
    cmocka_unit_test (test_question),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
