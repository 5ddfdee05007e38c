/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controls of labels, against values by hand and what their distributions must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/control/controls.h"
#include "near.h"

#include <string.h>

static void
test_by_hand (void **state)
{
  (void) state;
  const double label[] = { 0.1, 0.4, 0.4, 0.1 };
  double to[10];
  const struct
  {
    SlControl control;
    gint32 gold;
    double expected[4];
  } cases[] = {
    { { SL_CONTROL_GOLD, 0, 0 }, 3, { 0, 0, 0, 1 } },
    { { SL_CONTROL_UNIFORM, 0, 0 }, -1, { 0.25, 0.25, 0.25, 0.25 } },
    { { SL_CONTROL_ARGMAX, 0, 0 }, -1, { 0, 1, 0, 0 } }, /* of two, the first */
    { { SL_CONTROL_SMOOTH, 0.2, 0 }, -1, { 0.13, 0.37, 0.37, 0.13 } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      assert_true (sl_control_make (&cases[i].control, "a", 1, label, cases[i].gold, 4, to));
      for (int k = 0; k < 4; k++)
        assert_near (to[k], cases[i].expected[k], 1e-15);
    }
  const SlControl gold = { SL_CONTROL_GOLD, 0, 0 };
  assert_false (sl_control_make (&gold, "a", 1, NULL, -1, 4, to));
  /* Ten classes, β = .05: .955 and .005. */
  const double hard[10] = { 0, 0, 1 };
  sl_control_smooth (hard, 10, 0.05, to);
  for (int k = 0; k < 10; k++)
    assert_near (to[k], k == 2 ? 0.955 : 0.005, 1e-15);
}

static void
test_random_labels (void **state)
{
  (void) state;
  enum
  {
    N = 20000
  };
  double sum[3] = { 0 }, squares = 0, to[3], again[3];
  for (int i = 0; i < N; i++)
    {
      char name[16];
      gsize length = (gsize) g_snprintf (name, sizeof name, "%d", i);
      sl_control_random (1, name, length, 3, to);
      assert_near (to[0] + to[1] + to[2], 1, 1e-15);
      for (int k = 0; k < 3; k++)
        sum[k] += to[k];
      squares += (to[0] - 1.0 / 3) * (to[0] - 1.0 / 3);
    }
  /* Each share's standard deviation is below .2. */
  for (int k = 0; k < 3; k++)
    assert_near (sum[k] / N, 1.0 / 3, 4 * 0.2 / sqrt (N));
  /* That of evenly spread distributions, Dirichlet (1, 1, 1), is sqrt (1 / 18) = .236: these lie
   * nearer to the middle. */
  assert_true (sqrt (squares / N) < 0.2);
  sl_control_random (1, "5", 1, 3, to);
  sl_control_random (1, "5", 1, 3, again);
  assert_memory_equal (to, again, sizeof to);
  sl_control_random (2, "5", 1, 3, again);
  assert_true (memcmp (to, again, sizeof to) != 0);
  sl_control_random (1, "5", 1, 1, to);
  assert_near (to[0], 1, 0);
}

static SlIntern *
intern (const char *const *names, int n)
{
  SlIntern *items = sl_intern_new ();
  for (int i = 0; i < n; i++)
    (void) sl_intern (items, names[i], strlen (names[i]));
  return items;
}

static void
test_permutations (void **state)
{
  (void) state;
  static const char *const names[] = { "a", "b", "c" }, *const turned[] = { "c", "a", "b" };
  g_autoptr (SlIntern) x = intern (names, 3), y = intern (turned, 3);
  enum
  {
    SEEDS = 6000
  };
  int count[3][3] = { { 0 } };
  for (guint64 seed = 0; seed < SEEDS; seed++)
    {
      gint32 of_x[3], of_y[3], seen = 0;
      sl_control_permute (seed, x, of_x);
      sl_control_permute (seed, y, of_y);
      for (int i = 0; i < 3; i++)
        {
          /* Whatever their numbers, the same item gets from the same one. */
          gint32 j = sl_intern_find (y, names[i], 1);
          assert_string_equal (names[of_x[i]], turned[of_y[j]]);
          seen |= 1 << of_x[i];
          count[i][of_x[i]]++;
        }
      assert_int_equal (seen, 7);
    }
  /* σ of a count is sqrt (n p (1 - p)). */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_near (count[i][j], SEEDS / 3.0, 4.5 * sqrt (SEEDS * 2 / 9.0));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_by_hand),
    cmocka_unit_test (test_random_labels),
    cmocka_unit_test (test_permutations),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
