/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Votes weighed by skill, and pools of labels: worked examples. */
#include "crowds.h"

#include "pipeline/base/error.h"

/* Item, annotator: 5 × 3, P (class 0) of the vote 1, 1/3, 0, 1/3, 2/3. */
static const gint32 example[5][3]
    = { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0, 0, 1 } };

static Crowd
example_crowd (void)
{
  Crowd crowd = { .n_items = 5, .n_classes = 2, .n_annotators = 3, .n = 15 };
  crowd.item = g_new (gint32, 15);
  crowd.annotator = g_new (gint32, 15);
  crowd.answer = g_new (gint32, 15);
  for (gint32 j = 0; j < 15; j++)
    {
      crowd.item[j] = j / 3;
      crowd.annotator[j] = j % 3;
      crowd.answer[j] = example[j / 3][j % 3];
    }
  return crowd;
}

/* The labels' first class, and the skills. */
static void
check (const Crowd *crowd, Fit fit, const SlMethodSettings *settings, const double *first,
       const double *skill, double bound)
{
  g_autofree double *reliability = g_new (double, (gsize) crowd->n_annotators);
  SlLearned learned = { .reliability = reliability };
  g_autofree double *label = crowd_fit (crowd, fit, settings, &learned);
  for (gint32 i = 0; i < crowd->n_items; i++)
    assert_near ("p", &label[i * crowd->n_classes], &first[i], 1, bound);
  if (skill != NULL)
    assert_near ("skill", reliability, skill, (gsize) crowd->n_annotators, bound);
}

/* The vote is 0, 1, 1, 1, 0, with which the annotators agree in 4, 5 and 3 of 5. */
static void
test_wawa (void **state)
{
  (void) state;
  static const double first[] = { 1, 0.6 / 2.4, 0, 0.8 / 2.4, 1.8 / 2.4 },
                      skill[] = { 0.8, 1, 0.6 };
  g_auto (Crowd) crowd = example_crowd ();
  check (&crowd, sl_fit_wawa, &defaults, first, skill, 1e-15);
}

static void
note_round (gpointer data, gint64 round, double objective)
{
  (void) objective;
  *(gint64 *) data = round;
}

/* The same skills weigh the same vote again, so the second round is the last. */
static void
test_zero_based_skill (void **state)
{
  (void) state;
  static const double first[] = { 1, 0.6 / 2.4, 0, 0.8 / 2.4, 1.8 / 2.4 },
                      skill[] = { 0.8, 1, 0.6 };
  g_auto (Crowd) crowd = example_crowd ();
  check (&crowd, sl_fit_zero_based_skill, &defaults, first, skill, 1e-15);
  gint64 rounds = 0;
  SlLearned learned = { .round = note_round, .data = &rounds };
  g_free (crowd_fit (&crowd, sl_fit_zero_based_skill, &defaults, &learned));
  assert_int_equal (rounds, 2);
}

/* Of items 0 and 1, both of class 0, the annotators are right about 1, 1 and 2; then a fourth,
 * who was never tested and says 1 of item 4, counts 4/6. */
static void
test_gold_vote (void **state)
{
  (void) state;
  static const double first[] = { 1, 0.5, 0, 0.25, 0.5 }, skill[] = { 0.5, 0.5, 1 };
  static const double with_fourth[] = { 1, 0.5, 0, 0.25, 1 / (2 + 2 / 3.0) };
  /* E = 1: (1 + 2/3) / 3, (2 + 2/3) / 3. */
  static const double smoothed[] = { 5 / 9.0, 5 / 9.0, 8 / 9.0 };
  g_auto (Crowd) crowd = example_crowd ();
  crowd.gold = g_new (gint32, 5);
  for (int i = 0; i < 5; i++)
    crowd.gold[i] = i < 2 ? 0 : -1;
  check (&crowd, sl_fit_gold_vote, &defaults, first, skill, 1e-15);
  SlMethodSettings settings = defaults;
  settings.smoothing = 1;
  double reliability[3];
  SlLearned learned = { .reliability = reliability };
  g_free (crowd_fit (&crowd, sl_fit_gold_vote, &settings, &learned));
  assert_near ("smoothed", reliability, smoothed, 3, 1e-15);
  gint32 *columns[] = { crowd.item = g_renew (gint32, crowd.item, 16),
                        crowd.annotator = g_renew (gint32, crowd.annotator, 16),
                        crowd.answer = g_renew (gint32, crowd.answer, 16) };
  columns[0][15] = 4;
  columns[1][15] = 3;
  columns[2][15] = 1;
  crowd.n = 16;
  crowd.n_annotators = 4;
  check (&crowd, sl_fit_gold_vote, &defaults, with_fourth, NULL, 1e-15);
}

static void
test_gold_vote_needs_gold (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  double label[] = { 1, 0 }, weight[] = { 1 };
  gint32 zero[] = { 0 }, unknown[] = { -1 };
  SlItems items = { 1, 2, label, weight, unknown, NULL };
  SlAnswers answers
      = { .n_answers = 1, .n_annotators = 1, .item = zero, .annotator = zero, .answer = zero };
  SlLearned learned = { 0 };
  assert_false (sl_fit_gold_vote (&items, &answers, &defaults, &learned, &error));
  assert_true (g_error_matches (error, SL_ERROR, SL_ERROR_INPUT));
}

/* c / t of the annotators from 1/2 on: 2/3 2/3 2/3, 3/4 3/4 2/4, 4/5 4/5 3/5, 4/6 5/6 4/6. */
static void
test_la_stream (void **state)
{
  (void) state;
  static const double first[] = { 1, 1 / 3.0, 0, 0.8 / 2.2, 9 / 13.0 };
  static const gint32 zeros[3], annotators[] = { 0, 1, 2 };
  gpointer la = sl_stream_la.begin (2, &defaults);
  for (int i = 0; i < 5; i++)
    {
      double label[2] = { 0 }, weight = 3;
      SlItems item = { 1, 2, label, &weight, NULL, NULL };
      /* The annotators are met one after the other; who has not been met counts like the first. */
      SlAnswers answers = { .n_answers = 3,
                            .n_annotators = 3,
                            .item = zeros,
                            .annotator = annotators,
                            .answer = example[i] };
      sl_stream_la.pass (la, &item, &answers);
      assert_near ("p", label, &first[i], 1, 1e-15);
      assert_near ("sum", &label[1], (double[]){ 1 - first[i] }, 1, 1e-15);
    }
  sl_stream_la.end (la);
}

/* In any order the vote wins each item, so that the accuracies are 5/7, 6/7 and 4/7, and the
 * second pass adds 2 (2 a - 1) = 6/7, 10/7 and 2/7. */
static void
test_la_two_pass (void **state)
{
  (void) state;
  static const double skill[] = { 5 / 7.0, 6 / 7.0, 4 / 7.0 };
  static const double odds[] = { 18 / 7.0, -14 / 7.0, -18 / 7.0, -6 / 7.0, 14 / 7.0 };
  double first[5];
  for (int i = 0; i < 5; i++)
    first[i] = 1 / (1 + exp (-odds[i]));
  g_auto (Crowd) crowd = example_crowd ();
  for (guint64 seed = 0; seed < 5; seed++)
    {
      SlMethodSettings settings = defaults;
      settings.seed = seed;
      check (&crowd, sl_fit_la_two_pass, &settings, first, skill, 1e-15);
    }
}

/* √(.9 × .4) : √(.1 × .6), or weighted 3 : 1; and certain labels, three against one, with the
 * floor f: f^(1/4) : f^(3/4). */
static void
test_log_pool (void **state)
{
  (void) state;
  Crowd crowd = { .n_items = 2, .n_classes = 2, .n_annotators = 1, .n = 4 };
  gint32 item[] = { 1, 0, 0, 1 }, annotator[] = { 0, 0, 0, 0 };
  double distribution[] = { 1, 0, .9, .1, .4, .6, 0, 1 }, count[] = { 3, 1, 1, 1 };
  crowd.item = item;
  crowd.annotator = annotator;
  crowd.distribution = distribution;
  crowd.count = count;
  double even = sqrt (.36) / (sqrt (.36) + sqrt (.06));
  check (&crowd, sl_fit_log_pool, &defaults, (double[]){ even, 1 / (1 + 1e-6) }, NULL, 1e-12);
  SlMethodSettings settings = defaults;
  settings.smoothing = 1e-4;
  check (&crowd, sl_fit_log_pool, &settings, (double[]){ even, 1 / (1 + 1e-2) }, NULL, 1e-12);
  crowd.distribution = NULL;
  gint32 answer[] = { 0, 0, 1, 1 };
  crowd.answer = answer;
  check (&crowd, sl_fit_log_pool, &defaults, (double[]){ .5, 1 / (1 + 1e-6) }, NULL, 1e-12);
}

/* cleanlab 2.9's get_label_quality_multiannotator(): the labels' quality, and the annotators'. */
static void
test_crowdlab (void **state)
{
  (void) state;
  static const double model[] = { .7, .3, .2, .8, .1, .9, .6, .4, .5, .5 };
  static const double first[]
      = { .704204428847, 1 - .79159090686, 1 - .878977855766, .557955946978, .529430766481 };
  static const double quality[] = { .731226416531, .685741524523, .523076262431 };
  g_auto (Crowd) crowd = example_crowd ();
  double label[10] = { 0 }, weight[5] = { 3, 3, 3, 3, 3 }, reliability[3];
  SlItems items = { 5, 2, label, weight, NULL, NULL };
  SlAnswers answers = { .n_answers = 15,
                        .n_annotators = 3,
                        .item = crowd.item,
                        .annotator = crowd.annotator,
                        .answer = crowd.answer,
                        .prediction = model };
  SlLearned learned = { .reliability = reliability };
  assert_true (sl_fit_crowdlab (&items, &answers, &defaults, &learned, NULL));
  for (int i = 0; i < 5; i++)
    assert_near ("p", &label[2 * i], &first[i], 1, 1e-11);
  assert_near ("quality", reliability, quality, 3, 1e-11);
  /* One answer an item: the model stands in for other annotators, and nothing is divided by 0. */
  answers.n_answers = 1;
  items.n_items = 1;
  assert_true (sl_fit_crowdlab (&items, &answers, &defaults, &learned, NULL));
  assert_true (label[0] >= 0.7 && label[0] <= 1);
}

/* Both annotators are worth the same, and the model does not know: what they dispute is of the
 * rarer class, 1, so that who named it is right of 3 in 3 and the other of 2. */
static void
test_crowdlab_tie (void **state)
{
  (void) state;
  static const gint32 item[] = { 0, 0, 1, 1, 2, 2 }, annotator[] = { 0, 1, 0, 1, 0, 1 },
                      answer[] = { 0, 1, 0, 0, 0, 0 };
  static const double model[] = { .5, .5, .9, .1, .9, .1 };
  double label[6] = { 0 }, weight[] = { 2, 2, 2 }, reliability[2];
  SlItems items = { 3, 2, label, weight, NULL, NULL };
  SlAnswers answers = { .n_answers = 6,
                        .n_annotators = 2,
                        .item = item,
                        .annotator = annotator,
                        .answer = answer,
                        .prediction = model };
  SlLearned learned = { .reliability = reliability };
  assert_true (sl_fit_crowdlab (&items, &answers, &defaults, &learned, NULL));
  assert_near ("tied", label, (double[]){ .5, .5 }, 2, 0);
  assert_true (reliability[1] > reliability[0] + 0.05);
}

static void
test_crowdlab_needs_a_model (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  SlItems items = { .n_classes = 2 };
  SlAnswers answers = { 0 };
  SlLearned learned = { 0 };
  assert_false (sl_fit_crowdlab (&items, &answers, &defaults, &learned, &error));
  assert_true (g_error_matches (error, SL_ERROR, SL_ERROR_USAGE));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_wawa),         cmocka_unit_test (test_zero_based_skill),
    cmocka_unit_test (test_gold_vote),    cmocka_unit_test (test_gold_vote_needs_gold),
    cmocka_unit_test (test_la_stream),    cmocka_unit_test (test_la_two_pass),
    cmocka_unit_test (test_log_pool),     cmocka_unit_test (test_crowdlab),
    cmocka_unit_test (test_crowdlab_tie), cmocka_unit_test (test_crowdlab_needs_a_model),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
