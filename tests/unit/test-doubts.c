/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "stages/doubts/confident-joint.h"

#define EXACT 1e-15

/* Two labels of class 0, one of class 1, one between them. */
static const double t[] = { 1, 0, 1, 0, 0, 1, 0.5, 0.5 };
static const double p[] = { 0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.6, 0.4 };

static void
by_hand (void **state)
{
  (void) state;
  double threshold[2], count[4], joint[4];
  sl_confident_thresholds (t, p, 4, 2, threshold);
  assert_near (threshold[0], (0.9 + 0.2 + 0.5 * 0.6) / 2.5, EXACT);
  assert_near (threshold[1], (0.7 + 0.5 * 0.4) / 1.5, EXACT);
  static const gint32 expected[] = { 0, 1, 1, 0 };
  gint32 confident[4];
  for (int i = 0; i < 4; i++)
    {
      confident[i] = sl_confident_class (p + 2 * i, threshold, 2);
      assert_int_equal (confident[i], expected[i]);
    }
  sl_confident_joint (t, confident, 4, 2, count);
  static const double counted[] = { 1.5, 1, 0.5, 1 }, sums[] = { 2.5, 1.5 };
  sl_calibrated_joint (count, sums, 2, joint);
  for (int c = 0; c < 4; c++)
    {
      assert_near (count[c], counted[c], EXACT);
      assert_near (joint[c], counted[c] / 4, EXACT);
    }
  /* Counts of another sum than the labels: items that the model is confident of are a third. */
  static const double third[] = { 1, 0.5, 0.25, 0.25 };
  sl_calibrated_joint (third, sums, 2, joint);
  assert_near (joint[1], 0.5 / 1.5 * 2.5 / 4, EXACT);
  assert_near (joint[2], 0.5 * 1.5 / 4, EXACT);
}

static void
scores (void **state)
{
  (void) state;
  static const double self_confidence[] = { 0.9, 0.2, 0.7, 0.9 }, margin[] = { 0.9, 0.2, 0.7, 0.5 };
  for (int i = 0; i < 4; i++)
    {
      assert_near (sl_self_confidence (t + 2 * i, p + 2 * i, 2), self_confidence[i], EXACT);
      assert_near (sl_normalised_margin (t + 2 * i, p + 2 * i, 2), margin[i], EXACT);
    }
  assert_near (sl_self_confidence (p, p, 2), 1, EXACT);
  static const double three[] = { 0.5, 0.3, 0.2 }, second[] = { 0, 1, 0 };
  assert_near (sl_normalised_margin (second, three, 3), (1 + 0.3 - 0.5) / 2, EXACT);
}

static void
edges (void **state)
{
  (void) state;
  /* Several classes within reach: the likeliest of all. Within 1e-6 of it is enough. None. */
  static const double low[] = { 0.3, 0.3 }, high[] = { 0.9, 0.9 }, q[] = { 0.45, 0.55 };
  assert_int_equal (sl_confident_class (q, low, 2), 1);
  assert_int_equal (sl_confident_class (q, high, 2), -1);
  static const double just[] = { 0.45 + 9e-7, 0.9 }, over[] = { 0.45 + 2e-6, 0.9 };
  assert_int_equal (sl_confident_class (q, just, 2), 0);
  assert_int_equal (sl_confident_class (q, over, 2), -1);
  /* A class without labels is out of reach; a model that never names its class is not at 0. */
  static const double first[] = { 1, 0 }, sure[] = { 0, 1 };
  double threshold[2], count[4];
  sl_confident_thresholds (first, sure, 1, 2, threshold);
  assert_near (threshold[0], 2e-6, EXACT);
  assert_int_equal (sl_confident_class (sure, threshold, 2), -1);
  /* Of equal classes there is one at least. */
  static const gint32 nobody[] = { -1 };
  sl_confident_joint (first, nobody, 1, 2, count);
  for (int c = 0; c < 4; c++)
    assert_near (count[c], c == 0 || c == 3, EXACT);
}

int
main (void)
{
  const struct CMUnitTest tests[]
      = { cmocka_unit_test (by_hand), cmocka_unit_test (scores), cmocka_unit_test (edges) };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
