/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stages/aggregate/methods/abilities/rating-model.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GRID SL_RATING_GRID

static double
prior (int g)
{
  return 0.0797885 * exp (-sl_rating_place (g) * sl_rating_place (g) / 2);
}

/* By hand: F (-1/2) = .3775406688, F (3/2) = .8175744762. */
static void
test_probabilities (void **state)
{
  double threshold[] = { -1, 1 }, p[3 * GRID], slope[2 * GRID];
  const SlRatingScale scale = { .n_classes = 3, .threshold = threshold };
  const SlRater rater = { .x = { 0.5, 0, 2 } };
  sl_rating_probabilities (&scale, &rater, p, slope);
  assert_float_equal (p[GRID / 2], 0.3775406688, 1e-9);
  assert_float_equal (p[GRID + GRID / 2], 0.8175744762 - 0.3775406688, 1e-9);
  assert_float_equal (p[2 * GRID + GRID / 2], 1 - 0.8175744762, 1e-9);
  assert_float_equal (slope[GRID / 2], 0.3775406688 * (1 - 0.3775406688), 1e-9);
  for (int g = 0; g < GRID; g++)
    assert_float_equal (p[g] + p[GRID + g] + p[2 * GRID + g], 1, 1e-8);
}

/* Where the answers are those that a rater is expected to give, it is that rater. */
static void
test_improve (void **state)
{
  double threshold[] = { -2, 0, 2 }, p[4 * GRID], room[12 * GRID];
  const SlRatingScale scale = {
    .n_classes = 4, .threshold = threshold, .mean = { 0, 0, 1.5 }, .variance = { 1e6, 1e6, 1e6 }
  };
  const SlRater truth = { .x = { 1, 0.3, 1.2 } };
  SlRater rater = { .x = { 0, 0, 1.5 } };
  sl_rating_probabilities (&scale, &truth, p, NULL);
  for (int l = 0; l < 4; l++)
    for (int g = 0; g < GRID; g++)
      p[l * GRID + g] *= 1000 * prior (g);
  for (int round = 0; round < 10; round++)
    sl_rater_improve (&scale, p, &rater, room);
  for (int part = 0; part < SL_RATER_PARTS; part++)
    assert_float_equal (rater.x[part], truth.x[part], 1e-5);
  assert_true (rater.variance[0] > 0 && rater.variance[0] < 0.05);
}

static void
test_thresholds (void **state)
{
  double truth[] = { -2, 0, 2.5 }, threshold[] = { -1, 0.2, 1 }, p[4 * GRID], room[12 * GRID];
  SlRatingScale scale = { .n_classes = 4, .threshold = truth };
  const SlRater rater = { .x = { 0.2, 0.1, 1.4 } };
  sl_rating_probabilities (&scale, &rater, p, NULL);
  for (int l = 0; l < 4; l++)
    for (int g = 0; g < GRID; g++)
      p[l * GRID + g] *= 1000 * prior (g);
  scale.threshold = threshold;
  for (int round = 0; round < 20; round++)
    {
      double score[4] = { 0 }, diagonal[4] = { 0 }, beside[4] = { 0 };
      sl_rater_add_thresholds (&scale, &rater, p, score, diagonal, beside, room);
      sl_rating_move_thresholds (&scale, score, diagonal, beside);
      assert_true (threshold[0] < threshold[1] && threshold[1] < threshold[2]);
    }
  for (int l = 0; l < 3; l++)
    assert_float_equal (threshold[l], truth[l], 1e-6);
}

static void
test_regions (void **state)
{
  double threshold[] = { -1, 1.5 }, boundary[2], share[3 * GRID];
  const SlRatingScale scale = { .n_classes = 3, .threshold = threshold };
  const SlRater raters[] = { { .x = { 0, 0, 1 } }, { .x = { 1, 0, 0 } } };
  const double weight[] = { 1, 5 };
  /* The second tells nothing apart, and so draws no lines. */
  sl_rating_boundaries (&scale, raters, weight, 2, boundary);
  assert_float_equal (boundary[0], -1, 1e-8);
  assert_float_equal (boundary[1], 1.5, 1e-8);
  sl_rating_regions (threshold, 3, share);
  for (int g = 0; g < GRID; g++)
    assert_float_equal (share[g] + share[GRID + g] + share[2 * GRID + g], 1, 1e-12);
  assert_float_equal (share[GRID + GRID / 2], 1, 0);
  assert_float_equal (share[GRID / 2 - 5], 0.5, 1e-12); /* the cell about -1 */
  assert_float_equal (share[0], 1, 0);
  assert_float_equal (share[3 * GRID - 1], 1, 0);
}

/* What raters have in common moves to the thresholds, and no probability changes. */
static void
test_centre (void **state)
{
  double threshold[] = { -1, 1.5 }, before[2][3 * GRID], after[3 * GRID];
  SlRatingScale scale = { .n_classes = 3, .threshold = threshold };
  SlRater raters[] = { { .x = { 0.5, 0.7, 1 } }, { .x = { 1, 0.1, 2 } } };
  for (int a = 0; a < 2; a++)
    sl_rating_probabilities (&scale, &raters[a], before[a], NULL);
  sl_rating_centre (&scale, raters, 2);
  assert_float_equal (raters[0].x[1] + raters[1].x[1], 0, 1e-6);
  for (int a = 0; a < 2; a++)
    {
      sl_rating_probabilities (&scale, &raters[a], after, NULL);
      for (int c = 0; c < 3 * GRID; c++)
        assert_float_equal (after[c], before[a][c], 1e-6);
    }
}

/* 30 items, 3 raters: the second rates all but the highest one step higher, the third at random. */
static void
test_fit (void **state)
{
  enum
  {
    ITEMS = 30,
    K = 4
  };
  gint32 item[3 * ITEMS], annotator[3 * ITEMS], answer[3 * ITEMS];
  double label[ITEMS * K] = { 0 }, weight[ITEMS], lower[ITEMS], upper[ITEMS], bias[3], spread[3],
                       reliability[3], prior_of[K], confusion[3 * K * K];
  const double value[] = { 1, 2, 3, 4 };
  for (int i = 0; i < ITEMS; i++)
    for (int a = 0; a < 3; a++)
      {
        int j = 3 * i + a, true_class = i % K;
        item[j] = i;
        annotator[j] = a;
        answer[j] = a == 0   ? true_class
                    : a == 1 ? MIN (true_class + 1, K - 1)
                             : (i * 7 + 3) / 2 % K;
        label[i * K + answer[j]]++;
        weight[i] = 3;
      }
  const SlItems items = { ITEMS, K, label, weight, NULL, NULL };
  const SlAnswers answers = { .n_answers = 3 * ITEMS,
                              .n_annotators = 3,
                              .item = item,
                              .annotator = annotator,
                              .answer = answer };
  SlMethodSettings settings = { .tolerance = NAN, .smoothing = NAN, .threads = 1, .value = value };
  SlLearned learned = { .lower = lower,
                        .upper = upper,
                        .bias = bias,
                        .spread = spread,
                        .reliability = reliability,
                        .prior = prior_of,
                        .confusion = confusion };
  assert_true (sl_fit_rating (&items, &answers, &settings, &learned, NULL));
  assert_true (bias[1] > bias[0] + 0.3);
  assert_true (reliability[0] > reliability[2]);
  for (int i = 0; i < ITEMS; i++)
    {
      double mean = 0, sum = 0;
      for (int k = 0; k < K; k++)
        {
          sum += label[i * K + k];
          mean += label[i * K + k] * value[k];
        }
      assert_float_equal (sum, 1, 1e-12);
      assert_true (lower[i] <= upper[i] && lower[i] >= 1 - 1e-9 && upper[i] <= 4 + 1e-9);
      assert_true (fabs (mean - (1 + i % K)) < 1);
    }
}

static void
test_median (void **state)
{
  double votes[]
      = { 1, 1, 0, 0, /**/ 2, 1, 1, 0, /**/ 0, 1, 0, 1, /**/ 0, 0, 0, 3, /**/ 1, 1, 1, 0 };
  const double wanted[]
      = { .5, .5, 0, 0, /**/ .5, .5, 0, 0, /**/ 0, .5, 0, .5, /**/ 0, 0, 0, 1, /**/ 0, 1, 0, 0 };
  const SlItems items = { 5, 4, votes, NULL, NULL, NULL };
  sl_label_median (&items, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (votes); i++)
    assert_float_equal (votes[i], wanted[i], 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_probabilities), cmocka_unit_test (test_improve),
    cmocka_unit_test (test_thresholds),    cmocka_unit_test (test_regions),
    cmocka_unit_test (test_centre),        cmocka_unit_test (test_fit),
    cmocka_unit_test (test_median),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
