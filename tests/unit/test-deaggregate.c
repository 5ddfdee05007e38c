/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds are fixed, so every check gives the same result every time; bounds are five standard
 * errors unless said otherwise. */
#include "schemas/annotations.h"
#include "pipeline/base/draw.h"
#include "stages/deaggregate/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

/* Draws D from the labels (1, 0) and (.6, .4): their mean is (.8, .2), a draw's standard
 * deviation .2. */
static void
test_mean_of_draws (void **state)
{
  (void) state;
  enum
  {
    D = 100000
  };
  static const double label[2][2] = { { 1, 0 }, { .6, .4 } }, weight[] = { 1, 1 };
  double sums[2], mean[2] = { 0, 0 };
  sl_draw_sums (weight, 2, sums);
  for (guint32 d = 0; d < D; d++)
    {
      SlRandom random = sl_random (1, 2, 3, 0, d);
      gint64 i = sl_draw_by_weight (&random, sums, 2);
      mean[0] += label[i][0] / D;
      mean[1] += label[i][1] / D;
    }
  assert_near (mean[0], .8, 5 * .2 / sqrt (D));
  assert_near (mean[1], .2, 5 * .2 / sqrt (D));
}

static void
test_draw_by_weight (void **state)
{
  (void) state;
  enum
  {
    D = 100000,
    N = 6
  };
  static const double weight[N] = { 0, 2, 0, 5.5, 2.5, 0 };
  double sums[N];
  int drawn[N] = { 0 };
  sl_draw_sums (weight, N, sums);
  for (guint32 d = 0; d < D; d++)
    {
      SlRandom random = sl_random (2, 0, 0, 0, d);
      drawn[sl_draw_by_weight (&random, sums, N)]++;
    }
  for (int i = 0; i < N; i++)
    {
      double p = weight[i] / 10;
      assert_near (drawn[i] / (double) D, p, 5 * sqrt (p * (1 - p) / D));
    }
}

/* Of 20 answers, 5, 12, 0 and 3 alike, 6 are chosen: hypergeometric, mean 6 h / 20, variance 6
 * (h/20) (1 - h/20) (14/19), and covariance -6 (h h' / 400) (14/19). The variance of a sample
 * variance is bounded by what a normal one has, with a margin. */
static void
test_hypergeometric (void **state)
{
  (void) state;
  enum
  {
    N = 4,
    M = 6,
    D = 50000
  };
  static const gint64 have[N] = { 5, 12, 0, 3 };
  double sum[N] = { 0 }, squares[N] = { 0 }, product = 0;
  for (guint32 d = 0; d < D; d++)
    {
      gint64 take[N], tree[N], all = 0;
      SlRandom random = sl_random (3, 0, d, 0, 0);
      sl_draw_without_replacement (&random, have, N, M, take, tree);
      for (int i = 0; i < N; i++)
        {
          assert_in_range (take[i], 0, have[i]);
          double x = (double) take[i] - M * (double) have[i] / 20;
          sum[i] += x;
          squares[i] += x * x;
          all += take[i];
        }
      assert_int_equal (all, M);
      product += ((double) take[0] - 1.5) * ((double) take[1] - 3.6);
    }
  for (int i = 0; i < N; i++)
    {
      double h = (double) have[i] / 20, variance = M * h * (1 - h) * 14 / 19;
      assert_near (sum[i] / D, 0, 5 * sqrt (variance / D));
      assert_near (squares[i] / D, variance, 6 * variance * sqrt (2.0 / D));
    }
  assert_near (product / D, -M * (5 * 12 / 400.0) * 14 / 19, 6 * sqrt (.87 * 1.06 / D));
}

/* Every subset of 3 of 5 equally often. */
static void
test_subsets (void **state)
{
  (void) state;
  enum
  {
    N = 5,
    D = 100000
  };
  static const gint64 have[N] = { 1, 1, 1, 1, 1 };
  int seen[32] = { 0 }, different = 0;
  for (guint32 d = 0; d < D; d++)
    {
      gint64 take[N], tree[N];
      int subset = 0;
      SlRandom random = sl_random (4, 0, d, 0, 0);
      sl_draw_without_replacement (&random, have, N, 3, take, tree);
      for (int i = 0; i < N; i++)
        subset |= (int) take[i] << i;
      seen[subset]++;
    }
  for (int subset = 0; subset < 32; subset++)
    if (seen[subset] > 0)
      {
        different++;
        assert_near (seen[subset] / (double) D, .1, 5 * sqrt (.09 / D));
      }
  assert_int_equal (different, 10);
}

/* All if there are no more; and a smaller sample is part of a larger one. */
static void
test_all_and_nested (void **state)
{
  (void) state;
  enum
  {
    N = 7
  };
  static const gint64 have[N] = { 3, 0, 1, 4, 1, 5, 9 };
  gint64 before[N] = { 0 };
  for (gint64 m = 1; m <= 30; m++)
    {
      gint64 take[N], tree[N], all = 0;
      SlRandom random = sl_random (5, 0, 0, 0, 0);
      sl_draw_without_replacement (&random, have, N, m, take, tree);
      for (int i = 0; i < N; i++)
        {
          assert_true (take[i] >= before[i]);
          all += before[i] = take[i];
        }
      assert_int_equal (all, MIN (m, 23));
    }
  assert_memory_equal (before, have, sizeof have);
}

/* Counts that no memory could hold one by one. */
static void
test_large_counts (void **state)
{
  (void) state;
  static const gint64 have[] = { G_GINT64_CONSTANT (1) << 60, G_GINT64_CONSTANT (1) << 60, 1 };
  gint64 take[3], tree[3];
  SlRandom random = sl_random (6, 0, 0, 0, 0);
  sl_draw_without_replacement (&random, have, 3, 1000, take, tree);
  assert_int_equal (take[0] + take[1] + take[2], 1000);
  assert_near ((double) take[0], 500, 5 * sqrt (250));
}

/* Rows of every column there is, each unlike the one before in one column only. */
static SlBatch *
rows (gboolean with_gap)
{
  static const char *const classes[] = { "a", "b", "c", NULL };
  g_autoptr (SlTable) table = sl_table_new (&sl_annotations, classes);
  static const int optional[]
      = { SL_ANNOTATIONS_ANNOTATOR, SL_ANNOTATIONS_CHOICES, SL_ANNOTATIONS_IMPOSSIBLE,
          SL_ANNOTATIONS_GOLD,      SL_ANNOTATIONS_REPEAT,  SL_ANNOTATIONS_TRIAL,
          SL_ANNOTATIONS_SECONDS,   SL_ANNOTATIONS_COUNT };
  for (gsize i = 0; i < G_N_ELEMENTS (optional); i++)
    sl_table_add (table, optional[i]);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int row = with_gap ? -1 : 0; row < 10; row++)
    {
      sl_builder_text (builder, SL_ANNOTATIONS_ITEM, row == 1 ? "jam" : "item", row == 1 ? 3 : 4);
      sl_builder_text (builder, SL_ANNOTATIONS_ANNOTATOR, "annotator", row == 2 ? 8 : 9);
      sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, row == 3, 50);
      if (row != 4)
        sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, 2, row == 5 ? (double) NAN : 20);
      sl_builder_end_list (builder, SL_ANNOTATIONS_CHOICES);
      if (row == 6)
        sl_builder_member (builder, SL_ANNOTATIONS_IMPOSSIBLE, 1);
      sl_builder_end_list (builder, SL_ANNOTATIONS_IMPOSSIBLE);
      sl_builder_class (builder, SL_ANNOTATIONS_GOLD, row == 7 ? -1 : 0);
      sl_builder_bool (builder, SL_ANNOTATIONS_REPEAT, row == 8);
      if (row == 9)
        sl_builder_null (builder, SL_ANNOTATIONS_TRIAL);
      else
        sl_builder_int (builder, SL_ANNOTATIONS_TRIAL, 0);
      sl_builder_real (builder, SL_ANNOTATIONS_SECONDS, 1.5);
      sl_builder_int (builder, SL_ANNOTATIONS_COUNT, 3);
    }
  g_autoptr (GError) error = NULL;
  SlBatch *batch = sl_builder_take (builder, &error);
  assert_null (error);
  return batch;
}

static void
test_compare (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = rows (FALSE), other = rows (TRUE);
  for (gint64 i = 0; i < batch->n_rows; i++)
    for (gint64 j = 0; j < batch->n_rows; j++)
      {
        SlRow a = { batch, i }, b = { other, j + 1 };
        int order = sl_row_compare (a, b, SL_ANNOTATIONS_ANNOTATOR);
        assert_true ((order == 0) == (i == j));
        int back = sl_row_compare (b, a, SL_ANNOTATIONS_ANNOTATOR);
        assert_true ((order > 0) == (back < 0) && (order < 0) == (back > 0));
        for (gint64 k = 0; k < batch->n_rows; k++)
          if (order < 0 && sl_row_compare (b, (SlRow){ batch, k }, SL_ANNOTATIONS_ANNOTATOR) < 0)
            assert_true (sl_row_compare (a, (SlRow){ batch, k }, SL_ANNOTATIONS_ANNOTATOR) < 0);
      }
  /* The annotator decides first: "annotato" is before all the others. */
  for (gint64 i = 0; i < batch->n_rows; i++)
    assert_true (
        i == 2
        || sl_row_compare ((SlRow){ batch, 2 }, (SlRow){ batch, i }, SL_ANNOTATIONS_ANNOTATOR) < 0);
}

static void
test_copy (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = rows (FALSE);
  g_autoptr (SlBuilder) builder = sl_builder_new (batch->table);
  for (gint64 i = batch->n_rows; i-- > 0;)
    {
      sl_row_copy (builder, batch->table, (SlRow){ batch, i }, i == 0 ? SL_ANNOTATIONS_COUNT : -1);
      if (i == 0)
        sl_builder_int (builder, SL_ANNOTATIONS_COUNT, 7);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) copy = sl_builder_take (builder, &error);
  assert_null (error);
  for (gint64 i = 1; i < batch->n_rows; i++)
    assert_int_equal (
        sl_row_compare ((SlRow){ batch, i }, (SlRow){ copy, batch->n_rows - 1 - i }, -1), 0);
  assert_int_equal (copy->column[SL_ANNOTATIONS_COUNT].int64[batch->n_rows - 1], 7);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_mean_of_draws),  cmocka_unit_test (test_draw_by_weight),
    cmocka_unit_test (test_hypergeometric), cmocka_unit_test (test_subsets),
    cmocka_unit_test (test_all_and_nested), cmocka_unit_test (test_large_counts),
    cmocka_unit_test (test_compare),        cmocka_unit_test (test_copy),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
