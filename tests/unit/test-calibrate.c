/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers held out, calibration, and the pool: on crowds whose answers are independent, and on
 * others whose errors go together. */
#include "crowds.h"

#include "stages/aggregate/methods/pool/auto.h"
#include "pipeline/base/largest.h"
#include "stages/common/methods/held-out.h"

/* Annotators right with probability SKILL to SKILL + 0.2; of a share HARD of the items, all of
 * them in 4 of 10, with one class for the rest, so that they err alike. */
static Crowd
hard_crowd (gint32 n_items, gint32 n_classes, gint32 n_annotators, int each, double skill,
            double hard)
{
  SlRandom random = sl_random (3, 1, (guint64) n_items, (guint64) (hard * 1000), 0);
  Crowd crowd = { .n_items = n_items, .n_classes = n_classes, .n_annotators = n_annotators };
  crowd.item = g_new (gint32, n_items * each);
  crowd.annotator = g_new (gint32, n_items * each);
  crowd.answer = g_new (gint32, n_items * each);
  crowd.gold = g_new (gint32, n_items);
  for (gint32 i = 0; i < n_items; i++)
    {
      gint32 y = (gint32) sl_random_below (&random, (guint64) n_classes);
      gint32 other
          = (y + 1 + (gint32) sl_random_below (&random, (guint64) n_classes - 1)) % n_classes;
      gint32 first = (gint32) sl_random_below (&random, (guint64) n_annotators);
      gboolean is_hard = sl_random_unit (&random) < hard;
      crowd.gold[i] = y;
      for (int e = 0; e < each; e++, crowd.n++)
        {
          gint32 a = (first + e * 7) % n_annotators;
          gint32 stray = (gint32) sl_random_below (&random, (guint64) n_classes);
          gboolean right
              = sl_random_unit (&random) < (is_hard ? 0.4 : skill + 0.2 * a / n_annotators);
          crowd.item[crowd.n] = i;
          crowd.annotator[crowd.n] = a;
          crowd.answer[crowd.n] = right ? y : is_hard ? other : stray;
        }
    }
  return crowd;
}

typedef struct
{
  SlItems items;
  SlAnswers answers;
  double *label, *weight;
} Parts;

static void
parts_clear (Parts *parts)
{
  g_free (parts->label);
  g_free (parts->weight);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

static Parts
parts_new (const Crowd *crowd, const gint32 *gold)
{
  Parts parts
      = { .label = crowd_votes (crowd), .weight = g_new0 (double, (gsize) crowd->n_items + 1) };
  for (gint64 j = 0; j < crowd->n; j++)
    parts.weight[crowd->item[j]] += crowd->count != NULL ? crowd->count[j] : 1;
  parts.items
      = (SlItems){ crowd->n_items, crowd->n_classes, parts.label, parts.weight, gold, NULL };
  parts.answers = (SlAnswers){ .n_answers = crowd->n,
                               .n_annotators = crowd->n_annotators,
                               .item = crowd->item,
                               .annotator = crowd->annotator,
                               .answer = crowd->answer,
                               .count = crowd->count };
  return parts;
}

/* Mean of -log p of the right class. */
static double
loss (const double *label, const gint32 *gold, gint32 n_items, gint32 n_classes)
{
  double sum = 0;
  for (gint32 i = 0; i < n_items; i++)
    sum -= log (fmax (label[i * n_classes + gold[i]], 1e-3));
  return sum / n_items;
}

static void
test_held_out (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (3000, 3, 20, 3, SHUFFLED | COUNTED);
  g_auto (Parts) parts = parts_new (&crowd, NULL);
  g_auto (SlHeldOut) one = { 0 }, other = { 0 };
  sl_held_out_init (&one, &parts.items, &parts.answers, 4, 0);
  sl_held_out_init (&other, &parts.items, &parts.answers, 4, 1);
  assert_int_equal (one.seen.n_answers + one.kept.n_answers, crowd.n);
  gint64 n = one.kept.n_answers;
  assert_true (n > crowd.n * 0.12 && n < crowd.n * 0.16);
  assert_true (n != other.kept.n_answers
               || memcmp (one.kept.item, other.kept.item, (gsize) n * sizeof *one.kept.item) != 0);
  g_autofree double *votes = crowd_votes (&crowd);
  for (gint64 j = 0; j < n; j++)
    votes[one.kept.item[j] * 3 + one.kept.answer[j]] -= one.kept.count[j];
  assert_near ("votes", one.votes, votes, 9000, 1e-12);
  for (gint32 i = 0; i < 3000; i++)
    {
      double sum = one.votes[3 * i] + one.votes[3 * i + 1] + one.votes[3 * i + 2];
      assert_near ("seen", &one.n_seen[i], &sum, 1, 1e-12);
      assert_true (sum > 0);
    }
}

/* Annotators of classes 0 and 1: 0 is right of item 0 and half right of item 1, whose label is
 * even. */
static void
test_crowd (void **state)
{
  (void) state;
  static const gint32 item[] = { 0, 1, 1 }, annotator[] = { 0, 0, 1 }, answer[] = { 0, 1, 0 };
  static const double label[] = { 1, 0, 0.5, 0.5 };
  SlAnswers answers = {
    .n_answers = 3, .n_annotators = 2, .item = item, .annotator = annotator, .answer = answer
  };
  g_auto (SlCrowd) crowd = { 0 };
  sl_crowd_init (&crowd, label, &answers, 2);
  /* Σ p (true, answered) = 1.5 0.5, 0.5 0.5; 0.5 more each. */
  static const double rows[] = { 2 / 3.0, 1 / 3.0, 0.5, 0.5 };
  assert_near ("crowd", crowd.crowd, rows, 4, 1e-15);
  double right[] = { (1 + 4 * rows[0]) / (1.5 + 4), (0.5 + 4 * rows[3]) / (0.5 + 4),
                     (0.5 + 4 * rows[0]) / (0.5 + 4), (0 + 4 * rows[3]) / (0.5 + 4) };
  assert_near ("right", crowd.right, right, 4, 1e-15);
  for (gint32 a = 0; a < 2; a++)
    {
      double p[] = { 0.3, 0.7 };
      double zero = sl_crowd_predict (&crowd, a, 0, p), one = sl_crowd_predict (&crowd, a, 1, p);
      assert_near ("sum", (double[]){ zero + one }, (double[]){ 1 }, 1, 1e-15);
      assert_near ("0", &zero, (double[]){ 0.3 * right[2 * a] + 0.7 * (1 - right[2 * a + 1]) }, 1,
                   1e-15);
    }
}

/* β = 2 / (1 + 0.25 (n - 1)) is 2, 1 and 0.5. */
static void
test_apply (void **state)
{
  (void) state;
  double label[] = { 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 1, 0 }, weight[] = { 1, 5, 13, 5 };
  double expected[] = { 0.81 / 0.82, 0.01 / 0.82, 0.9, 0.1, 0.75, 0.25, 1, 0 };
  gint32 gold[] = { -1, -1, -1, 0 };
  SlItems items = { 4, 2, label, weight, gold, NULL };
  SlCalibration calibration = { .power = 2, .correlation = 0.25 };
  SlMethodSettings settings = defaults;
  settings.fix_gold = TRUE;
  sl_calibration_apply (&calibration, &items, &settings);
  assert_near ("p", label, expected, 8, 1e-15);
}

static SlCalibration
find (const Crowd *crowd, SlMethodFit fit, SlCalibrate kind, const gint32 *gold)
{
  g_auto (Parts) parts = parts_new (crowd, gold);
  SlCalibration calibration = { 0 };
  SlMethodSettings settings = defaults;
  settings.fix_gold = gold != NULL;
  assert_true (
      sl_calibration_find (fit, kind, &parts.items, &parts.answers, &settings, &calibration, NULL));
  g_autofree double *votes = crowd_votes (crowd);
  assert_memory_equal (parts.label, votes,
                       (gsize) (crowd->n_items * crowd->n_classes) * sizeof *votes);
  return calibration;
}

/* Errors that go together call for a larger ρ; and the labels are nearer to the truth for it,
 * with gold to go by or without. */
static void
test_find (void **state)
{
  (void) state;
  g_auto (Crowd) easy = hard_crowd (1500, 3, 15, 8, 0.3, 0),
                 hard = hard_crowd (1500, 3, 15, 8, 0.7, 0.3);
  SlCalibration independent = find (&easy, sl_fit_ibcc, SL_CALIBRATE_POSTERIORS, NULL);
  SlCalibration together = find (&hard, sl_fit_ibcc, SL_CALIBRATE_POSTERIORS, NULL);
  SlCalibration by_gold = find (&hard, sl_fit_ibcc, SL_CALIBRATE_POSTERIORS, hard.gold);
  assert_true (independent.correlation < 0.2);
  assert_true (together.correlation > 2 * independent.correlation);
  assert_true (independent.power == 1 && together.power == 1);
  assert_true (together.n_predicted > 2000);
  assert_int_equal (by_gold.n_predicted, 1500);
  g_autofree double *label = crowd_fit (&hard, sl_fit_ibcc, &defaults, NULL);
  double before = loss (label, hard.gold, 1500, 3), after[2];
  for (int c = 0; c < 2; c++)
    {
      g_auto (Parts) parts = parts_new (&hard, NULL);
      memcpy (parts.label, label, 4500 * sizeof *label);
      sl_calibration_apply (c == 0 ? &together : &by_gold, &parts.items, &defaults);
      after[c] = loss (parts.label, hard.gold, 1500, 3);
    }
  assert_true (after[0] < 0.85 * before);
  assert_true (after[1] <= after[0] + 1e-3);
}

static void
test_find_power (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = hard_crowd (1500, 3, 15, 9, 0.7, 0.1);
  SlCalibration calibration = find (&crowd, sl_fit_wawa, SL_CALIBRATE_SHARES, NULL);
  assert_true (calibration.power > 1.2 && calibration.correlation == 0);
  g_auto (Parts) parts = parts_new (&crowd, NULL);
  g_autofree double *label = crowd_fit (&crowd, sl_fit_wawa, &defaults, NULL);
  memcpy (parts.label, label, 4500 * sizeof *label);
  sl_calibration_apply (&calibration, &parts.items, &defaults);
  assert_true (loss (parts.label, crowd.gold, 1500, 3) < 0.9 * loss (label, crowd.gold, 1500, 3));
}

/* Whatever share of the items all annotators err on alike, labels are no worse for a power; and
 * where the answers held back speak for a small one, there is none. */
static void
test_no_worse (void **state)
{
  (void) state;
  static const Fit fits[] = { sl_fit_wawa, sl_fit_zero_based_skill, sl_fit_bwa };
  static const double hard[] = { 0, 0.1, 0.2, 0.3, 0.5 };
  int without = 0;
  for (gsize h = 0; h < G_N_ELEMENTS (hard); h++)
    for (gsize f = 0; f < G_N_ELEMENTS (fits); f++)
      {
        g_auto (Crowd) crowd = hard_crowd (1500, 3, 15, 5, 0.6, hard[h]);
        SlCalibration calibration = find (&crowd, fits[f], SL_CALIBRATE_SHARES, NULL);
        g_auto (Parts) parts = parts_new (&crowd, NULL);
        g_autofree double *label = crowd_fit (&crowd, fits[f], &defaults, NULL);
        memcpy (parts.label, label, 4500 * sizeof *label);
        sl_calibration_apply (&calibration, &parts.items, &defaults);
        double before = loss (label, crowd.gold, 1500, 3);
        double after = loss (parts.label, crowd.gold, 1500, 3);
        if (!(after <= before + 1e-3))
          fail_msg ("of %g hard, method %zu: %g with power %g, %g without", hard[h], f, after,
                    calibration.power, before);
        without += calibration.power == 1;
      }
  assert_in_range (without, 1, 14);
}

static void
test_nothing_to_hold_out (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = hard_crowd (100, 2, 10, 1, 0.7, 0);
  SlCalibration usual = find (&crowd, sl_fit_wawa, SL_CALIBRATE_POSTERIORS, NULL);
  assert_int_equal (usual.n_predicted, 0);
  assert_near ("usual", &usual.correlation, (double[]){ 0.27 }, 1, 0.01);
  SlCalibration power = find (&crowd, sl_fit_wawa, SL_CALIBRATE_SHARES, NULL);
  assert_near ("power", &power.power, (double[]){ 1 }, 1, 0);
}

static void
test_auto (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = hard_crowd (800, 3, 15, 6, 0.7, 0.15);
  g_auto (Parts) parts = parts_new (&crowd, NULL);
  SlAuto told;
  const SlAutoMember *members = told.member;
  double reliability[15], sum = 0;
  SlLearned learned = { .reliability = reliability };
  assert_true (sl_auto (&parts.items, &parts.answers, &defaults, &learned, &told, NULL));
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      assert_true (members[m].left_out || members[m].weight > 0);
      sum += members[m].weight;
    }
  assert_near ("weights", &sum, (double[]){ 1 }, 1, 1e-12);
  static const double own[] = { 2, 1, 1, 0.5 };
  for (gsize m = 1; m < G_N_ELEMENTS (own); m++)
    {
      double apart = members[m].calibration.predicted - members[0].calibration.predicted;
      double gains = pow (members[0].gain / 0.1, 2) - pow (members[m].gain / 0.1, 2);
      double ratio = members[m].weight / members[0].weight;
      double wanted = own[m] / 2 * exp (30 * apart + gains);
      assert_near ("ratio", &ratio, &wanted, 1, 1e-11 * wanted);
    }
  for (gint32 a = 0; a < 15; a++)
    assert_true (reliability[a] > 0.4 && reliability[a] < 1);
  double pooled = loss (parts.label, crowd.gold, 800, 3);
  Fit fits[]
      = { sl_fit_dawid_skene, sl_fit_ebcc, sl_fit_one_coin, sl_fit_glad, sl_fit_wawa, sl_fit_bwa };
  for (gsize f = 0; f < G_N_ELEMENTS (fits); f++)
    {
      g_autofree double *label = crowd_fit (&crowd, fits[f], &defaults, NULL);
      assert_true (pooled < (f < 4 ? 0.8 : 1.02) * loss (label, crowd.gold, 800, 3));
    }
  SlMethodSettings settings = defaults;
  settings.threads = 2;
  g_autofree double *again = crowd_fit (&crowd, sl_fit_auto, &settings, NULL);
  assert_memory_equal (again, parts.label, 2400 * sizeof *again);
}

/* Annotators who mostly guess, and half of the items of one class. */
static Crowd
weak_crowd (void)
{
  Crowd crowd = { .n_items = 1000, .n_classes = 3, .n_annotators = 300 };
  SlRandom random = sl_random (5, 1, 0, 0, 0);
  crowd.item = g_new (gint32, 3000);
  crowd.annotator = g_new (gint32, 3000);
  crowd.answer = g_new (gint32, 3000);
  crowd.gold = g_new (gint32, 1000);
  for (gint32 i = 0; i < 1000; i++)
    {
      crowd.gold[i] = i % 2 ? 0 : 1 + (i / 2) % 2;
      for (gint32 e = 0; e < 3; e++, crowd.n++)
        {
          gint32 stray = (gint32) sl_random_below (&random, 3);
          crowd.item[crowd.n] = i;
          crowd.annotator[crowd.n] = (gint32) sl_random_below (&random, 300);
          crowd.answer[crowd.n] = sl_random_unit (&random) < 0.25 ? crowd.gold[i] : stray;
        }
    }
  return crowd;
}

/* Independent answers, most of them guesses: no member takes half of the items for nearly all. */
static void
test_auto_collapse (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = weak_crowd ();
  g_auto (Parts) parts = parts_new (&crowd, NULL);
  SlAuto told;
  SlLearned learned = { 0 };
  assert_true (sl_auto (&parts.items, &parts.answers, &defaults, &learned, &told, NULL));
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    assert_true (told.member[m].gain < 0.1);
  double share[3] = { 0 };
  for (int p = 0; p < 3000; p++)
    share[p % 3] += parts.label[p] / 1000;
  assert_true (share[0] < 0.6);
}

static double
common_errors (const Crowd *crowd)
{
  g_auto (Parts) parts = parts_new (crowd, NULL);
  double excess = NAN;
  assert_true (sl_common_errors (sl_fit_hierarchical_means, &parts.items, &parts.answers, &defaults,
                                 NULL, &excess, NULL));
  return excess;
}

/* Of 1,000 items with 10 answers each 45,000 pairs: independent errors have an excess of 0 with a
 * standard deviation of about 1 / √45,000 = 0.005, that of the bootstrap's two draws included .006.
 * Where 3 in 10 items lead six in ten astray together, it is far above that. */
static void
test_common_errors (void **state)
{
  (void) state;
  g_auto (Crowd) apart = hard_crowd (1000, 3, 30, 10, 0.6, 0),
                 together = hard_crowd (1000, 3, 30, 10, 0.6, 0.3),
                 single = hard_crowd (100, 3, 30, 1, 0.6, 0);
  assert_true (fabs (common_errors (&apart)) < 0.018);
  assert_true (common_errors (&together) > 0.03);
  double usual = common_errors (&single), expected = SL_USUAL_EXCESS;
  assert_near ("no pairs", &usual, &expected, 1, 1e-12);
  const double excess[] = { -0.1, 0, 0.02, 0.11, 1 };
  const double correlation[] = { 0, 0, 0.249960, 0.897723, 1.2 };
  for (int e = 0; e < 5; e++)
    {
      double found = sl_common_errors_correlation (excess[e]);
      assert_near ("ρ", &found, &correlation[e], 1, 1e-6);
    }
}

/* How much surer LABEL[3000][3] is than right. */
static double
surplus (const double *label, const gint32 *gold)
{
  double sum = 0;
  for (gint32 i = 0; i < 3000; i++)
    {
      gint32 best = sl_largest (&label[3 * i], 3);
      sum += label[3 * i + best] - (best == gold[i]);
    }
  return sum / 3000;
}

/* Independent errors: labels are as sure as they are right, to 0.02 and 3 standard errors, √(.97 ×
 * .03 / 3,000) each, of the share of right ones. Where errors go together, they are less than half
 * as much too sure as a model of independent ones is. */
static void
test_auto_is_calibrated (void **state)
{
  (void) state;
  g_auto (Crowd) apart = hard_crowd (3000, 3, 40, 8, 0.5, 0),
                 together = hard_crowd (3000, 3, 40, 8, 0.5, 0.2);
  g_autofree double *label = crowd_fit (&apart, sl_fit_auto, &defaults, NULL);
  assert_true (fabs (surplus (label, apart.gold)) < 0.02 + 0.0094);
  g_autofree double *pooled = crowd_fit (&together, sl_fit_auto, &defaults, NULL);
  g_autofree double *independent = crowd_fit (&together, sl_fit_dawid_skene, &defaults, NULL);
  assert_true (surplus (independent, together.gold) > 0.1);
  assert_true (surplus (pooled, together.gold) < 0.5 * surplus (independent, together.gold));
}

/* Gold classes of a fifth of the items tell that all answers are wrong in the same way. */
static void
test_auto_gold (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = hard_crowd (600, 2, 20, 6, 0.6, 0.35);
  g_autofree gint32 *some = g_new (gint32, 600);
  for (gint32 i = 0; i < 600; i++)
    some[i] = i % 5 ? -1 : crowd.gold[i];
  SlMethodSettings settings = defaults;
  settings.fix_gold = TRUE;
  g_auto (Parts) with = parts_new (&crowd, some), without = parts_new (&crowd, NULL);
  SlAuto told;
  SlLearned learned = { 0 };
  assert_true (sl_auto (&without.items, &without.answers, &defaults, &learned, &told, NULL));
  assert_near ("corrections", told.corrections, (double[SL_GOLD_TRIES]){ 0 }, SL_GOLD_TRIES, 0);
  assert_true (sl_auto (&with.items, &with.answers, &settings, &learned, &told, NULL));
  double known = 0, unknown = 0;
  for (gint32 i = 0; i < 600; i++)
    if (some[i] < 0)
      {
        known -= log (MAX (with.label[2 * i + crowd.gold[i]], 1e-9));
        unknown -= log (MAX (without.label[2 * i + crowd.gold[i]], 1e-9));
      }
  assert_true (known < unknown);
  double corrected = 0;
  for (int t = 0; t < SL_GOLD_TRIES; t++)
    corrected += told.corrections[t];
  assert_near ("corrections", &corrected, (double[]){ 1 }, 1, 1e-12);
}

/* What gold-correction.h has made as large as can be, written out. */
static double
gold_objective (const Parts *parts, SlRidges ridges, const double *x)
{
  const double *shift = x + 1, *worth = x + 4;
  double sum = -x[0] * x[0] / (2 * 0.36);
  for (int k = 0; k < 3; k++)
    sum -= ridges.shift * shift[k] * shift[k] / 2;
  for (int a = 0; a < parts->answers.n_annotators; a++)
    sum -= ridges.worth * worth[a] * worth[a] / 2;
  for (gint32 i = 0; i < parts->items.n_items; i++)
    {
      double score[3], all = 0;
      if (parts->items.gold[i] < 0)
        continue;
      for (int k = 0; k < 3; k++)
        score[k] = exp (x[0]) * log (parts->label[3 * i + k]) + shift[k];
      for (gint64 j = 0; j < parts->answers.n_answers; j++)
        if (parts->answers.item[j] == i)
          score[parts->answers.answer[j]] += worth[parts->answers.annotator[j]];
      for (int k = 0; k < 3; k++)
        all += exp (score[k]);
      sum += score[parts->items.gold[i]] - log (all);
    }
  return sum;
}

/* Whoever moves one of log γ, b and w by a thousandth comes to less; annotators who are right more
 * often are worth more; and what is infinite is 0. */
static void
test_gold_regression (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = hard_crowd (400, 3, 10, 6, 0.4, 0.1);
  g_autofree gint32 *some = g_new (gint32, 400);
  for (gint32 i = 0; i < 400; i++)
    some[i] = i % 2 ? -1 : crowd.gold[i];
  g_auto (Parts) parts = parts_new (&crowd, some);
  for (gint32 c = 0; c < 1200; c++)
    parts.label[c] = (parts.label[c] + 0.5) / (parts.weight[c / 3] + 1.5);
  SlRidges ridges = { 4, 10 };
  double x[14];
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &parts.items, &parts.answers, 0);
  sl_gold_regression (&parts.items, &by, ridges, x);
  double best = gold_objective (&parts, ridges, x);
  for (int v = 0; v < 14; v++)
    for (int side = -1; side <= 1; side += 2)
      {
        double moved[14];
        memcpy (moved, x, sizeof x);
        moved[v] += side * 1e-3;
        assert_true (gold_objective (&parts, ridges, moved) < best);
      }
  assert_true (x[4 + 8] + x[4 + 9] > x[4] + x[5]);
  sl_gold_regression (&parts.items, &by, (SlRidges){ INFINITY, INFINITY }, x);
  assert_true (x[0] != 0);
  assert_near ("b and w", x + 1, (double[13]){ 0 }, 13, 0);
}

/* Without gold classes labels stay as they are. */
static void
test_gold_correction_without (void **state)
{
  (void) state;
  double label[] = { 0.7, 0.2, 0.1 }, weight[] = { 1 };
  gint32 nothing[] = { 0 }, gold[] = { -1 };
  SlItems items = { 1, 3, label, weight, gold, NULL };
  SlAnswers answers = {
    .n_answers = 1, .n_annotators = 1, .item = nothing, .annotator = nothing, .answer = nothing
  };
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  g_auto (SlGoldCorrection) correction = { 0 };
  sl_gold_correction_learn (&correction, &items, &by, 0);
  sl_gold_correction_apply (&correction, &items, &by);
  assert_near ("label", label, (double[]){ 0.7, 0.2, 0.1 }, 3, 1e-15);
}

static void
test_auto_edges (void **state)
{
  (void) state;
  g_auto (Crowd) single = hard_crowd (20, 2, 5, 1, 0.7, 0),
                 alone = hard_crowd (20, 3, 1, 2, 0.7, 0);
  g_free (crowd_fit (&single, sl_fit_auto, &defaults, NULL));
  g_free (crowd_fit (&alone, sl_fit_auto, &defaults, NULL));
  Crowd nothing = { .n_classes = 2 };
  g_free (crowd_fit (&nothing, sl_fit_auto, &defaults, NULL));
  SlMethodSettings settings = defaults;
  settings.fix_gold = TRUE;
  g_auto (Crowd) known = hard_crowd (60, 2, 5, 4, 0.7, 0);
  for (gint32 i = 0; i < 60; i++)
    known.gold[i] = i % 2 ? -1 : 1 - known.gold[i];
  g_autofree double *label = crowd_fit (&known, sl_fit_auto, &settings, NULL);
  for (gint32 i = 0; i < 60; i += 2)
    assert_near ("gold", &label[2 * i + known.gold[i]], (double[]){ 1 }, 1, 1e-12);
  g_auto (Crowd) classes = hard_crowd (60, 1000, 5, 3, 0.7, 0);
  g_auto (Parts) parts = parts_new (&classes, NULL);
  SlAuto told;
  const SlAutoMember *members = told.member;
  SlLearned learned = { 0 };
  assert_true (sl_auto (&parts.items, &parts.answers, &defaults, &learned, &told, NULL));
  for (int m = 0; m < SL_AUTO_MEMBERS; m++) /* too large are the first two */
    assert_true (m < 2 || members[m].left_out ? members[m].weight == 0 : members[m].weight > 0);
  /* Answers that count for many are predicted with a log-probability far below 0, that of methods
   * left out. */
  classes.count = g_new (double, classes.n);
  for (gint64 j = 0; j < classes.n; j++)
    classes.count[j] = 1e4;
  g_auto (Parts) heavy = parts_new (&classes, NULL);
  assert_true (sl_auto (&heavy.items, &heavy.answers, &defaults, &learned, &told, NULL));
  double sum = 0;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    sum += members[m].weight;
  assert_near ("weights", &sum, (double[]){ 1 }, 1, 1e-12);
  assert_true (members[0].weight == 0 && members[2].calibration.predicted < -100);
  g_auto (Parts) two = parts_new (&known, NULL);
  assert_true (sl_auto (&two.items, &two.answers, &defaults, &learned, &told, NULL));
  assert_string_equal (members[1].name, "hierarchical-dawid-skene");
  assert_true (members[0].weight > 0 && members[1].weight == 0); /* too few classes */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_held_out),
    cmocka_unit_test (test_crowd),
    cmocka_unit_test (test_apply),
    cmocka_unit_test (test_find),
    cmocka_unit_test (test_find_power),
    cmocka_unit_test (test_nothing_to_hold_out),
    cmocka_unit_test (test_auto),
    cmocka_unit_test (test_auto_edges),
    cmocka_unit_test (test_auto_collapse),
    cmocka_unit_test (test_no_worse),
    cmocka_unit_test (test_common_errors),
    cmocka_unit_test (test_auto_is_calibrated),
    cmocka_unit_test (test_auto_gold),
    cmocka_unit_test (test_gold_regression),
    cmocka_unit_test (test_gold_correction_without),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
