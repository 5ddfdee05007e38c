/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/intern/intern.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/came-again.h"
#include "stages/aggregate/shared-answers.h"
#include "stages/common/answers/tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

static const SlMethodSettings plain = { .temperature = 1, .threads = 1 };

static void
assert_label (const double *label, const double *expected, int n, double bound)
{
  for (int k = 0; k < n; k++)
    assert_near (label[k], expected[k], bound);
}

static double
entropy (const double *p, int n)
{
  double h = 0;
  for (int k = 0; k < n; k++)
    h -= p[k] > 0 ? p[k] * log (p[k]) : 0;
  return h;
}

static void
label_one (void (*method) (const SlItems *, const SlMethodSettings *), double *sums,
           gint32 n_classes, double weight, const SlMethodSettings *settings)
{
  const SlItems item = { 1, n_classes, sums, &weight, NULL, NULL };
  method (&item, settings);
}

/* Truck .7, Automobile .2, Ship and Airplane .05 each, with a second annotator sure of Truck. */
static void
test_mean (void **state)
{
  (void) state;
  enum
  {
    K = 10
  };
  static const double labels[2 * K]
      = { .05, .2, 0, 0, 0, 0, 0, 0, .05, .7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
  static const double weights[] = { 1, 1 }, expected[K] = { .025, .1, 0, 0, 0, 0, 0, 0, .025, .85 };
  static const gint32 items[] = { 0, 0 };
  g_auto (SlTally) tally;
  sl_tally_init (&tally, K);
  sl_tally_resize (&tally, 1);
  sl_tally_add_labels (&tally, items, 2, labels, weights, 1);
  assert_true (tally.weight[0] == 2);
  label_one (sl_label_mean, tally.sum, K, tally.weight[0], &plain);
  assert_label (tally.sum, expected, K, 1e-15);
  assert_near (entropy (tally.sum, K), .552843572, 1e-9);
}

/* A label with weight 3 counts as three with weight 1. */
static void
test_weighted_mean (void **state)
{
  (void) state;
  static const double labels[] = { 1, 0, .2, .8 }, weights[] = { 3, 1 }, expected[] = { .8, .2 };
  static const gint32 items[] = { 0, 0 };
  g_auto (SlTally) tally;
  sl_tally_init (&tally, 2);
  sl_tally_resize (&tally, 1);
  sl_tally_add_labels (&tally, items, 2, labels, weights, 1);
  label_one (sl_label_mean, tally.sum, 2, tally.weight[0], &plain);
  assert_label (tally.sum, expected, 2, 1e-15);
}

static void
test_counts (void **state)
{
  (void) state;
  double d[] = { 13, 33, 4 };
  static const double expected[] = { .26, .66, .08 };
  label_one (sl_label_counts, d, 3, 50, &plain);
  assert_label (d, expected, 3, 1e-15);
  assert_near (entropy (d, 3), .826537633, 1e-9);
}

static void
test_softmax (void **state)
{
  (void) state;
  double few[] = { 2, 1, 0 };
  static const double expected[] = { .665240956, .244728471, .090030573 };
  label_one (sl_label_softmax, few, 3, 3, &plain);
  assert_label (few, expected, 3, 1e-9);

  double many[10] = { 33, 13, 4 };
  label_one (sl_label_softmax, many, 10, 50, &plain);
  assert_near (1 - many[0], 2.06e-9, 1e-11);

  /* At twice the temperature, half the votes. */
  double warm[] = { 4, 2, 0 };
  SlMethodSettings settings = { .temperature = 2 };
  label_one (sl_label_softmax, warm, 3, 6, &settings);
  assert_label (warm, expected, 3, 1e-9);

  double huge[] = { 1e6, 1e6, 0 };
  static const double halves[] = { .5, .5, 0 };
  label_one (sl_label_softmax, huge, 3, 2e6, &plain);
  assert_label (huge, halves, 3, 0);
}

static void
test_rounded (void **state)
{
  (void) state;
  double eight[] = { 2, 1, 0 }, one[] = { 2, 1, 0 }, many[7] = { 0 }, none[1] = { 3 };
  SlMethodSettings settings = { .temperature = 1, .digits = 8 };
  label_one (sl_label_softmax, eight, 3, 3, &settings);
  assert_label (eight, (const double[]){ .66524096, .24472847, .09003057 }, 3, 0);

  settings.digits = 1;
  label_one (sl_label_softmax, one, 3, 3, &settings);
  assert_label (one, (const double[]){ .7, .2, .1 }, 3, 0);

  /* Seven tenths: divided by their sum. */
  label_one (sl_label_softmax, many, 7, 1, &settings);
  assert_near (many[0], 1 / 7.0, 1e-15);
  assert_near (many[6], 1 / 7.0, 1e-15);

  label_one (sl_label_softmax, none, 1, 3, &settings);
  assert_label (none, (const double[]){ 1 }, 1, 0);

  /* Nothing would be left of 21 equal shares. */
  double shares[21] = { 0 };
  label_one (sl_label_softmax, shares, 21, 1, &settings);
  assert_near (shares[20], 1 / 21.0, 1e-15);
}

static void
test_two_thirds (void **state)
{
  (void) state;
  double just[] = { 1, 2, 0 }, single[] = { 1, 0, 0 }, split[] = { 3, 2, 0 };
  double thirds[] = { .6, .1, .2 }; /* not .3 in binary */
  label_one (sl_label_two_thirds, just, 3, 3, &plain);
  assert_label (just, (const double[]){ 0, 1, 0 }, 3, 0);
  label_one (sl_label_two_thirds, single, 3, 1, &plain);
  assert_true (isnan (single[0]));
  label_one (sl_label_two_thirds, split, 3, 5, &plain);
  assert_true (isnan (split[0]));
  label_one (sl_label_two_thirds, thirds, 3, 2, &plain);
  assert_label (thirds, (const double[]){ 1, 0, 0 }, 3, 0);
}

static void
test_majority (void **state)
{
  (void) state;
  static const double tied[] = { 1, 3, 0, 3 };
  double d[4];
  SlMethodSettings settings = { .ties = SL_TIES_LOWEST };
  memcpy (d, tied, sizeof d);
  label_one (sl_label_majority, d, 4, 7, &settings);
  assert_label (d, (const double[]){ 0, 1, 0, 0 }, 4, 0);

  settings.ties = SL_TIES_UNIFORM;
  memcpy (d, tied, sizeof d);
  label_one (sl_label_majority, d, 4, 7, &settings);
  assert_label (d, (const double[]){ 0, .5, 0, .5 }, 4, 0);

  double clear[] = { 2, 1, 5, 0 };
  label_one (sl_label_majority, clear, 4, 8, &settings);
  assert_label (clear, (const double[]){ 0, 0, 1, 0 }, 4, 0);

  /* .1 + .2 is not .3 in binary, but is the same share. */
  double rounded[] = { .3, .1 + .2, .4 - .1, 0 };
  label_one (sl_label_majority, rounded, 4, .9, &settings);
  assert_label (rounded, (const double[]){ 1 / 3.0, 1 / 3.0, 1 / 3.0, 0 }, 4, 0);
}

/* Each of three tied classes wins a third of the items, within five standard errors; an item's
 * winner depends on the seed and on the item, not on where it stands. */
static void
test_random_ties (void **state)
{
  (void) state;
  enum
  {
    N = 30000,
    K = 4
  };
  g_autofree double *d = g_new (double, N *K);
  g_autofree double *weight = g_new (double, N);
  g_autofree guint64 *key = g_new (guint64, N);
  int won[2][K] = { { 0 } }, changed = 0;
  g_autofree int *winner = g_new (int, N);
  for (int seed = 0; seed < 2; seed++)
    {
      SlMethodSettings settings = { .ties = SL_TIES_RANDOM, .seed = (guint64) seed };
      for (gint32 i = 0; i < N; i++)
        {
          static const double votes[] = { 2, 1, 2, 2 };
          memcpy (d + i * K, votes, sizeof votes);
          weight[i] = 7;
          key[i] = sl_text_hash ((const char *) &i, sizeof i);
        }
      const SlItems items = { N, K, d, weight, NULL, key };
      sl_label_majority (&items, &settings);
      for (int i = 0; i < N; i++)
        {
          int k = 0;
          while (d[i * K + k] == 0)
            k++;
          won[seed][k]++;
          changed += seed == 1 && winner[i] != k;
          winner[i] = k;
        }
      assert_int_equal (won[seed][1], 0);
      for (int k = 0; k < K; k += k == 0 ? 2 : 1)
        assert_near (won[seed][k] / (double) N, 1 / 3.0, 5 * sqrt (2 / 9.0 / N));
    }
  assert_near (changed / (double) N, 2 / 3.0, 5 * sqrt (2 / 9.0 / N));
  for (int i = 0; i < 100; i++)
    {
      double again[] = { 2, 1, 2, 2 };
      const SlMethodSettings settings = { .ties = SL_TIES_RANDOM, .seed = 1 };
      const SlItems item = { 1, K, again, weight, NULL, key + i };
      sl_label_majority (&item, &settings);
      assert_true (again[winner[i]] == 1);
    }
}

/* Class 0 has the shares (.9, .1, 0) of ten votes and (.7, .2, .1) of a hundred. */
static void
test_category (void **state)
{
  (void) state;
  double d[] = { 9, 1, 0, 0, 0, 5, 70, 20, 10 };
  static const double weight[] = { 10, 5, 100 };
  static const gint32 gold[] = { 0, 2, 0 };
  const SlItems items = { 3, 3, d, weight, gold, NULL };
  sl_label_category (&items, &plain);
  assert_label (d, (const double[]){ .8, .15, .05, 0, 0, 1, .8, .15, .05 }, 9, 1e-15);
}

/* Votes and labels in any order, on any number of threads: the same bits as adding row by row. */
static void
test_tally (void **state)
{
  (void) state;
  enum
  {
    N = 100000,
    ITEMS = 3000,
    K = 7
  };
  g_autofree gint32 *item = g_new (gint32, N), *vote = g_new (gint32, N);
  g_autofree gint64 *count = g_new (gint64, N);
  g_autofree double *label = g_new (double, N *K), *weight = g_new (double, N),
                    *sum = g_new0 (double, ITEMS *K), *votes = g_new0 (double, ITEMS *K),
                    *total = g_new0 (double, ITEMS);
  SlRandom random = sl_random (1, 0, 0, 0, 0);
  for (int i = 0; i < N; i++)
    {
      item[i] = (gint32) sl_random_below (&random, ITEMS);
      vote[i] = (gint32) sl_random_below (&random, K);
      count[i] = 1 + (gint64) sl_random_below (&random, 5);
      weight[i] = sl_random_unit (&random);
      total[item[i]] += weight[i];
      votes[item[i] * K + vote[i]] += (double) count[i];
      for (int k = 0; k < K; k++)
        {
          label[i * K + k] = sl_random_unit (&random);
          sum[item[i] * K + k] += weight[i] * label[i * K + k];
        }
    }
  for (int threads = 1; threads <= 4; threads++)
    {
      g_auto (SlTally) soft, hard;
      sl_tally_init (&soft, K);
      sl_tally_init (&hard, K);
      sl_tally_resize (&soft, 10); /* grown in two steps: what is new has no votes */
      sl_tally_resize (&soft, ITEMS);
      sl_tally_resize (&hard, ITEMS);
      sl_tally_add_labels (&soft, item, N, label, weight, threads);
      sl_tally_add_votes (&hard, item, N, vote, count, threads);
      sl_tally_settle (&hard, FALSE);
      assert_memory_equal (soft.sum, sum, ITEMS * K * sizeof (double));
      assert_memory_equal (soft.weight, total, ITEMS * sizeof (double));
      assert_memory_equal (hard.sum, votes, ITEMS * K * sizeof (double));
      double all = 0;
      for (int i = 0; i < ITEMS; i++)
        all += hard.weight[i];
      double expected = 0;
      for (int i = 0; i < N; i++)
        expected += (double) count[i];
      assert_true (all == expected);
    }
}

static void
test_gold (void **state)
{
  (void) state;
  static const gint32 item[] = { 0, 1, 0, 1, 2, 1 }, gold[] = { -1, 3, 2, 3, -1, 3 },
                      other[] = { 1, 2, 0 };
  g_auto (SlTally) tally;
  sl_tally_init (&tally, 4);
  sl_tally_resize (&tally, 3);
  assert_int_equal (sl_tally_add_gold (&tally, item, 6, gold), -1);
  assert_memory_equal (tally.gold, ((const gint32[]){ 2, 3, -1 }), 3 * sizeof (gint32));
  assert_int_equal (sl_tally_add_gold (&tally, (const gint32[]){ 2, 0, 1 }, 3, other), 2);
  assert_int_equal (
      sl_tally_add_gold (&tally, (const gint32[]){ 2, 0 }, 2, (const gint32[]){ -1, 3 }), 1);
}

/* Every repeat is found among a million items, with none wrongly found; of three million given
 * twice, many are. */
static void
test_seen (void **state)
{
  (void) state;
  enum
  {
    MILLION = 1000000
  };
  g_auto (SlCameAgain) seen;
  sl_came_again_init (&seen);
  for (guint32 i = 0; i < 3 * MILLION; i++)
    {
      if (i == MILLION)
        for (guint32 j = 0; j < MILLION; j += 1000)
          assert_false (sl_came_again_add (&seen, sl_text_hash ((const char *) &j, sizeof j)));
      assert_true (sl_came_again_add (&seen, sl_text_hash ((const char *) &i, sizeof i)));
    }
  int found = 0;
  for (guint32 i = 0; i < 1000; i++)
    found += !sl_came_again_add (&seen, sl_text_hash ((const char *) &i, sizeof i));
  assert_in_range (found, 150, 600);
  assert_true (g_hash_table_size (seen.hashes) < 1 << 20);
}

/* Annotators 0 and 1 are a group. Both answer item 0, twice and once: two thirds and one third of
 * a vote; only one of them answers item 1. */
static void
test_group_shares (void **state)
{
  (void) state;
  gint32 item[] = { 0, 0, 0, 1, 1 }, annotator[] = { 0, 1, 2, 1, 2 }, answer[] = { 0, 1, 1, 0, 0 };
  gint32 group[] = { 0, 0, 1 };
  double count[] = { 2, 1, 3, 1, 1 }, label[4] = { 9, 9, 9, 9 }, weight[] = { 6, 2 };
  SlItems items = { 2, 2, label, weight, NULL, NULL };
  SlAnswers answers = { .n_answers = 5,
                        .n_annotators = 3,
                        .item = item,
                        .annotator = annotator,
                        .answer = answer,
                        .count = count };
  g_auto (SlGroupShares) shared = { 0 };
  sl_group_shares (&items, &answers, group, 2, &shared);
  assert_label (answers.count, (double[]){ 2.0 / 3, 1.0 / 3, 1, 1, 1 }, 5, 1e-15);
  assert_label (items.weight, (double[]){ 2, 2 }, 2, 1e-15);
  assert_label (label, (double[]){ 2.0 / 3, 4.0 / 3, 2, 0 }, 4, 1e-15);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_group_shares),  cmocka_unit_test (test_mean),
    cmocka_unit_test (test_weighted_mean), cmocka_unit_test (test_counts),
    cmocka_unit_test (test_softmax),       cmocka_unit_test (test_rounded),
    cmocka_unit_test (test_two_thirds),    cmocka_unit_test (test_majority),
    cmocka_unit_test (test_random_ties),   cmocka_unit_test (test_category),
    cmocka_unit_test (test_tally),         cmocka_unit_test (test_gold),
    cmocka_unit_test (test_seen),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
