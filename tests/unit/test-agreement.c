/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stages/agreement/figure-rows.h"
#include "stages/agreement/activelab.h"
#include "stages/common/figures/coefficients.h"
#include "stages/common/figures/group-agreement.h"
#include "stages/common/figures/pair-kappas.h"
#include "stages/common/figures/vote-figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
test_votes (void **state)
{
  const double deer_dog_horse[] = { 33, 13, 4 }, one[] = { 0, 1, 0 }, none[] = { 0, 0, 0 };
  /* Uma et al., HCOMP 2020, table 1's measure, by hand: (33 × 32 + 13 × 12 + 4 × 3) / (50 × 49). */
  assert_float_equal (sl_votes_agreement (deer_dog_horse, 3), 1224.0 / 2450, 1e-15);
  assert_true (isnan (sl_votes_agreement (one, 3)));
  assert_float_equal (sl_votes_consistency (deer_dog_horse, 3), 0.66, 1e-15);
  assert_float_equal (sl_shares_entropy (deer_dog_horse, 3), 0.826537633, 1e-9);
  assert_float_equal (sl_shares_entropy (one, 3), 0, 0);
  assert_float_equal (sl_shares_entropy (none, 3), 0, 0);
}

/* The coefficients of the items VOTES[n][n_classes]. */
static void
find (const double *votes, gint32 n, const SlScale *scale, double *value)
{
  gsize room = sl_terms_room (scale);
  g_autofree gint32 *index = g_new (gint32, room);
  g_autofree double *term = g_new (double, room), *middle = g_new (double, scale->n_classes);
  g_autofree double *sums = g_new0 (double, sl_sums_size (scale));
  SlTerms terms = { index, term, 0 };
  for (gint32 i = 0; i < n; i++)
    {
      sl_item_terms (scale, votes + i * scale->n_classes, -1, NULL, &terms);
      sl_add_terms (&terms, 1, sums);
    }
  sl_coefficients (scale, sums, middle, value);
  assert_int_equal (sl_coefficient_n (sums, SL_CONSISTENCY), n);
}

static void
test_coefficients (void **state)
{
  /* Items with votes (2, 0), (1, 1), (0, 2) and one with a single vote. Observed: 2/3. Of 6 votes 3
   * are for each class: expected (3 × 2 + 3 × 2) / (6 × 5) = 0.4; alpha = 1 - (1/3) / 0.6 = 4/9.
   * Shares of all four are 5/8 and 3/8; AC1's chance is 2 × 15/64 = 15/32, Fleiss's 34/64. */
  const double votes[] = { 2, 0, 1, 1, 0, 2, 1, 0 }, ends[] = { -1, 2 };
  const SlScale names = { .n_classes = 2 }, numbers = { .n_classes = 2, .value = ends };
  double value[SL_N_COEFFICIENTS];
  find (votes, 4, &names, value);
  assert_float_equal (value[SL_OBSERVED_AGREEMENT], 2.0 / 3, 1e-15);
  assert_float_equal (value[SL_EXPECTED_AGREEMENT], 0.4, 1e-15);
  assert_float_equal (value[SL_ALPHA], 4.0 / 9, 1e-15);
  assert_float_equal (value[SL_ITEM_AGREEMENT], 2.0 / 3, 1e-15);
  assert_float_equal (value[SL_AC1], (2.0 / 3 - 15.0 / 32) / (1 - 15.0 / 32), 1e-15);
  assert_float_equal (value[SL_FLEISS_KAPPA], (2.0 / 3 - 34.0 / 64) / (1 - 34.0 / 64), 1e-15);
  assert_float_equal (value[SL_BENNETT_S], 1.0 / 3, 1e-15);
  assert_true (isnan (value[SL_ALPHA_ORDINAL]) && isnan (value[SL_COHEN_KAPPA]));
  /* Of two classes every distance is the same: alpha is that of names, but for ratio's sign. */
  find (votes, 4, &numbers, value);
  assert_float_equal (value[SL_ALPHA_ORDINAL], 4.0 / 9, 1e-14);
  assert_float_equal (value[SL_ALPHA_INTERVAL], 4.0 / 9, 1e-14);
  assert_true (isnan (value[SL_ALPHA_RATIO]) && isnan (value[SL_ALPHA_CIRCULAR]));
  assert_float_equal (value[SL_AC2_QUADRATIC], value[SL_AC1], 1e-15);
  find (votes, 1, &names, value); /* one class only */
  assert_true (isnan (value[SL_ALPHA]) && isnan (value[SL_FLEISS_KAPPA]));
  find (votes, 0, &numbers, value);
  assert_true (isnan (value[SL_ALPHA]) && isnan (value[SL_ICC_1]));
}

static void
test_pair_kappas (void **state)
{
  /* Of 4 items 3 alike, chance 1/2: kappa 1/2; pi's chance is 34/64. Left out in turn, the items
   * leave kappas of 2/5, 2/5, 1 and 0: their mean is .45, the squares about it sum to .51, and the
   * jackknife's error is sqrt (3/4 .51). */
  const SlPairCell cells[]
      = { { 1, 0, 0, 0, 1 }, { 1, 1, 0, 0, 1 }, { 1, 2, 0, 1, 1 }, { 1, 3, 1, 1, 1 } };
  const double ends[] = { 0, 10 };
  double figure[SL_N_PAIR_FIGURES], error[SL_N_PAIR_FIGURES];
  g_auto (SlPairTable) table;
  sl_pair_table_init (&table, 2, ends);
  for (int c = 0; c < 4; c++)
    sl_pair_table_add (&table, &cells[c], 1);
  sl_pair_figures (&table, figure);
  assert_float_equal (figure[SL_PAIR_KAPPA], 0.5, 1e-15);
  assert_float_equal (figure[SL_PAIR_LINEAR], 0.5, 1e-15);
  assert_float_equal (figure[SL_PAIR_QUADRATIC], 0.5, 1e-15);
  assert_float_equal (figure[SL_PAIR_PI], 7.0 / 15, 1e-15);
  sl_pair_errors (&table, cells, 4, error);
  assert_float_equal (error[SL_PAIR_KAPPA], sqrt (0.75 * 0.51), 1e-14);
  sl_pair_table_empty (&table, cells, 4);
  sl_pair_figures (&table, figure);
  assert_true (isnan (figure[SL_PAIR_KAPPA]));
  sl_pair_table_add (&table, &cells[0], 1); /* one class only */
  sl_pair_figures (&table, figure);
  assert_true (isnan (figure[SL_PAIR_KAPPA]) && isnan (figure[SL_PAIR_QUADRATIC]));
}

static void
test_gain (void **state)
{
  double room[2];
  const double even[] = { 0.5, 0.5 }, sure[] = { 1, 0 };
  const double perfect[] = { 1, 0, 0, 1 }, blind[] = { 0.5, 0.5, 0.5, 0.5 },
               good[] = { 0.9, 0.1, 0.1, 0.9 };
  assert_float_equal (sl_label_gain (even, perfect, 2, room), log (2), 1e-15);
  assert_float_equal (sl_label_gain (even, blind, 2, room), 0, 1e-15);
  assert_float_equal (sl_label_gain (sure, good, 2, room), 0, 1e-15);
  /* log 2 - H (0.9) */
  assert_float_equal (sl_label_gain (even, good, 2, room),
                      log (2) + 0.9 * log (0.9) + 0.1 * log (0.1), 1e-15);
}

/* Temperatures of cleanlab 2.9's find_best_temp_scaler() for three annotators' answers to five
 * items. */
static void
test_activelab_temperature (void **state)
{
  const double votes[] = { 3, 0, 1, 2, 0, 3, 1, 2, 2, 1 };
  const double model[] = { .7, .3, .2, .8, .1, .9, .6, .4, .5, .5 };
  assert_float_equal (sl_activelab_temperature (model, votes, 5, 2, 1), 7.25, 0);
  /* All are right, so the surest is best, and nothing below 0.1 is tried. */
  const double right[] = { 2, 0, 2, 0 }, unsure[] = { .6, .4, .6, .4 };
  assert_float_equal (sl_activelab_temperature (unsure, right, 2, 2, 2), 0.1, 0);
  /* √.81 : √.01 */
  double p[] = { .81 / .82, .01 / .82, 1, 0 };
  sl_activelab_scale (p, 2, 2, 2, 1);
  assert_float_equal (p[0], .9, 1e-15);
  assert_float_equal (p[3], 1e-15, 1e-16);
}

/* Weights 1, 1/2 and 2 of the model, mean 3/4: ((2 + 1.5) .8 + .75 / 2) / (2 + 1.5 + .75), and so
 * on. */
static void
test_activelab_score (void **state)
{
  const double label[] = { .8, .2, .3, .7 }, weight[] = { 1, .5, 2 }, model[] = { .1, .9 };
  const gint32 consensus[] = { 0, 1 }, item[] = { 0, 0, 1 }, annotator[] = { 0, 1, 1 };
  const SlActiveLab lab = { label, consensus, weight };
  const SlAnswers answers
      = { .n_answers = 3, .n_annotators = 2, .item = item, .annotator = annotator };
  double score[2];
  sl_activelab_score (&lab, &answers, 2, 2, score);
  assert_float_equal (score[0], (3.5 * .8 + .375) / 4.25, 1e-15);
  assert_float_equal (score[1], (2.5 * .7 + .375) / 3.25, 1e-15);
  assert_float_equal (sl_activelab_unanswered (&lab, 2, model, 2), (2 * .9 + .375) / 2.75, 1e-15);
  const SlActiveLab alone = { NULL, NULL, (const double[]){ 1 } };
  assert_float_equal (sl_activelab_unanswered (&alone, 0, model, 2), (.9 + .5) / 2, 1e-15);
  gint32 only[2];
  const double one[] = { 0, 1, 1, 0 }, two[] = { 1, 2 };
  assert_false (sl_activelab_single (one, two, 2, 2, only));
  assert_true (sl_activelab_single (one, (double[]){ 1, 1 }, 2, 2, only));
  assert_int_equal (only[0], 1);
  assert_int_equal (only[1], 0);
}

static void
test_groups (void **state)
{
  /* a, b and c say 0, 0, 1 of one item, and 0, 1, 1 of another; a and b are one group. Of pairs
   * within, one in two differs, of pairs between, three in four. Of 6 answers 3 are 0: two drawn at
   * random differ in 1 - (3 × 2 + 3 × 2) / (6 × 5) = 0.6. With c, a and b put elsewhere, between
   * less within is 1/4, 1/4 and -1/2: all as large as the first. d is in no group. */
  gint32 item[] = { 0, 0, 0, 0, 1, 1, 1 }, annotator[] = { 0, 1, 2, 3, 0, 1, 2 };
  gint32 answer[] = { 0, 0, 1, 1, 0, 1, 1 };
  const gint32 group[] = { 0, 0, 1, -1 };
  const double ends[] = { 1, 3 };
  const SlItems items = { .n_items = 2, .n_classes = 2 };
  const SlAnswers answers = {
    .n_answers = 7, .n_annotators = 4, .item = item, .annotator = annotator, .answer = answer
  };
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  const SlIntervalPlan plan = { { .seed = 1, .resamples = 0, .threads = 1 }, 0.95 };
  for (int ordered = 0; ordered < 2; ordered++)
    {
      const SlGroups groups = { &by, group, 2, ordered ? ends : NULL, 99 };
      SlGroupFigures figure[3];
      sl_group_agreement (&groups, &plan, figure);
      assert_float_equal (figure[2].within.value, 1.0 / 6, 1e-14);
      assert_float_equal (figure[2].between.value, -0.25, 1e-14);
      assert_float_equal (figure[2].difference.value, 5.0 / 12, 1e-14);
      assert_float_equal (figure[2].p, 1, 0);
      assert_int_equal (figure[2].within.n, 2);
      assert_int_equal (figure[2].between.n, 4);
      assert_float_equal (figure[0].within.value, 1.0 / 6, 1e-14);
      assert_true (isnan (figure[1].within.value));
      assert_float_equal (figure[1].between.value, -0.25, 1e-14);
      assert_true (isnan (figure[1].p));
    }
}

static void
check_order (const double *value, double least, gboolean ascending, gint64 top, const char *wanted)
{
  static const double answers[] = { 3, 1, 2, 5 };
  gint32 n = 4;
  g_autofree gint32 *rows = sl_order_rows (value, answers, least, ascending, top, &n);
  g_autoptr (GString) found = g_string_new (NULL);
  for (gint32 i = 0; i < n; i++)
    g_string_append_printf (found, "%d", rows[i]);
  assert_string_equal (found->str, wanted);
}

static void
test_order (void **state)
{
  (void) state;
  static const double value[] = { 0.5, NAN, 0.5, 0.75 };
  check_order (NULL, 0, FALSE, 0, "0123");
  check_order (NULL, 2, FALSE, 2, "02");
  check_order (value, 0, FALSE, 0, "3021");
  check_order (value, 0, TRUE, 0, "0231");
  check_order (value, 3, TRUE, 1, "0");
  check_order (value, 9, TRUE, 0, "");
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_activelab_temperature),
    cmocka_unit_test (test_activelab_score),
    cmocka_unit_test (test_votes),
    cmocka_unit_test (test_coefficients),
    cmocka_unit_test (test_pair_kappas),
    cmocka_unit_test (test_gain),
    cmocka_unit_test (test_order),
    cmocka_unit_test (test_groups),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
