/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds are fixed, so every check gives the same result every time; bounds are five standard
 * errors of what a perfect generator would give, unless said otherwise. */
#include "pipeline/base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

enum
{
  N = 200000
};

/* Random123's kat_vectors, philox4x32 with 10 rounds. */
static void
test_known_answers (void **state)
{
  (void) state;
  static const struct
  {
    guint32 counter[4], key[2], out[4];
  } vectors[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++)
    {
      guint32 out[4];
      sl_philox (vectors[i].counter, vectors[i].key, out);
      assert_memory_equal (out, vectors[i].out, sizeof out);
    }
}

/* The first stream is the first vector: numbers come in the block's order, and the next block
 * follows. */
static void
test_stream_is_philox (void **state)
{
  (void) state;
  static const guint32 key[2] = { 0, 0 };
  SlRandom random = sl_random (0, 0, 0, 0, 0);
  for (guint32 block = 0; block < 3; block++)
    {
      guint32 counter[4] = { block, 0, 0, 0 }, out[4];
      sl_philox (counter, key, out);
      for (int i = 0; i < 4; i++)
        assert_int_equal (sl_random_u32 (&random), out[i]);
    }
}

static void
test_skip (void **state)
{
  (void) state;
  for (guint32 before = 0; before < 6; before++)
    for (guint32 skipped = 0; skipped < 14; skipped++)
      {
        SlRandom drawn = sl_random (1, 2, 3, 4, 5), skips = drawn;
        for (guint32 i = 0; i < before + skipped; i++)
          sl_random_u32 (&drawn);
        for (guint32 i = 0; i < before; i++)
          sl_random_u32 (&skips);
        sl_random_skip (&skips, skipped);
        for (int i = 0; i < 5; i++)
          assert_int_equal (sl_random_u32 (&skips), sl_random_u32 (&drawn));
      }
}

static void
test_every_argument_matters (void **state)
{
  (void) state;
  SlRandom streams[] = {
    sl_random (1, 2, 3, 4, 5),
    sl_random (2, 2, 3, 4, 5),
    sl_random (1, 3, 3, 4, 5),
    sl_random (1, 2, 4, 4, 5),
    sl_random (1, 2, 3, 5, 5),
    sl_random (1, 2, 3, 4, 6),
    sl_random (1, 2, 4, 3, 5),
    sl_random (1 + (1ull << 32), 2, 3, 4, 5),
    sl_random (1, 2, 3 + (1ull << 32), 4, 5),
    sl_random (1, 2, 3, 4 + (1ull << 32), 5),
  };
  guint64 first[G_N_ELEMENTS (streams)];
  for (gsize i = 0; i < G_N_ELEMENTS (streams); i++)
    {
      first[i] = sl_random_u64 (&streams[i]);
      for (gsize j = 0; j < i; j++)
        assert_true (first[i] != first[j]);
    }
  SlRandom again = sl_random (1, 2, 3, 4, 5);
  assert_true (sl_random_u64 (&again) == first[0]);
  assert_int_not_equal (sl_random_purpose ("aggregate: ties"),
                        sl_random_purpose ("deaggregate: draws"));
}

/* Mean 1/2, variance 1/12, and no correlation between neighbours: along one stream, and over the
 * first numbers of the streams of successive draws, items and annotators. */
static void
test_uniform (void **state)
{
  (void) state;
  for (int way = 0; way < 4; way++)
    {
      SlRandom random = sl_random (7, 1, 0, 0, 0);
      double sum = 0, squares = 0, products = 0, before = 0.5;
      for (guint32 i = 0; i < N; i++)
        {
          if (way > 0)
            random = sl_random (7, 1, way == 1 ? i : 0, way == 2 ? i : 0, way == 3 ? i : 0);
          double u = sl_random_unit (&random);
          assert_true (u >= 0 && u < 1);
          sum += u - 0.5;
          squares += (u - 0.5) * (u - 0.5);
          products += (u - 0.5) * (before - 0.5);
          before = u;
        }
      assert_near (sum / N, 0, 5 * sqrt (1 / 12.0 / N));
      assert_near (squares / N, 1 / 12.0, 5 * sqrt (1 / 180.0 / N));
      assert_near (products / N, 0, 5 * (1 / 12.0) / sqrt (N));
    }
}

/* Chi-squared of N numbers below n: its mean is n - 1, its variance 2 (n - 1). */
static void
check_below (guint64 n)
{
  g_autofree int *seen = g_new0 (int, n);
  SlRandom random = sl_random (11, 0, n, 0, 0);
  for (int i = 0; i < N; i++)
    {
      guint64 k = sl_random_below (&random, n);
      assert_true (k < n);
      seen[k]++;
    }
  double expected = (double) N / (double) n, chi = 0;
  for (guint64 k = 0; k < n; k++)
    chi += (seen[k] - expected) * (seen[k] - expected) / expected;
  assert_near (chi, (double) (n - 1), 5 * sqrt (2 * (double) (n - 1)));
}

static void
test_below (void **state)
{
  (void) state;
  check_below (1);
  check_below (2);
  check_below (3);
  check_below (10);
  check_below (1000);
}

/* For n = 3 × 2^62, r mod n would give the numbers below 2^62 twice the chance of the others,
 * and the upper word of r × n, without drawing again, those that are multiples of 3. */
static void
test_below_is_unbiased (void **state)
{
  (void) state;
  guint64 n = 3ull << 62;
  SlRandom random = sl_random (13, 0, 0, 0, 0);
  int rest[3] = { 0, 0, 0 }, third[3] = { 0, 0, 0 };
  for (int i = 0; i < N; i++)
    {
      guint64 k = sl_random_below (&random, n);
      rest[k % 3]++;
      third[k >> 62]++;
    }
  for (int r = 0; r < 3; r++)
    {
      assert_near (rest[r] / (double) N, 1 / 3.0, 5 * sqrt (2 / 9.0 / N));
      assert_near (third[r] / (double) N, 1 / 3.0, 5 * sqrt (2 / 9.0 / N));
    }
}

/* Mean 0, variance 1, and a normal's share beyond 2. */
static void
test_normal (void **state)
{
  (void) state;
  SlRandom random = sl_random (3, 1, 4, 1, 5);
  double sum = 0, square = 0, beyond = 0;
  for (int i = 0; i < N; i++)
    {
      double x = sl_random_normal (&random);
      sum += x;
      square += x * x;
      beyond += x > 2;
    }
  assert_near (sum / N, 0, 5 * sqrt (1.0 / N));
  assert_near (square / N, 1, 5 * sqrt (2.0 / N));
  assert_near (beyond / N, 0.02275013, 5 * sqrt (0.0227 / N));
}

/* Of Gamma (s) mean and variance are s, of its logarithm digamma (s) and trigamma (s) (mpmath). */
static void
test_gamma (void **state)
{
  (void) state;
  static const struct
  {
    double shape, mean_log, variance_log;
  } shapes[] = {
    { 0.01, -100.56088545786868, 10001.621213528313 },
    { 0.4, -2.5613845445851161, 7.2753565905295974 },
    { 1, -0.57721566490153286, 1.6449340668482264 },
    { 30, 3.3844381326855249, 0.033895060357739944 },
  };
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      SlRandom random = sl_random (s, 2, 0, 0, 0);
      double shape = shapes[s].shape, sum = 0, logs = 0;
      for (int i = 0; i < N; i++)
        {
          double x = sl_random_log_gamma (&random, shape);
          logs += x;
          sum += exp (x);
        }
      assert_near (sum / N, shape, 5 * sqrt (shape / N));
      assert_near (logs / N, shapes[s].mean_log, 5 * sqrt (shapes[s].variance_log / N));
    }
}

/* Mean a / (a + b), variance a b / ((a + b)² (a + b + 1)); tiny parameters give 0 or 1. */
static void
test_beta (void **state)
{
  (void) state;
  static const double parameters[][2] = { { 2, 6 }, { 0.4, 0.4 }, { 7.2, 0.3 }, { 1e-4, 1e-4 } };
  for (gsize p = 0; p < G_N_ELEMENTS (parameters); p++)
    {
      double a = parameters[p][0], b = parameters[p][1], sum = 0;
      double variance = a * b / ((a + b) * (a + b) * (a + b + 1));
      SlRandom random = sl_random (p, 3, 0, 0, 0);
      for (int i = 0; i < N; i++)
        {
          double x = sl_random_beta (&random, a, b);
          assert_true (x >= 0 && x <= 1 && x * 0x1p20 == rint (x * 0x1p20));
          sum += x;
        }
      assert_near (sum / N, a / (a + b), 5 * sqrt (variance / N));
    }
}

/* Many blocks at once are the numbers of the stream, and it goes on behind them. */
static void
test_blocks (void **state)
{
  for (gsize n = 0; n < 40; n++)
    {
      SlRandom one = sl_random (1, 2, 3, 4, 5), many = one;
      guint32 block[4 * 40];
      sl_random_blocks (&many, n, block);
      for (gsize i = 0; i < 4 * n; i++)
        assert_int_equal (block[i], sl_random_u32 (&one));
      assert_int_equal (sl_random_u32 (&many), sl_random_u32 (&one));
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_blocks),
    cmocka_unit_test (test_known_answers),
    cmocka_unit_test (test_stream_is_philox),
    cmocka_unit_test (test_skip),
    cmocka_unit_test (test_every_argument_matters),
    cmocka_unit_test (test_uniform),
    cmocka_unit_test (test_below),
    cmocka_unit_test (test_below_is_unbiased),
    cmocka_unit_test (test_normal),
    cmocka_unit_test (test_gamma),
    cmocka_unit_test (test_beta),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
