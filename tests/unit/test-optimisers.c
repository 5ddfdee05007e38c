/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers and schedules, by values computed in double precision from the formulas of PyTorch's
 * documentation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "stages/train/optimisers/optimiser.h"

#include <string.h>

#define BOUND 3e-7 /* three steps in single precision */

/* Three steps from (1, -2, 0.5), and after a reset the same again. */
static void
check (const SlOptimiserPlan *plan, double rate, const double expected[3])
{
  static const float begin[] = { 1, -2, .5f };
  static const float grads[3][3] = { { .1f, -.2f, .3f }, { .4f, .1f, -.6f }, { -.3f, .2f, .1f } };
  float value[3], grad[3], mean[2] = { 7, 8 };
  SlParameter parameters[] = {
    { .name = "mean", .size = 2, .value = mean },
    { .name = "w", .size = 3, .value = value, .grad = grad, .decays = TRUE },
  };
  g_auto (SlOptimiser) optimiser;
  sl_optimiser_init (&optimiser, plan, parameters, 2);
  assert_int_equal (optimiser.size, 3);
  for (int again = 0; again < 2; again++)
    {
      memcpy (value, begin, sizeof value);
      for (int t = 0; t < 3; t++)
        {
          memcpy (grad, grads[t], sizeof grad);
          sl_optimiser_step (&optimiser, rate);
        }
      for (int i = 0; i < 3; i++)
        assert_near (value[i], expected[i], BOUND);
      assert_int_equal (optimiser.step, 3);
      sl_optimiser_reset (&optimiser);
    }
  assert_true (mean[0] == 7 && mean[1] == 8);
}

static void
test_sgd (void **state)
{
  (void) state;
  SlOptimiserPlan plan = { .kind = SL_OPTIMISER_SGD, .threads = 2 };
  check (&plan, .1, (double[]){ .98, -2.01, .52 });
  plan.momentum = .9;
  plan.weight_decay = .01;
  check (&plan, .1, (double[]){ .921372789, -1.973655578, .5199513695 });
  plan.nesterov = TRUE;
  check (&plan, .1, (double[]){ .906422212551, -1.980419525102, .5365045848005 });
}

static void
test_adam (void **state)
{
  (void) state;
  SlOptimiserPlan plan = { .kind = SL_OPTIMISER_ADAM,
                           .beta1 = .9,
                           .beta2 = .999,
                           .epsilon = 1e-8,
                           .weight_decay = .1,
                           .threads = 1 };
  check (&plan, .01, (double[]){ .9760467660273631, -1.9753253294472093, .4932933753184577 });
  plan.kind = SL_OPTIMISER_ADAMW;
  check (&plan, .01, (double[]){ .9764209861415688, -1.984092249393122, .49403545597657933 });
  /* So soon RAdam does not divide; later steps are compared with PyTorch's by tests/torch. */
  plan.kind = SL_OPTIMISER_RADAM;
  check (&plan, .01, (double[]){ .9929045325305884, -1.9920570743833754, .49796761827539326 });
}

static void
test_clipping (void **state)
{
  (void) state;
  float one[5] = { 3, 0, 0, 0, 0 }, other[1] = { 4 };
  SlParameter parameters[]
      = { { .size = 5, .grad = one }, { .size = 1, .grad = other }, { .size = 9 } };
  assert_near (sl_clip_by_norm (parameters, 3, 10), 5, 0);
  assert_true (one[0] == 3 && other[0] == 4);
  assert_near (sl_clip_by_norm (parameters, 3, 0), 5, 0);
  assert_near (sl_clip_by_norm (parameters, 3, 1), 5, 0);
  assert_near (one[0], .6, 2e-7);
  assert_near (other[0], .8, 2e-7);
  other[0] = NAN;
  assert_true (isnan (sl_clip_by_norm (parameters, 3, 1)));
}

static void
test_schedules (void **state)
{
  (void) state;
  static const gint64 drops[] = { 51, 56 };
  SlSchedule schedule = { SL_SCHEDULE_STEP, .1, 65, drops, 2, .1, FALSE, 0 };
  assert_near (sl_schedule_rate (&schedule, 50, 218, 219), .1, 0);
  assert_near (sl_schedule_rate (&schedule, 51, 0, 219), .01, 1e-17);
  assert_near (sl_schedule_rate (&schedule, 64, 0, 219), .001, 1e-17);
  assert_true (sl_schedule_drops_at (&schedule, 51) && !sl_schedule_drops_at (&schedule, 52));
  schedule.kind = SL_SCHEDULE_COSINE;
  schedule.epochs = 300;
  assert_near (sl_schedule_rate (&schedule, 0, 0, 1), .1, 0);
  assert_near (sl_schedule_rate (&schedule, 150, 0, 1), .05, 1e-15);
  assert_near (sl_schedule_rate (&schedule, 100, 0, 1), .075, 1e-15);
  assert_near (sl_schedule_rate (&schedule, 100, 9, 10), .075, 1e-15);
  schedule.by_batch = TRUE;
  assert_near (sl_schedule_rate (&schedule, 0, 0, 10), .1, 0);
  assert_near (sl_schedule_rate (&schedule, 149, 10, 10), .05, 1e-15);
  schedule.epochs = 1; /* cos (pi / 3) = 1/2 */
  assert_near (sl_schedule_rate (&schedule, 0, 2, 6), .075, 1e-15);
  schedule.kind = SL_SCHEDULE_CONSTANT;
  schedule.warm_up = 2;
  assert_near (sl_schedule_rate (&schedule, 0, 0, 10), .1 * 1 / 20, 1e-15);
  assert_near (sl_schedule_rate (&schedule, 1, 4, 10), .1 * 15 / 20, 1e-15);
  assert_near (sl_schedule_rate (&schedule, 2, 0, 10), .1, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_sgd),
    cmocka_unit_test (test_adam),
    cmocka_unit_test (test_clipping),
    cmocka_unit_test (test_schedules),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
