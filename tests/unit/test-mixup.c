/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worked examples to the digits that they are given with; seeds are fixed, and bounds of what is
 * drawn are four standard errors. */
#include "stages/simulate/mixtures/fit-logistic.h"
#include "stages/common/mixtures/mixing.h"
#include "stages/simulate/mixtures/pairing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

enum
{
  N = 200000,
  CLASSES = 10
};

static void
test_labels (void **state)
{
  (void) state;
  static const double first[] = { 1, 0, 0 }, second[] = { 0, .6, .4 };
  double label[3];
  sl_mix_labels (first, second, .3, 3, label);
  assert_near (label[0], .3, 1e-15);
  assert_near (label[1], .42, 1e-15);
  assert_near (label[2], .28, 1e-15);
}

static void
test_classes (void **state)
{
  (void) state;
  double label[CLASSES];
  sl_mix_classes (7, 2, .3, 0, CLASSES, label);
  for (int k = 0; k < CLASSES; k++)
    assert_near (label[k], k == 7 ? .3 : k == 2 ? .7 : 0, 1e-15);
  /* Two of a class are of that class. */
  sl_mix_classes (4, 4, .3, 0, CLASSES, label);
  for (int k = 0; k < CLASSES; k++)
    assert_near (label[k], k == 4, 1e-15);
}

static void
test_spread (void **state)
{
  (void) state;
  assert_near (sl_mix_spread (.005, .25, FALSE), .265914795, 5e-10);
  assert_near (sl_mix_spread (.005, .5, FALSE), .070710678, 5e-10);
  assert_near (sl_mix_spread (.005, .8, FALSE), .014426999, 5e-10);
  assert_true (sl_mix_spread (.005, 0, FALSE) == 1);
  assert_true (sl_mix_spread (.005, 1, FALSE) == .005);
  assert_true (sl_mix_spread (.005, 0, TRUE) == 1);
  assert_true (sl_mix_spread (.005, 1, TRUE) == 0);
  assert_near (sl_mix_spread (.005, .5, TRUE), (.0707106781 - .005) / .995, 1e-9);
}

static void
test_confidence (void **state)
{
  (void) state;
  double label[CLASSES];
  sl_mix_classes (0, 1, .42, sl_mix_spread (.005, .5, FALSE), CLASSES, label);
  assert_near (label[0], .397372583, 5e-10);
  assert_near (label[1], .546058875, 5e-10);
  for (int k = 2; k < CLASSES; k++)
    assert_near (label[k], .007071068, 5e-10);
  sl_mix_classes (0, 1, .42, sl_mix_spread (.005, 0, FALSE), CLASSES, label);
  for (int k = 0; k < CLASSES; k++)
    assert_near (label[k], .1, 1e-15);
}

/* The mean of two people's labels is not the label of what they see on average. */
static void
test_mean_of_labels (void **state)
{
  (void) state;
  double one[CLASSES], other[CLASSES], both[CLASSES];
  sl_mix_classes (0, 1, .2, sl_mix_spread (.005, .1, FALSE), CLASSES, one);
  sl_mix_classes (0, 1, .6, sl_mix_spread (.005, .9, FALSE), CLASSES, other);
  sl_mix_classes (0, 1, .4, sl_mix_spread (.005, .5, FALSE), CLASSES, both);
  assert_near ((one[0] + other[0]) / 2, .368441, 5e-7);
  assert_near ((one[1] + other[1]) / 2, .392680, 5e-7);
  assert_near (both[0], .378787, 5e-7);
  assert_near (both[1], .564645, 5e-7);
  for (int k = 2; k < CLASSES; k++)
    {
      assert_near ((one[k] + other[k]) / 2, .029860, 5e-7);
      assert_near (both[k], .007071, 5e-7);
    }
}

static void
test_logistic (void **state)
{
  (void) state;
  static const double x[] = { .1, .25, .5, .75, .9 }, y[] = { .03, .12, .45, .88, .97 };
  SlLogistic fit = sl_logistic_fit (x, y, 5);
  assert_false (fit.identity);
  assert_near (fit.k, 8.21901, 1e-5);
  assert_near (fit.x0, .517919, 5e-7);
  assert_near (fit.sse, 8.1193e-4, 1e-8);
  assert_near (sl_mix_logistic (fit.k, fit.x0, .3), .142940, 5e-7);
  assert_near (sl_mix_logistic (fit.k, fit.x0, .7), .817055, 5e-7);
}

/* Points on a curve give that curve, however far it is from the start. */
static void
test_exact_curves (void **state)
{
  (void) state;
  static const double k[] = { 1, 5, 12, -3 }, x0[] = { .2, .5, .8, .4 };
  double x[20], y[20];
  for (gsize c = 0; c < G_N_ELEMENTS (k); c++)
    {
      for (int i = 0; i < 20; i++)
        {
          x[i] = i / 19.;
          y[i] = sl_mix_logistic (k[c], x0[c], x[i]);
        }
      SlLogistic fit = sl_logistic_fit (x, y, 20);
      assert_false (fit.identity);
      assert_near (fit.k, k[c], 1e-6);
      assert_near (fit.x0, x0[c], 1e-6);
    }
}

static void
test_identity (void **state)
{
  (void) state;
  static const double x[] = { .1, .1, .9, .9 }, y[] = { .2, .2, .8, .8 };
  SlLogistic fit = sl_logistic_fit (x, y, 4);
  assert_true (fit.identity);
  assert_near (fit.sse, .04, 1e-15);
  /* .1, and 1 - .9, which is not .1. */
  const double rounded[] = { 1 - .9, .1, .9, .9 };
  assert_true (sl_logistic_fit (rounded, y, 4).identity);
  assert_true (sl_logistic_fit (x, y, 1).identity);
  assert_true (sl_logistic_fit (x, y, 0).identity);
  /* A constant that no curve reaches: never a number that is none. */
  static const double wide[] = { 0, .25, .5, .75, 1 };
  for (int step = 0; step < 4; step++)
    {
      const double flat[] = { step / 3., step / 3., step / 3., step / 3., step / 3. };
      fit = sl_logistic_fit (wide, flat, 5);
      assert_true (isfinite (fit.sse) && (fit.identity || (isfinite (fit.k) && isfinite (fit.x0))));
    }
}

/* Beta (a, a) has the mean 1/2, the variance v = 1 / (4 (2a + 1)), and the fourth moment v² (3 - 6
 * / (2a + 3)). */
static void
test_shares (void **state)
{
  (void) state;
  static const double alpha[] = { .001, .2, 1, 5, 1e6 };
  for (guint32 a = 0; a < G_N_ELEMENTS (alpha); a++)
    {
      double v = 1 / (4 * (2 * alpha[a] + 1)), sum = 0, squares = 0;
      for (guint64 i = 0; i < N; i++)
        {
          SlRandom random = sl_random (5, a, i, 0, 0);
          double share = sl_mix_draw (&random, alpha[a]);
          assert_true (share >= 0 && share <= 1);
          sum += share - .5;
          squares += (share - .5) * (share - .5);
        }
      assert_near (sum / N, 0, 4 * sqrt (v / N));
      assert_near (squares / N, v,
                   4 * sqrt (v * v * (2 - 6 / (2 * alpha[a] + 3)) / N) + 1e-3 * v / N);
    }
  SlRandom random = sl_random (5, 0, 0, 0, 0);
  assert_true (sl_mix_draw (&random, 0) == 1);
}

/* partner[] of the numbers FIRST .. FIRST + N - 1 that STEP leads to, by number. */
static void
pair_numbers (gint32 first, gint32 n, gint32 step, guint32 round, int threads, gint32 *partner)
{
  g_autoptr (SlIntern) items = sl_intern_new ();
  g_autofree guint64 *hash = g_new (guint64, n);
  g_autofree gint32 *number = g_new (gint32, n), *row = g_new (gint32, n);
  for (gint32 i = 0; i < n; i++)
    {
      char name[16];
      number[i] = first + (gint32) ((gint64) i * step % n);
      gsize length = (gsize) g_snprintf (name, sizeof name, "%d", number[i]);
      assert_int_equal (sl_intern (items, name, length), i);
      hash[i] = sl_text_hash (name, length);
    }
  sl_pair_up (items, hash, 9, round, threads, row);
  for (gint32 i = 0; i < n; i++)
    partner[number[i] - first] = number[row[i]];
}

static void
test_partners (void **state)
{
  (void) state;
  enum
  {
    ITEMS = 10007
  };
  g_autofree gint32 *partner = g_new (gint32, ITEMS), *other = g_new (gint32, ITEMS);
  g_autofree guint8 *met = g_new0 (guint8, ITEMS);
  pair_numbers (0, ITEMS, 1, 0, 1, partner);
  /* One circle through all: nobody is their own partner, everybody is somebody's. */
  gint32 at = 0;
  for (gint32 i = 0; i < ITEMS; i++, at = partner[at])
    assert_int_equal (met[at]++, 0);
  assert_int_equal (at, 0);
  pair_numbers (0, ITEMS, 17, 0, 2, other);
  assert_memory_equal (partner, other, ITEMS * sizeof *partner);
  /* Another round has other partners, but for a few (Poisson, mean 1). */
  pair_numbers (0, ITEMS, 1, 1, 1, other);
  int same = 0;
  for (gint32 i = 0; i < ITEMS; i++)
    same += other[i] == partner[i];
  assert_in_range (same, 0, 8);
  /* Without the last item, its partner is that of whose partner it was. */
  pair_numbers (0, ITEMS - 1, 5, 0, 1, other);
  for (gint32 i = 0; i < ITEMS - 1; i++)
    assert_int_equal (other[i], partner[i] == ITEMS - 1 ? partner[ITEMS - 1] : partner[i]);
  pair_numbers (0, 2, 1, 0, 1, partner);
  assert_true (partner[0] == 1 && partner[1] == 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_labels),         cmocka_unit_test (test_classes),
    cmocka_unit_test (test_spread),         cmocka_unit_test (test_confidence),
    cmocka_unit_test (test_mean_of_labels), cmocka_unit_test (test_logistic),
    cmocka_unit_test (test_exact_curves),   cmocka_unit_test (test_identity),
    cmocka_unit_test (test_shares),         cmocka_unit_test (test_partners),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
