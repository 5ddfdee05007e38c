/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics against values worked out by hand, or published with the formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "scored.h"
#include "stages/common/figures/metric-sense.h"
#include "stages/score/metrics/intervals.h"
#include "stages/score/metrics/metrics.h"
#include "stages/score/metrics/order.h"
#include "stages/score/metrics/paired.h"
#include "stages/score/metrics/transport.h"

#include <string.h>

static SlMetricValue
value_with (const Scored *scored, const char *name, const SlMetricSettings *settings,
            const double *weight)
{
  int m = sl_metric_find (name);
  assert_true (m >= 0);
  SlShared shared = { 0 };
  SlMetricValue found
      = sl_metrics[m].value (&sl_metrics[m], &scored->items, weight, settings, &shared);
  /* What is shared gives the same again. */
  SlMetricValue again
      = sl_metrics[m].value (&sl_metrics[m], &scored->items, weight, settings, &shared);
  assert_memory_equal (&found, &again, sizeof found);
  sl_shared_clear (&shared);
  return found;
}

static double
value (const Scored *scored, const char *name)
{
  return value_with (scored, name, &usual, NULL).value;
}

/* One item's prediction P and target T. */
static void
score_one (Scored *scored, const double *p, const double *t, gint32 k, const double *cost)
{
  static const gint32 gold = 0;
  const SlItemBlock block
      = { .n = 1, .n_classes = k, .prob = p, .target = t, .gold = &gold, .cost = cost };
  score (scored, &block,
         cost != NULL ? ALL_FIGURES : ALL_FIGURES & ~SL_FIGURE_BIT (SL_FIGURE_W_COST));
}

static void
test_distances (void **state)
{
  const double p[] = { 0.5, 0.4, 0.1 }, t[] = { 0.7, 0.2, 0.1 };
  Scored s;
  score_one (&s, p, t, 3, NULL);
  assert_near (value (&s, "cross_entropy"), 0.898719682, 1e-9);
  assert_near (value (&s, "kl"), 0.096901130, 1e-9);
  assert_near (value (&s, "brier"), 0.08, 1e-15);
  assert_near (value (&s, "l1"), 0.4, 1e-15);
  assert_near (value (&s, "mean_abs"), 0.4 / 3, 1e-15);
  assert_near (value (&s, "tv"), 0.2, 1e-15);
  assert_near (value (&s, "w_values"), 0.4 / 3, 1e-15);
  assert_near (value (&s, "w_line"), 0.2, 1e-15);
  assert_near (value (&s, "log_loss"), -log (0.5), 1e-15);
  /* (H (.6, .3, .1) - (H (p) + H (t)) / 2 */
  assert_near (value (&s, "js"), 0.89794572 - (0.94334839 + 0.80181855) / 2, 1e-7);
  scored_clear (&s);

  const double one[] = { 1, 0, 0 }, other[] = { 0, 1, 0 };
  score_one (&s, one, other, 3, NULL);
  assert_near (value (&s, "w_values"), 0, 0);
  assert_near (value (&s, "tv"), 1, 0);
  assert_near (value (&s, "js"), log (2), 1e-15);
  SlMetricValue infinite = value_with (&s, "cross_entropy", &usual, NULL);
  assert_true (isnan (infinite.value));
  assert_non_null (strstr (infinite.reason, "infinite"));
  scored_clear (&s);
}

/* t's mass on a class of probability 0 has a finite cost where there are logits, or a least
 * probability. */
static void
test_logits_and_clip (void **state)
{
  const double p[] = { 1, 0 }, logit[] = { 1000, 0 }, t[] = { 0.8, 0.2 };
  const gint32 gold = 1;
  SlItemBlock block = { .n = 1, .n_classes = 2, .prob = p, .target = t, .gold = &gold };
  guint64 wanted = ALL_FIGURES & ~SL_FIGURE_BIT (SL_FIGURE_W_COST);
  Scored s;
  block.logit = logit;
  score (&s, &block, wanted);
  assert_near (value (&s, "cross_entropy"), 200, 1e-12);
  assert_near (value (&s, "log_loss"), 1000, 1e-12);
  assert_near (value (&s, "entropy"), 0, 0);
  scored_clear (&s);
  block.logit = NULL;
  block.clip = 1e-12;
  score (&s, &block, wanted);
  assert_near (value (&s, "cross_entropy"), 0.2 * 27.631021115928547, 1e-12);
  assert_near (value (&s, "entropy"), 0, 0);
  scored_clear (&s);
}

static void
test_shared_task (void **state)
{
  const double t[] = { 0.8, 0.2 }, p[] = { 0.6, 0.4 }, sure[] = { 1, 0 };
  Scored s;
  score_one (&s, p, t, 2, NULL);
  assert_near (value (&s, "lewidi2023_cross_entropy"), 0.591918, 1e-6);
  scored_clear (&s);
  score_one (&s, sure, t, 2, NULL);
  assert_near (value (&s, "lewidi2023_cross_entropy"), 4.144453, 5e-7);
  scored_clear (&s);
  score_one (&s, sure, sure, 2, NULL);
  assert_near (value (&s, "lewidi2023_cross_entropy"), -9.99e-10, 1e-15);
  scored_clear (&s);

  const double a[] = { 0.4, 0.6 }, b[] = { 0.7, 0.3 };
  score_one (&s, a, b, 2, NULL);
  assert_near (value (&s, "lewidi2025_manhattan"), 0.6, 1e-15);
  scored_clear (&s);

  const double four_six[] = { 0, 0, 0, 0.5, 0, 0.5 }, five[] = { 0, 0, 0, 0, 1, 0 };
  score_one (&s, five, four_six, 6, NULL);
  assert_near (value (&s, "lewidi2025_wasserstein"), 1.0, 1e-15);
  scored_clear (&s);

  /* Each item is rounded, then the mean: 0.333335 and 0.11111 of thirds and ninths. */
  const double thirds[] = { 2 / 3.0, 1 / 3.0, 1, 0 }, halves[] = { 0.5, 0.5, 17 / 18.0, 1 / 18.0 };
  const gint32 gold[] = { 0, 0 };
  const SlItemBlock block
      = { .n = 2, .n_classes = 2, .prob = thirds, .target = halves, .gold = gold };
  score (&s, &block, ALL_FIGURES & ~SL_FIGURE_BIT (SL_FIGURE_W_COST));
  assert_near (value (&s, "lewidi2025_manhattan"), 0.22222, 1e-12);
  scored_clear (&s);
}

/* One item, whose annotators answered CLASS where ANSWER was predicted; classes are the numbers
 * VALUE. */
static SlMetricValue
score_answers (const char *name, const double *class, const double *answer, gint64 n,
               const double *value_of_class, double scale)
{
  g_autofree double *item = g_new0 (double, n);
  SlScoredItems items = { .n = n, .n_classes = 11 };
  items.column[SL_FIGURE_ITEM] = item;
  items.column[SL_FIGURE_CLASS] = class;
  items.column[SL_FIGURE_ANSWER] = answer;
  const SlMetricSettings settings = { .class_value = value_of_class, .scale = scale };
  const SlMetric *metric = &sl_metrics[sl_metric_find (name)];
  SlShared shared = { 0 };
  return metric->value (metric, &items, NULL, &settings, &shared);
}

static void
test_shared_task_answers (void **state)
{
  const double t[] = { 0, 1, 1, 0, 1 }, p[] = { 0, 0, 1, 1, 1 };
  assert_near (score_answers ("lewidi2025_error_rate", t, p, 5, NULL, 1).value, 0.4, 1e-15);
  /* Classes -5 … 5: answers -3, -4, 0, -4, and 5 predicted. */
  const double value_of_class[] = { -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5 };
  const double answers[] = { 2, 1, 5, 1 }, five[] = { 10, 10, 10, 10 };
  assert_near (
      score_answers ("lewidi2025_absolute_distance", answers, five, 4, value_of_class, 11).value,
      0.704545, 5e-7);
  SlMetricValue none = score_answers ("lewidi2025_absolute_distance", answers, five, 4, NULL, 11);
  assert_true (isnan (none.value) && none.reason != NULL);
}

/* Three questions of one item: distances .4, .4 and .5. Another item of one question, .00002: each
 * item counts the same. */
static void
test_shared_task_multilabel (void **state)
{
  const double t[] = { 1, 0, 0.5, 0.5, 0.25, 0.75, 0.5, 0.5 };
  const double p[] = { 0.8, 0.2, 0.7, 0.3, 0.5, 0.5, 0.50001, 0.49999 };
  const double item[] = { 0, 0, 0, 1 };
  SlItemBlock block = { .n = 3, .n_classes = 2, .prob = p, .target = t };
  Scored s;
  score (&s, &block, SL_FIGURE_BIT (SL_FIGURE_SHARED_MANHATTAN));
  s.items.column[SL_FIGURE_ITEM] = item;
  assert_near (value (&s, "lewidi2025_multilabel"), 0.43333, 1e-15);
  scored_clear (&s);
  block.n = 4;
  score (&s, &block, SL_FIGURE_BIT (SL_FIGURE_SHARED_MANHATTAN));
  s.items.column[SL_FIGURE_ITEM] = item;
  SlMetricValue both = value_with (&s, "lewidi2025_multilabel", &usual, NULL);
  assert_near (both.value, 0.21668, 1e-15);
  assert_near (both.n, 2, 0);
  scored_clear (&s);
}

static void
test_entropy_correlation (void **state)
{
  const double human[] = { 0.9, 0.1, 0, 0.5, 0.3, 0.2, 1, 0, 0, 0.34, 0.33, 0.33 };
  const double model[] = { 0.8, 0.1, 0.1, 0.6, 0.2, 0.2, 0.95, 0.03, 0.02, 0.4, 0.4, 0.2 };
  const double same[] = { 0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8, 0.8, 0.1, 0.1 };
  SlItemBlock block = { .n = 4, .n_classes = 3, .prob = model, .target = human };
  guint64 wanted = SL_FIGURE_BIT (SL_FIGURE_ENTROPY) | SL_FIGURE_BIT (SL_FIGURE_TARGET_ENTROPY)
                   | SL_FIGURE_BIT (SL_FIGURE_CONFIDENCE);
  Scored s;
  score (&s, &block, wanted);
  assert_near (value (&s, "entropy_correlation"), 0.974092675, 1e-9);
  /* An item that counts twice is two items. */
  const double twice[] = { 2, 1, 1, 0 };
  double weighed = value_with (&s, "entropy_correlation", &usual, twice).value;
  scored_clear (&s);
  const double human4[] = { 0.9, 0.1, 0, 0.9, 0.1, 0, 0.5, 0.3, 0.2, 1, 0, 0 };
  const double model4[] = { 0.8, 0.1, 0.1, 0.8, 0.1, 0.1, 0.6, 0.2, 0.2, 0.95, 0.03, 0.02 };
  block.prob = model4;
  block.target = human4;
  score (&s, &block, wanted);
  assert_near (weighed, value (&s, "entropy_correlation"), 1e-12);
  scored_clear (&s);

  block.prob = same;
  score (&s, &block, wanted);
  SlMetricValue none = value_with (&s, "entropy_correlation", &usual, NULL);
  assert_true (isnan (none.value));
  assert_non_null (strstr (none.reason, "predictions"));
  scored_clear (&s);
}

/* Binary items of the given confidences, right where RIGHT says so. */
static void
score_sure (Scored *scored, const double *confidence, const int *right, gint64 n)
{
  g_autofree double *p = g_new (double, 2 * n);
  g_autofree double *t = g_new0 (double, 2 * n);
  g_autofree gint32 *gold = g_new (gint32, n);
  for (gint64 i = 0; i < n; i++)
    {
      p[2 * i] = confidence[i];
      p[2 * i + 1] = 1 - confidence[i];
      gold[i] = right[i] ? 0 : 1;
      t[2 * i + gold[i]] = 1;
    }
  const SlItemBlock block = { .n = n, .n_classes = 2, .prob = p, .target = t, .gold = gold };
  score (scored, &block,
         SL_FIGURE_BIT (SL_FIGURE_CONFIDENCE) | SL_FIGURE_BIT (SL_FIGURE_CORRECT)
             | SL_FIGURE_BIT (SL_FIGURE_BRIER));
  scored->items.prob = scored->items.target = NULL;
}

static void
test_adaptive_bins (void **state)
{
  const double confidence[] = { 0.55, 0.60, 0.70, 0.80, 0.90, 0.95 };
  const int right[] = { 0, 1, 0, 1, 1, 1 };
  Scored s;
  score_sure (&s, confidence, right, 6);
  SlMetricSettings settings = { .bin_size = 2, .bins = 15 };
  assert_near (value_with (&s, "calibration_rms", &settings, NULL).value, 0.156790731, 1e-9);
  settings.skip_last_bin = TRUE;
  assert_near (value_with (&s, "calibration_rms", &settings, NULL).value, 0.150692844, 1e-9);
  settings.bin_size = 4;
  assert_near (value_with (&s, "calibration_rms", &settings, NULL).value, 0, 0);
  assert_non_null (value_with (&s, "calibration_rms", &settings, NULL).reason);
  settings.skip_last_bin = FALSE;
  assert_null (value_with (&s, "calibration_rms", &settings, NULL).reason);
  assert_near (value_with (&s, "calibration_rms", &settings, NULL).value, 0.083333333, 1e-9);
  assert_near (value_with (&s, "calibration_l1", &settings, NULL).value, 0.083333333, 1e-9);
  settings.bin_size = 100;
  assert_near (value_with (&s, "calibration_max", &settings, NULL).value, 0.083333333, 1e-9);
  /* Items that count three times fill bins of three; an item may be in two bins. */
  const double thrice[] = { 3, 3, 3, 3, 3, 3 };
  settings.bin_size = 6;
  assert_near (value_with (&s, "calibration_rms", &settings, thrice).value, 0.156790731, 1e-9);
  scored_clear (&s);
}

/* Items as sure as each other: on both sides of an edge the share of right ones is the same,
 * whatever the order of rows. Five of .6, three right, and one of .9: bins of 2 hold .6 and .6, .6
 * and .6, .6 and .9. */
static void
test_adaptive_ties (void **state)
{
  static const double confidence[][6] = { { 0.6, 0.6, 0.6, 0.6, 0.6, 0.9 },
                                          { 0.9, 0.6, 0.6, 0.6, 0.6, 0.6 },
                                          { 0.6, 0.6, 0.9, 0.6, 0.6, 0.6 } };
  static const int right[][6]
      = { { 1, 1, 1, 0, 0, 1 }, { 1, 0, 0, 1, 1, 1 }, { 0, 1, 1, 1, 0, 1 } };
  SlMetricSettings settings = { .bin_size = 2, .bins = 15 };
  for (int order = 0; order < 3; order++)
    {
      Scored s;
      score_sure (&s, confidence[order], right[order], 6);
      /* Gaps 0, 0 and |.75 - .8|. */
      assert_near (value_with (&s, "calibration_rms", &settings, NULL).value, 0.05 * sqrt (1 / 3.0),
                   1e-15);
      assert_near (value_with (&s, "calibration_l1", &settings, NULL).value, 0.05 / 3, 1e-15);
      assert_near (value_with (&s, "calibration_max", &settings, NULL).value, 0.05, 1e-15);
      scored_clear (&s);
    }
}

/* Seven items in four bins, by four definitions. */
static void
test_fixed_bins (void **state)
{
  const double confidence[] = { 0.5, 0.6, 0.75, 0.75, 0.9, 1, 1 };
  const int right[] = { 1, 0, 1, 0, 1, 1, 0 };
  Scored s;
  score_sure (&s, confidence, right, 7);
  SlMetricSettings settings = { .bin_size = 100, .bins = 4, .own_bin_of_one = TRUE };
  assert_near (value_with (&s, "ece", &settings, NULL).value, 0.214286, 5e-7);
  assert_near (value_with (&s, "ece_rms", &settings, NULL).value, 0.282422, 5e-7);
  assert_near (value_with (&s, "mce", &settings, NULL).value, 0.5, 1e-12);
  settings.own_bin_of_one = FALSE;
  assert_near (value_with (&s, "ece", &settings, NULL).value, 0.214286, 5e-7);
  assert_near (value_with (&s, "ece_rms", &settings, NULL).value, 0.238148, 5e-7);
  assert_near (value_with (&s, "mce", &settings, NULL).value, 0.28, 1e-12);
  assert_near (value_with (&s, "ace", &settings, NULL).value, 0.165, 1e-12);
  settings.edge = SL_EDGE_RIGHT;
  assert_near (value_with (&s, "ece", &settings, NULL).value, 0.357143, 5e-7);
  assert_near (value_with (&s, "ece_rms", &settings, NULL).value, 0.363187, 5e-7);
  assert_near (value_with (&s, "mce", &settings, NULL).value, 0.5, 1e-12);
  assert_near (value_with (&s, "ace", &settings, NULL).value, 0.388889, 5e-7);
  scored_clear (&s);
}

static void
test_risk (void **state)
{
  const double confidence[] = { 0.9, 0.6, 0.8, 0.7 };
  const int right[] = { 1, 0, 0, 1 };
  Scored s;
  score_sure (&s, confidence, right, 4);
  /* Risks 0, 1/2, 1/3, 2/4. */
  assert_near (value (&s, "aurc"), (0.5 + 1 / 3.0 + 0.5) / 4, 1e-15);
  assert_near (value (&s, "confidence_correct"), 0.8, 1e-15);
  assert_near (value (&s, "confidence_incorrect"), 0.7, 1e-15);
  scored_clear (&s);
  /* Of two alike, one right: the first has half an error. */
  const double alike[] = { 0.8, 0.8 }, behind[] = { 0.5, 0.9, 0.5 };
  const int one[] = { 1, 0 }, both[] = { 1, 1 }, last[] = { 1, 1, 0 };
  score_sure (&s, alike, one, 2);
  assert_near (value (&s, "aurc"), 0.5, 1e-15);
  scored_clear (&s);
  /* Behind one that is right: 0, then half an error of two, then one of three. */
  score_sure (&s, behind, last, 3);
  assert_near (value (&s, "aurc"), (0.25 + 1 / 3.0) / 3, 1e-15);
  scored_clear (&s);
  score_sure (&s, alike, both, 2);
  SlMetricValue none = value_with (&s, "confidence_incorrect", &usual, NULL);
  assert_true (isnan (none.value) && none.reason != NULL);
  scored_clear (&s);
}

/* Murphy's parts sum up to the score where all of a bin are alike. */
static void
test_brier_parts (void **state)
{
  const double confidence[] = { 0.7, 0.7, 0.7, 0.9, 0.9, 0.6 };
  const int right[] = { 1, 0, 1, 1, 1, 0 };
  Scored s;
  score_sure (&s, confidence, right, 6);
  /* By hand: class 0 has means of t 2/3, 1 and 0 at .7, .9 and .6; class 1 is its mirror. */
  double reliability = 2 * (3 * pow (0.7 - 2 / 3.0, 2) + 2 * 0.01 + 0.36) / 6;
  double resolution = 2 * (2 * pow (1 - 4 / 6.0, 2) + pow (4 / 6.0, 2)) / 6;
  assert_near (value (&s, "reliability"), reliability, 1e-15);
  assert_near (value (&s, "resolution"), resolution, 1e-15);
  assert_near (value (&s, "uncertainty"), 2 * (4 / 6.0) * (2 / 6.0), 1e-15);
  assert_near (value (&s, "reliability") - value (&s, "resolution") + value (&s, "uncertainty"),
               value (&s, "brier"), 1e-15);
  assert_near (value (&s, "class_ece"), (3 * (0.7 - 2 / 3.0) + 2 * 0.1 + 0.6) / 6, 1e-15);
  scored_clear (&s);
}

static void
test_classes (void **state)
{
  const double p[] = { 0.5, 0.3, 0.2, 0.2, 0.7, 0.1, 0.4, 0.5, 0.1, 0.1, 0.2, 0.7, 0.6, 0.3, 0.1 };
  const double t[] = { 0.6, 0.4, 0, 0.1, 0.9, 0, 1, 0, 0, 0, 0.5, 0.5, 0.2, 0.2, 0.6 };
  const gint32 gold[] = { 0, 1, 0, 2, -1 };
  SlItemBlock block = { .n = 5, .n_classes = 3, .prob = p, .target = t, .gold = gold };
  guint64 wanted = ALL_FIGURES & ~SL_FIGURE_BIT (SL_FIGURE_W_COST);
  Scored s;
  score (&s, &block, wanted);
  SlMetricValue accuracy = value_with (&s, "accuracy", &usual, NULL);
  assert_near (accuracy.value, 0.75, 0);
  assert_near (accuracy.n, 4, 0);
  assert_near (value (&s, "top2_accuracy"), 1, 0);
  assert_near (value (&s, "balanced_accuracy"), 2.5 / 3, 1e-15);
  assert_near (value (&s, "worst_class_accuracy"), 0.5, 0);
  assert_near (value (&s, "macro_f1"), (2 / 3.0 + 2 / 3.0 + 1) / 3, 1e-15);
  assert_near (value (&s, "worst_class_log_loss"), -(log (0.5) + log (0.4)) / 2, 1e-15);
  /* Items 0 and 1 have an untied second class: right, and right (class 0 of item 1). Item 3 is
   * tied at the top, item 4 at the second. */
  SlMetricValue second = value_with (&s, "second_best_accuracy", &usual, NULL);
  assert_near (second.value, 1, 0);
  assert_near (second.n, 2, 0);
  assert_near (value (&s, "same_first"), 2 / 5.0, 0);
  scored_clear (&s);
  block.second = SL_SECOND_ANY;
  score (&s, &block, wanted);
  assert_near (value_with (&s, "second_best_accuracy", &usual, NULL).n, 5, 0);
  scored_clear (&s);
}

static void
test_transport (void **state)
{
  const double line[] = { 0, 1, 2, 1, 0, 1, 2, 1, 0 }, same[] = { 0, 1, 1, 1, 0, 1, 1, 1, 0 };
  const double p[] = { 0.5, 0.4, 0.1 }, t[] = { 0.7, 0.2, 0.1 };
  Scored s;
  score_one (&s, p, t, 3, line);
  assert_near (value (&s, "w_cost"), 0.2, 1e-15);
  scored_clear (&s);
  score_one (&s, p, t, 3, same);
  assert_near (value (&s, "w_cost"), 0.2, 1e-15);
  scored_clear (&s);
  /* No metric: it is cheaper by way of the middle, whose own mass moves on. */
  const double odd[] = { 0, 1, 10, 1, 0, 1, 10, 1, 0 }, from[] = { 0.5, 0.5, 0 };
  const double to[] = { 0, 0.5, 0.5 };
  SlTransport *transport = sl_transport_new (3);
  assert_near (sl_transport_cost (transport, from, to, odd), 1, 1e-15);
  /* On a line it is the distance of the cumulated shares, whatever the shares. */
  const double a[] = { 0.1, 0.65, 0.25 }, b[] = { 0.3, 0.15, 0.55 };
  assert_near (sl_transport_cost (transport, a, b, line), 0.2 + 0.3, 1e-15);
  sl_transport_free (transport);
}

/* Of so many items that t's quantile is the normal one. */
static gboolean
interval_of (double *value, gint64 n, double estimate, double level, SlRange range, double *lower,
             double *upper)
{
  const SlEstimate whole = { estimate, range, G_MAXINT32, 0 };
  return sl_bootstrap_interval (value, n, &whole, level, lower, upper);
}

static void
test_spread (void **state)
{
  const double value[] = { 1.30, 1.25, 1.35, 1.28, 1.27 };
  SlRunSpread t = sl_spread (value, 5, SL_INTERVAL_T, 0.95);
  assert_near (t.mean, 1.29, 1e-15);
  assert_near (t.upper - t.mean, 0.047281, 5e-7);
  SlRunSpread normal = sl_spread (value, 5, SL_INTERVAL_NORMAL, 0.95);
  assert_near (normal.upper - normal.mean, 0.033378, 1.5e-6);
  assert_near (normal.mean - normal.lower, 0.033378, 1.5e-6);
  assert_true (isnan (sl_spread (value, 1, SL_INTERVAL_T, 0.95).sd));
  /* Quantiles as tables have them. */
  assert_near (sl_t_quantile (0.975, 1), 12.7062047362, 1e-8);
  assert_near (sl_t_quantile (0.975, 4), 2.7764451052, 1e-9);
  assert_near (sl_t_quantile (0.975, 14), 2.1447866879, 1e-9);
  assert_near (sl_t_quantile (0.975, 0), 1.9599639845, 2e-9);
  assert_near (sl_t_quantile (0.5, 3), 0, 1e-9);
}

/* The bootstrap's standard error of a share is that of the binomial: sqrt (p (1 - p) / n), here
 * .0229; of 4,000 resamples it is itself off by 1.1 % (one σ), the interval's ends by about
 * .0015. */
static void
test_bootstrap (void **state)
{
  enum
  {
    N = 400,
    R = 4000
  };
  double confidence[N];
  int right[N];
  for (int i = 0; i < N; i++)
    {
      confidence[i] = 0.5 + (i % 50) / 100.0;
      right[i] = i % 10 < 7;
    }
  Scored s;
  score_sure (&s, confidence, right, N);
  const SlMetric *metrics[]
      = { &sl_metrics[sl_metric_find ("accuracy")], &sl_metrics[sl_metric_find ("ece")] };
  g_autofree double *drawn = g_new (double, 2 * R), *again = g_new (double, 2 * R);
  SlBootstrap bootstrap = { .seed = 1, .key = 2, .resamples = R, .threads = 1 };
  sl_bootstrap_items (&s.items, metrics, 2, &usual, &bootstrap, drawn);
  bootstrap.threads = 3;
  sl_bootstrap_items (&s.items, metrics, 2, &usual, &bootstrap, again);
  assert_memory_equal (drawn, again, 2 * R * sizeof *drawn);
  double mean = 0, squares = 0, lower, upper;
  for (int r = 0; r < R; r++)
    mean += drawn[r] / R;
  for (int r = 0; r < R; r++)
    squares += (drawn[r] - mean) * (drawn[r] - mean);
  assert_near (mean, 0.7, 4 * 0.0229 / sqrt (R));
  assert_near (sqrt (squares / R), 0.0229129, 4 * 0.011 * 0.0229129);
  const SlRange share = { 0, 1 };
  assert_true (interval_of (drawn, R, 0.7, 0.95, share, &lower, &upper));
  assert_near (lower, 0.7 - 1.96 * 0.0229129, 0.006);
  assert_near (upper, 0.7 + 1.96 * 0.0229129, 0.006);
  scored_clear (&s);
}

/* Of an estimate that most resamples exceed, the interval moves down: share .2 below, z0 = -.8416,
 * ends at Φ (-3.643) and Φ (.2768). */
static void
test_bias (void **state)
{
  double value[1001], lower, upper;
  const SlRange positive = { 0, INFINITY }, share = { 0, 1 }, any = { -INFINITY, INFINITY };
  for (int i = 0; i <= 1000; i++)
    value[i] = (1000 - i) / 1000.0;
  assert_true (interval_of (value, 1001, 0.5, 0.9, positive, &lower, &upper));
  assert_near (lower, 0.05, 1e-9);
  assert_near (upper, 0.95, 1e-9);
  assert_true (interval_of (value, 1001, 0.1999, 0.95, positive, &lower, &upper));
  assert_near (lower, 0.000135, 2e-5);
  assert_near (upper, 0.6087, 1e-3);
  /* Nearly all above or below: the quantiles .25 and 1.15 less the bias, .7 - .3 or .7 - 1.1, as
   * far as the figure may go. */
  for (int i = 0; i <= 1000; i++)
    value[i] = 0.2 + (1000 - i) / 1000.0;
  assert_true (interval_of (value, 1001, 0.3, 0.9, any, &lower, &upper));
  assert_near (lower, -0.15, 1e-9);
  assert_near (upper, 0.75, 1e-9);
  assert_true (interval_of (value, 1001, 0.3, 0.9, positive, &lower, &upper));
  assert_near (lower, 0, 0);
  assert_true (interval_of (value, 1001, 1.1, 0.9, any, &lower, &upper));
  assert_near (lower, 0.65, 1e-9);
  assert_near (upper, 1.55, 1e-9);
  assert_true (interval_of (value, 1001, 0.95, 0.9, share, &lower, &upper));
  assert_near (upper, 1, 0);
  value[0] = value[1] = NAN;
  assert_true (interval_of (value, 2 + 1, 0.5, 0.9, positive, &lower, &upper));
  assert_near (upper, 0.5, 0); /* one resample, .202, and the estimate */
  assert_near (lower, 0.202, 1e-9);
  /* Resamples that are below the estimate by rounding alone are equal to it: a fifth is below, a
   * fifth above. */
  for (int i = 0; i < 1000; i++)
    value[i] = i < 200 ? 0.2 : i < 800 ? 0.5 - 1e-16 : 0.8;
  assert_true (interval_of (value, 1000, 0.5, 0.9, positive, &lower, &upper));
  assert_near (lower, 0.2, 1e-15);
  assert_near (upper, 0.8, 1e-15);
  double none[] = { NAN, NAN };
  assert_false (interval_of (none, 2, 0.5, 0.9, positive, &lower, &upper));
}

/* Rows of one item are drawn together: what each item says three times over has the interval of
 * what it says once. */
static void
test_rows_of_items (void **state)
{
  (void) state;
  enum
  {
    N = 40,
    TIMES = 3,
    R = 200
  };
  double confidence[TIMES * N], drawn[2][R];
  int right[TIMES * N];
  gint32 distinct[TIMES * N];
  for (int i = 0; i < TIMES * N; i++)
    {
      confidence[i] = 0.5 + (i % N) / 100.0;
      right[i] = i % N % 4 > 0;
      distinct[i] = i % N;
    }
  const SlMetric *metric = &sl_metrics[sl_metric_find ("accuracy")];
  const SlBootstrap bootstrap = { .seed = 1, .resamples = R, .threads = 1 };
  SlItemInterval interval[2];
  for (int times = 0; times < 2; times++)
    {
      Scored s;
      SlShared shared = { 0 };
      score_sure (&s, confidence, right, times ? TIMES * N : N);
      s.items.distinct = times ? distinct : NULL;
      s.items.n_distinct = N;
      assert_true (sl_metric_is_drawn (metric, &s.items, FALSE) == times);
      sl_bootstrap_items (&s.items, &metric, 1, &usual, &bootstrap, drawn[times]);
      interval[times]
          = sl_item_interval (metric, &s.items, &usual, &shared, (SlMetricValue){ 0.75, N, NULL },
                              drawn[times], R, 0.95, TRUE);
      sl_shared_clear (&shared);
      scored_clear (&s);
    }
  for (int r = 0; r < R; r++)
    assert_near (drawn[1][r], drawn[0][r], 1e-15);
  /* But for the acceleration, which is of single rows. */
  assert_near (interval[1].lower, interval[0].lower, 0.03);
  assert_near (interval[1].upper, interval[0].upper, 0.03);
}

/* Whatever the level, an interval holds its figure; that of a - b is that of b - a, turned round.
 * */
static void
test_intervals_hold (void **state)
{
  (void) state;
  enum
  {
    N = 999
  };
  const SlRange any = { -INFINITY, INFINITY };
  static const double levels[] = { 0.5, 0.6, 0.68, 0.9, 0.95, 0.999 };
  for (int shape = 0; shape < 3; shape++)
    for (gsize l = 0; l < G_N_ELEMENTS (levels); l++)
      for (int e = -5; e <= 105; e++)
        {
          double value[N], turned[N], lower, upper, below, above, estimate = e / 100.0;
          for (int i = 0; i < N; i++)
            {
              double u = (i + 0.5) / N;
              value[i] = shape == 0 ? u : shape == 1 ? u * u * u * 1.2 - 0.1 : i < 990 ? 0.02 : 10;
              turned[i] = -value[i];
            }
          assert_true (interval_of (value, N, estimate, levels[l], any, &lower, &upper));
          assert_true (lower <= estimate && estimate <= upper);
          assert_true (interval_of (turned, N, -estimate, levels[l], any, &below, &above));
          assert_near (below, -upper, 1e-9);
          assert_near (above, -lower, 1e-9);
        }
}

/* Four pairs, all better on one side: 2 of the 16 ways to exchange them are as far, so p is .125;
 * of 4,000 draws one σ is .0052. */
static void
test_permutation (void **state)
{
  const double sure[] = { 0.9, 0.9, 0.8, 0.7 }, unsure[] = { 0.6, 0.6, 0.6, 0.6 };
  const int right[] = { 1, 1, 1, 1 };
  Scored a, b;
  score_sure (&a, sure, right, 4);
  score_sure (&b, unsure, right, 4);
  const SlMetric *metrics[]
      = { &sl_metrics[sl_metric_find ("brier")], &sl_metrics[sl_metric_find ("accuracy")],
          &sl_metrics[sl_metric_find ("aurc")] };
  const SlPair pair = { &a.items, &b.items, metrics, 3, &usual };
  const SlBootstrap draws = { .seed = 1, .resamples = 4000, .threads = 2 };
  guint64 figures = SL_FIGURE_BIT (SL_FIGURE_CONFIDENCE) | SL_FIGURE_BIT (SL_FIGURE_CORRECT)
                    | SL_FIGURE_BIT (SL_FIGURE_BRIER);
  double p[3];
  sl_permutation_test (&pair, figures, &draws, p);
  assert_near (p[0], 0.125, 4 * 0.0052);
  assert_near (p[1], 1, 0);
  assert_near (p[2], 1, 0);
  g_autofree double *difference = g_new (double, 3 * 4000);
  sl_paired_bootstrap (&pair, &draws, difference);
  /* Every item's Brier score is better, so every resample is. */
  for (int r = 0; r < 4000; r++)
    assert_true (difference[r] < 0 && difference[4000 + r] == 0);
  scored_clear (&a);
  scored_clear (&b);
}

static void
test_order (void **state)
{
  const double value[] = { 0.5, 0.25, -0.0, 1, 0.25, 0, 1e-300 };
  const gint32 expected[] = { 2, 5, 6, 1, 4, 0, 3 };
  gint32 order[7];
  sl_order_by (value, 7, order);
  assert_memory_equal (order, expected, sizeof order);
  sl_order_by (value, 0, order);
  /* Spread evenly, heaped up at 1, of few values, and all alike: rising, ties in their order. */
  enum
  {
    N = 5000
  };
  g_autofree double *many = g_new (double, N);
  g_autofree gint32 *place = g_new (gint32, N);
  for (int kind = 0; kind < 4; kind++)
    {
      for (int i = 0; i < N; i++)
        {
          double x = (i * 7919 % N) / (double) N;
          many[i] = kind == 0   ? x
                    : kind == 1 ? 1 - x * x * x * x * 1e-3
                    : kind == 2 ? (i % 3) / 3.0
                                : 1;
        }
      sl_order_by (many, N, place);
      for (int i = 1; i < N; i++)
        assert_true (many[place[i - 1]] < many[place[i]]
                     || (many[place[i - 1]] == many[place[i]] && place[i - 1] < place[i]));
    }
}

/* Every metric of predictions says whether more is better, but those that describe. */
static void
test_senses (void **state)
{
  (void) state;
  static const char *const described[]
      = { "uncertainty", "confidence_correct", "confidence_incorrect", "target_entropy", "loss",
          NULL };
  for (int m = 0; m < sl_n_metrics; m++)
    {
      const SlMetric *metric = &sl_metrics[m];
      gboolean describes
          = (metric->flags & (SL_METRIC_TABLE | SL_METRIC_SAID | SL_METRIC_HISTOGRAM)) != 0
            || g_strv_contains (described, metric->name);
      if (describes != (sl_metric_sense (metric->name) == 0))
        fail_msg ("%s: is it better high or low? metric-sense.c says", metric->name);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_distances),      cmocka_unit_test (test_logits_and_clip),
    cmocka_unit_test (test_shared_task),    cmocka_unit_test (test_entropy_correlation),
    cmocka_unit_test (test_adaptive_bins),  cmocka_unit_test (test_fixed_bins),
    cmocka_unit_test (test_risk),           cmocka_unit_test (test_brier_parts),
    cmocka_unit_test (test_classes),        cmocka_unit_test (test_transport),
    cmocka_unit_test (test_spread),         cmocka_unit_test (test_bootstrap),
    cmocka_unit_test (test_bias),           cmocka_unit_test (test_rows_of_items),
    cmocka_unit_test (test_intervals_hold), cmocka_unit_test (test_order),
    cmocka_unit_test (test_adaptive_ties),  cmocka_unit_test (test_shared_task_multilabel),
    cmocka_unit_test (test_permutation),    cmocka_unit_test (test_shared_task_answers),
    cmocka_unit_test (test_senses),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
