/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Soft answers as evidence: figures worked out by hand, and what must not change labels. */
#include "stages/aggregate/methods/soft/soft-evidence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum
{
  MOST_LABELS = 4096
};

static void
assert_near (double x, double expected, double off)
{
  if (!(fabs (x - expected) <= off))
    fail_msg ("%.12g, not %.12g within %g", x, expected, off);
}

static const SlMethodSettings defaults
    = { .temperature = 1, .threads = 1, .tolerance = NAN, .smoothing = NAN };

/* label[n_items][n_classes] of ANSWERS. */
static SlSoftEvidence
fit (gint32 n_items, gint32 n_classes, const gint32 *gold, const SlAnswers *answers,
     const SlMethodSettings *settings, SlLearned *learned, double *label)
{
  static double weight[MOST_LABELS];
  memset (label, 0, (gsize) n_items * (gsize) n_classes * sizeof *label);
  memset (weight, 0, sizeof weight);
  for (gint64 j = 0; j < answers->n_answers; j++)
    weight[answers->item[j]] += answers->count != NULL ? answers->count[j] : 1;
  SlItems items = {
    .n_items = n_items, .n_classes = n_classes, .label = label, .weight = weight, .gold = gold
  };
  SlSoftEvidence found;
  assert_true (sl_soft_evidence (&items, answers, settings, learned, &found, NULL));
  return found;
}

/* One vote an item, for each of two classes one, by one person. Each counts .9 for its class and
 * .1 for the other, and ten answers that confuse both classes alike say the same;
 * c[0][0] = (.9 + .01 + 9) / (1 + .02 + 10); with m = 16,
 * theta[0][0] = (.9 + 16 c[0][0]) / 17 = .899317, the label. */
static void
test_one_vote_an_item (void **state)
{
  const gint32 item[] = { 0, 1 }, annotator[] = { 0, 0 }, answer[] = { 0, 1 };
  const SlAnswers answers = {
    .n_answers = 2, .n_annotators = 1, .item = item, .annotator = annotator, .answer = answer
  };
  double label[4];
  SlLearned learned = { 0 };
  SlSoftEvidence found = fit (2, 2, NULL, &answers, &defaults, &learned, label);
  double theta = (0.9 + 16 * 9.91 / 11.02) / 17;
  assert_near (label[0], theta, 1e-9);
  assert_near (label[1], 1 - theta, 1e-9);
  assert_near (label[3], theta, 1e-9);
  assert_true (found.shrinkage == 16 && isnan (found.predicted));
  assert_near (found.correlation, 0.2, 1e-9);

  /* The next answer, with the usual weights: phi[0][0] = (.9 + .05) / (1 + .1). */
  SlMethodSettings people = defaults;
  people.asked = SL_ASKED_PEOPLE;
  fit (2, 2, NULL, &answers, &people, &learned, label);
  double phi = 0.95 / 1.1, confused = theta * phi + (1 - theta) * (1 - phi);
  assert_near (label[0], 0.1 + 0.05 + 0.35 * confused + 0.5 * theta, 1e-9);
}

/* The same of answers that are divided, .75 to .25: each puts g = .8 * .75 + .2 = .8 on its first
 * choice. Nothing is ruled out: both classes are possible, and the verdict says nothing of k. */
static void
test_one_soft_answer_an_item (void **state)
{
  const gint32 item[] = { 0, 1 }, annotator[] = { 0, 0 };
  const double q[] = { 0.75, 0.25, 0.25, 0.75 };
  const SlAnswers answers = {
    .n_answers = 2, .n_annotators = 1, .item = item, .annotator = annotator, .distribution = q
  };
  double label[4];
  SlLearned learned = { 0 };
  fit (2, 2, NULL, &answers, &defaults, &learned, label);
  double right = 0.8 * 0.985 + 0.2 * 0.015; /* C[0][0] */
  double theta = (right + 16 * (11 * right + 0.01) / 11.02) / 17;
  double odds = pow (theta / (1 - theta), 0.8 - 0.2);
  assert_near (label[0], odds / (1 + odds), 1e-9);
}

/* A crowd of 12, whose soft answers to 300 items of 3 classes are right in 8 of 10; the last two
 * answer anything, and are always sure. */
typedef struct
{
  gint32 item[1500], annotator[1500], gold[300];
  double q[1500][3];
} Crowd;

static SlAnswers
crowd_answers (Crowd *crowd)
{
  SlRandom random = sl_random (5, 1, 0, 0, 0);
  for (gint32 j = 0; j < 1500; j++)
    {
      gint32 i = crowd->item[j] = j % 300, a = crowd->annotator[j] = (i * 5 + j / 300 * 7) % 12;
      gint32 y = crowd->gold[i] = i % 3;
      gboolean spams = a >= 10, right = sl_random_unit (&random) < (spams ? 0.33 : 0.8);
      gint32 first = right ? y : (y + 1 + (gint32) sl_random_below (&random, 2)) % 3;
      double sure = spams ? 1 : 0.6 + 0.3 * sl_random_unit (&random);
      for (gint32 k = 0; k < 3; k++)
        crowd->q[j][k] = k == first ? sure : (1 - sure) * (k == (first + 1) % 3 ? 1 : 0);
    }
  return (SlAnswers){ .n_answers = 1500,
                      .n_annotators = 12,
                      .item = crowd->item,
                      .annotator = crowd->annotator,
                      .distribution = crowd->q[0] };
}

static int
n_right (const Crowd *crowd, const double *label)
{
  int n = 0;
  for (gint32 i = 0; i < 300; i++)
    {
      const double *p = &label[3 * i];
      gint32 y = crowd->gold[i];
      n += p[y] > p[(y + 1) % 3] && p[y] > p[(y + 2) % 3];
    }
  return n;
}

/* Five answers, of which 25 in 30 are by people right in .8: 276 or more of 300 right (a vote of
 * 5 such is right in .94; three standard deviations below that), more than by the mean; and it is
 * seen who cannot be believed. */
static void
test_strengths (void **state)
{
  g_autofree Crowd *crowd = g_new (Crowd, 1);
  const SlAnswers answers = crowd_answers (crowd);
  static double label[900], mean[900];
  SlPercents percents[12];
  SlLearned learned = { .percents = percents };
  fit (300, 3, NULL, &answers, &defaults, &learned, label);
  memset (mean, 0, sizeof mean);
  for (gint32 j = 0; j < 1500; j++)
    for (gint32 k = 0; k < 3; k++)
      mean[3 * crowd->item[j] + k] += crowd->q[j][k];
  assert_true (n_right (crowd, label) >= 270);
  assert_true (n_right (crowd, label) > n_right (crowd, mean));
  for (gint32 a = 0; a < 12; a++)
    {
      assert_near (percents[a].confidence, a >= 10 ? 1 : 0.75, a >= 10 ? 1e-6 : 0.05);
      assert_near (percents[a].confirmed, a >= 10 ? 0.33 : 0.7, 0.12);
      assert_true ((percents[a].strength < 0.75) == (a >= 10));
      assert_true (isnan (percents[a].slope) == (a >= 10));
    }
}

/* 3,000 answers to 1,000 items of 2 classes by 30 people who are right in .8, whose percents are
 * anything from 50 to 100: first choices count as votes do. Three such votes are right in .896, and
 * the log loss of who knows .8 is .282, with a standard deviation of .017 over 1,000 items; labels
 * are as sure as they are right. */
static void
test_percents_that_mean_nothing (void **state)
{
  enum
  {
    N_ITEMS = 1000
  };
  static gint32 item[3 * N_ITEMS], annotator[3 * N_ITEMS];
  static double q[3 * N_ITEMS][2], label[2 * N_ITEMS];
  SlRandom random = sl_random (7, 1, 0, 0, 0);
  for (gint32 j = 0; j < 3 * N_ITEMS; j++)
    {
      gint32 i = item[j] = j / 3;
      annotator[j] = (i * 7 + j % 3 * 11) % 30;
      gint32 first = sl_random_unit (&random) < 0.8 ? i % 2 : 1 - i % 2;
      q[j][first] = 0.5 + 0.5 * sl_random_unit (&random);
      q[j][1 - first] = 1 - q[j][first];
    }
  const SlAnswers answers = { .n_answers = 3 * N_ITEMS,
                              .n_annotators = 30,
                              .item = item,
                              .annotator = annotator,
                              .distribution = q[0] };
  SlLearned learned = { 0 };
  SlSoftEvidence found = fit (N_ITEMS, 2, NULL, &answers, &defaults, &learned, label);
  double loss = 0, sure = 0;
  gint32 right = 0;
  for (gint32 i = 0; i < N_ITEMS; i++)
    {
      double p = label[2 * i + i % 2];
      loss -= log (p) / N_ITEMS;
      sure += MAX (p, 1 - p) / N_ITEMS;
      right += p > 0.5;
    }
  assert_true (found.first_share > 0.2);
  assert_near (sure, (double) right / N_ITEMS, 0.06);
  assert_true (loss < 0.282 + 3 * 0.017);
}

/* The same bits with other threads, and with rows and annotators in another order. */
static void
test_same_bits (void **state)
{
  g_autofree Crowd *crowd = g_new (Crowd, 1), *turned = g_new (Crowd, 1);
  SlAnswers answers = crowd_answers (crowd);
  static double label[900], other[900];
  SlLearned learned = { 0 };
  for (int asked = SL_ASKED_TRUTH; asked <= SL_ASKED_PEOPLE; asked++)
    {
      SlMethodSettings settings = defaults;
      settings.asked = (SlAsked) asked;
      fit (300, 3, NULL, &answers, &settings, &learned, label);
      settings.threads = 3;
      fit (300, 3, NULL, &answers, &settings, &learned, other);
      assert_memory_equal (label, other, sizeof label);
      for (gint32 j = 0; j < 1500; j++)
        {
          gint32 from = (j * 7 + 3) % 1500;
          turned->item[j] = 299 - crowd->item[from];
          turned->annotator[j] = (crowd->annotator[from] + 5) % 12;
          memcpy (turned->q[j], crowd->q[from], sizeof turned->q[j]);
        }
      SlAnswers again = answers;
      again.item = turned->item;
      again.annotator = turned->annotator;
      again.distribution = turned->q[0];
      fit (300, 3, NULL, &again, &settings, &learned, other);
      for (gint32 i = 0; i < 300; i++)
        assert_memory_equal (&label[3 * i], &other[3 * (299 - i)], 3 * sizeof *label);
    }
}

/* Items keep the class that is known, though people may say another; a count is as many answers. */
static void
test_gold_and_counts (void **state)
{
  const gint32 item[] = { 0, 0, 1, 1, 2 }, annotator[] = { 0, 1, 0, 1, 0 };
  const gint32 answer[] = { 0, 0, 1, 1, 0 }, gold[] = { 1, -1, -1 };
  SlAnswers answers = {
    .n_answers = 5, .n_annotators = 2, .item = item, .annotator = annotator, .answer = answer
  };
  double label[6], counted[6];
  SlMethodSettings settings = defaults;
  SlLearned learned = { 0 };
  settings.fix_gold = TRUE;
  fit (3, 2, gold, &answers, &settings, &learned, label);
  assert_true (label[0] == 0 && label[1] == 1 && label[2] < 0.5);
  settings.asked = SL_ASKED_PEOPLE;
  fit (3, 2, gold, &answers, &settings, &learned, label);
  assert_true (label[0] > 0.1 && label[1] > 0.1);

  const gint32 single[] = { 0, 1, 2, 0, 1 }, who[] = { 0, 0, 0, 0, 0 };
  const double count[] = { 2, 2, 1 };
  const gint32 votes[] = { 0, 1, 0, 0, 1 };
  SlAnswers twice
      = { .n_answers = 5, .n_annotators = 1, .item = single, .annotator = who, .answer = votes };
  SlAnswers once = { .n_answers = 3,
                     .n_annotators = 1,
                     .item = single,
                     .annotator = who,
                     .answer = votes,
                     .count = count };
  fit (3, 2, NULL, &twice, &defaults, &learned, label);
  fit (2 + 1, 2, NULL, &once, &defaults, &learned, counted);
  for (int c = 0; c < 4; c++)
    assert_near (label[c], counted[c], 1e-9);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_one_vote_an_item), cmocka_unit_test (test_one_soft_answer_an_item),
    cmocka_unit_test (test_strengths),        cmocka_unit_test (test_same_bits),
    cmocka_unit_test (test_gold_and_counts),  cmocka_unit_test (test_percents_that_mean_nothing),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
