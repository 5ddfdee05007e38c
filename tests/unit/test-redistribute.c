/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels from single answers, against vectors worked by hand from the rule of Collins, Bhatt &
 * Weller (HCOMP 2022, sections 4 and 5) to 1e-9, and against labels released with CIFAR-10S to the
 * bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/common/labels/redistribution.h"

#include <math.h>
#include <string.h>

#define K 10
#define TOLERANCE 1e-9

enum
{
  AIRPLANE,
  AUTOMOBILE,
  BIRD,
  CAT,
  DEER,
  DOG,
  FROG,
  HORSE,
  SHIP,
  TRUCK
};

#define ONLY(class) (1u << (class))
#define ALL (ONLY (K) - 1)

/* One answer: up to three choices, and the classes ruled out as bits. */
typedef struct
{
  int n;
  gint32 choice[3];
  double percent[3];
  guint impossible;
} Record;

static const SlRedistribution t2_clamp = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = 0.1 };
static const SlRedistribution t2_uniform = { .spread = SL_SPREAD_UNIFORM, .top = 2, .gamma = 0.1 };

static SlRedistribution
compat (SlRedistribution how)
{
  how.compat = TRUE;
  return how;
}

static SlRedistribution
top (gint32 n, SlRedistribution how)
{
  how.top = n;
  return how;
}

static SlAnswerProblem
label_of (SlRedistribution how, const Record *record, double *label, SlAnswerCounts *counts)
{
  gint32 start[] = { 0, record->n };
  gint32 impossible[K];
  gint32 n_impossible = 0;
  for (gint32 k = 0; k < K; k++)
    if (record->impossible & ONLY (k))
      impossible[n_impossible++] = k;
  gint32 impossible_start[] = { 0, n_impossible };
  const SlRecords answers
      = { start, record->choice, record->percent, impossible_start, impossible };
  SlAnswerProblem problem;
  gint64 done = sl_redistribute (&how, &answers, 0, 1, K, label, counts, &problem);
  assert_int_equal (done, problem == SL_ANSWER_OK);
  return problem;
}

static void
assert_label (SlRedistribution how, Record record, const double *expected, double tolerance)
{
  double label[K];
  double sum = 0;
  SlAnswerCounts counts = { 0 };
  assert_int_equal (label_of (how, &record, label, &counts), SL_ANSWER_OK);
  for (int k = 0; k < K; k++)
    {
      sum += label[k];
      if (!(fabs (label[k] - expected[k]) <= tolerance))
        fail_msg ("class %d: %.17g, not %.17g", k, label[k], expected[k]);
    }
  assert_true (fabs (sum - 1) <= 1e-9);
}

#define near(how, record, ...) assert_label (how, record, (const double[K]) __VA_ARGS__, TOLERANCE)
#define exact(how, record, ...) assert_label (how, record, (const double[K]) __VA_ARGS__, 0)

/* H(p) = -sum p log p, in nats. */
static double
entropy (SlRedistribution how, Record record)
{
  double label[K];
  double h = 0;
  SlAnswerCounts counts = { 0 };
  assert_int_equal (label_of (how, &record, label, &counts), SL_ANSWER_OK);
  for (int k = 0; k < K; k++)
    h -= label[k] > 0 ? label[k] * log (label[k]) : 0;
  return h;
}

/* The paper's worked example and its kin: nothing named is ruled out, so strict and compat
 * agree. */
static const Record A
    = { 2,
        { TRUCK, AUTOMOBILE },
        { 70, 20 },
        ALL & ~(ONLY (TRUCK) | ONLY (AUTOMOBILE) | ONLY (SHIP) | ONLY (AIRPLANE)) };
static const Record B = {
  2, { DEER, HORSE }, { 80, 20 }, ALL & ~(ONLY (DEER) | ONLY (HORSE) | ONLY (DOG) | ONLY (CAT))
};
static const Record C = { 2, { CAT, DOG }, { 95, 10 }, ALL & ~(ONLY (CAT) | ONLY (DOG)) };
static const Record G = { 2, { SHIP, TRUCK }, { 20, 10 }, ONLY (DEER) };
static const Record H = { 2, { CAT, DOG }, { 100, 0 }, 0 };

static void
test_agreeing (void **state)
{
  for (int c = 0; c < 2; c++)
    {
      SlRedistribution clamp = c ? compat (t2_clamp) : t2_clamp;
      SlRedistribution uniform = c ? compat (t2_uniform) : t2_uniform;
      const double ninth = .3 / 9;
      near (clamp, A, { .05, .2, 0, 0, 0, 0, 0, 0, .05, .7 });
      near (uniform, A, { .0125, .2, .0125, .0125, .0125, .0125, .0125, .0125, .0125, .7 });
      near (top (1, clamp), A, { .1, .1, 0, 0, 0, 0, 0, 0, .1, .7 });
      near (top (1, uniform), A,
            { ninth, ninth, ninth, ninth, ninth, ninth, ninth, ninth, ninth, .7 });
      near (clamp, B, { 0, 0, 0, .05, .72, .05, 0, .18, 0, 0 });
      near (uniform, B, { 0, 0, 0, 0, .8, 0, 0, .2, 0, 0 });
      near (clamp, C, { 0, 0, 0, .904761905, 0, .095238095, 0, 0, 0, 0 });
      near (uniform, C, { 0, 0, 0, .904761905, 0, .095238095, 0, 0, 0, 0 });
      near (clamp, G, { .1, .1, .1, .1, 0, .1, .1, .1, .2, .1 });
      near (uniform, G, { .0875, .0875, .0875, .0875, .0875, .0875, .0875, .0875, .2, .1 });
      const double share = .1 / 9;
      near (clamp, H, { share, share, share, .9, share, share, share, share, share, share });
      near (uniform, H, { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 });
      assert_true (fabs (entropy (clamp, A) - .871133271) < TOLERANCE);
      assert_true (fabs (entropy (uniform, A) - 1.009762707) < TOLERANCE);
      assert_true (fabs (entropy (top (1, clamp), A) - .940447989) < TOLERANCE);
      assert_true (fabs (entropy (top (1, uniform), A) - 1.270031675) < TOLERANCE);
    }
}

/* D: the second choice is also ruled out. */
static void
test_chosen_and_ruled_out (void **state)
{
  Record d = { 2,
               { DEER, DOG },
               { 90, 10 },
               ONLY (FROG) | ONLY (AUTOMOBILE) | ONLY (BIRD) | ONLY (AIRPLANE) | ONLY (SHIP)
                   | ONLY (DOG) };
  const double third = .1 / 3;
  near (t2_clamp, d, { 0, 0, 0, third, .81, .09, 0, third, 0, third });
  near (compat (t2_clamp), d,
        { 0, 0, 0, .047619048, .771428571, .085714286, 0, .047619048, 0, .047619048 });
  near (t2_uniform, d, { 0, 0, 0, 0, .9, .1, 0, 0, 0, 0 });
  near (compat (t2_uniform), d, { 0, 0, 0, 0, .9, .1, 0, 0, 0, 0 });
}

/* E: one class chosen twice. */
static void
test_chosen_twice (void **state)
{
  Record e = { 2,
               { BIRD, BIRD },
               { 60, 30 },
               ONLY (FROG) | ONLY (AUTOMOBILE) | ONLY (TRUCK) | ONLY (AIRPLANE) | ONLY (SHIP) };
  const double strict = .4 / 9, released = .7 / 9;
  near (t2_clamp, e, { 0, 0, .6, .1, .1, .1, 0, .1, 0, 0 });
  near (compat (t2_clamp), e, { 0, 0, .3, .175, .175, .175, 0, .175, 0, 0 });
  near (t2_uniform, e,
        { strict, strict, .6, strict, strict, strict, strict, strict, strict, strict });
  near (compat (t2_uniform), e,
        { released, released, .3, released, released, released, released, released, released,
          released });

  /* Once with 0 is once, too. */
  Record zero = { 2, { BIRD, BIRD }, { 0, 30 }, ALL & ~(ONLY (BIRD) | ONLY (CAT)) };
  near (t2_clamp, zero, { 0, 0, .5, .5, 0, 0, 0, 0, 0, 0 });
  near (compat (t2_clamp), zero, { 0, 0, .3, .7, 0, 0, 0, 0, 0, 0 });
}

/* F: everything is ruled out, even what was chosen. */
static void
test_all_ruled_out (void **state)
{
  Record f = { 1, { CAT }, { 60 }, ALL };
  const double share = .4 / 9;
  for (int c = 0; c < 2; c++)
    {
      near (c ? compat (t2_clamp) : t2_clamp, f, { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 });
      near (c ? compat (t2_uniform) : t2_uniform, f,
            { share, share, share, .6, share, share, share, share, share, share });
    }
}

/* Labels of the released file cifar10s_t2clamp_redist10.json, as it spells them. */
static void
test_released_bits (void **state)
{
  SlRedistribution how = compat (t2_clamp);
  exact (how, C, { 0, 0, 0, 0.9047619047619048, 0, 0.09523809523809525, 0, 0, 0, 0 });
  exact (how, G, { .1, .1, .1, .1, 0, .1, .1, .1, 0.20000000000000004, 0.10000000000000002 });
  Record dog_cat = { 2,
                     { DOG, CAT },
                     { 28, 15 },
                     ONLY (HORSE) | ONLY (DEER) | ONLY (AIRPLANE) | ONLY (SHIP) | ONLY (TRUCK)
                         | ONLY (AUTOMOBILE) };
  exact (how, dog_cat,
         { 0, 0, 0.28500000000000003, 0.15000000000000002, 0, 0.2800000000000001,
           0.28500000000000003, 0, 0, 0 });
  Record airplane_bird
      = { 2, { AIRPLANE, BIRD }, { 65, 13 }, ALL & ~(ONLY (AIRPLANE) | ONLY (BIRD) | ONLY (SHIP)) };
  exact (how, airplane_bird, { .65, 0, .13, 0, 0, 0, 0, 0, 0.21999999999999997, 0 });
  Record deer_dog
      = { 2, { DEER, DOG }, { 100, 3 }, ALL & ~(ONLY (DEER) | ONLY (DOG) | ONLY (HORSE)) };
  exact (how, deer_dog, { 0, 0, 0, 0, 0.8737864077669903, 0.026213592233009706, 0, .1, 0, 0 });
  Record deer = { 1, { DEER }, { 40 }, ONLY (AUTOMOBILE) };
  exact (how, deer,
         { 0.07500000000000001, 0, 0.07500000000000001, 0.07500000000000001, 0.4000000000000001,
           0.07500000000000001, 0.07500000000000001, 0.07500000000000001, 0.07500000000000001,
           0.07500000000000001 });
}

static void
test_negative_is_refused (void **state)
{
  /* Everything but Bird ruled out: d = 1 - 2 classes, so Bird would get -0.125. */
  Record record = { 2, { CAT, DOG }, { 80, 20 }, ALL & ~ONLY (BIRD) };
  double label[K];
  SlAnswerCounts counts = { 0 };
  assert_int_equal (label_of (compat (t2_clamp), &record, label, &counts), SL_ANSWER_IMPOSSIBLE);
  near (t2_clamp, record, { 0, 0, .1, .72, 0, .18, 0, 0, 0, 0 });
}

static void
test_no_spread (void **state)
{
  SlRedistribution none = { .spread = SL_SPREAD_NONE, .top = 2, .gamma = 0.1 };
  near (none, A, { 0, .2 / .9, 0, 0, 0, 0, 0, 0, 0, .7 / .9 });
  near (none, B, { 0, 0, 0, 0, .8, 0, 0, .2, 0, 0 });
  near (none, C, { 0, 0, 0, .904761905, 0, .095238095, 0, 0, 0, 0 });
}

static void
test_missing_percents (void **state)
{
  double label[K];
  SlAnswerCounts counts = { 0 };
  Record first = { 1, { CAT }, { NAN }, ALL & ~(ONLY (CAT) | ONLY (DOG)) };
  assert_int_equal (label_of (t2_clamp, &first, label, &counts), SL_ANSWER_OK);
  assert_true (fabs (label[CAT] - .9) < TOLERANCE && fabs (label[DOG] - .1) < TOLERANCE);
  assert_int_equal (counts.assumed, 1);

  Record second = { 2, { CAT, DOG }, { 60, NAN }, ALL & ~(ONLY (CAT) | ONLY (DOG)) };
  assert_int_equal (label_of (t2_clamp, &second, label, &counts), SL_ANSWER_OK);
  assert_true (fabs (label[CAT] - .6) < TOLERANCE && fabs (label[DOG] - .4) < TOLERANCE);
  assert_int_equal (counts.ignored, 1);

  /* A choice that is ignored for want of a percent does not take the place of a later one. */
  Record third = { 3, { CAT, DOG, DOG }, { 60, NAN, 40 }, 0 };
  assert_int_equal (label_of (top (3, t2_uniform), &third, label, &counts), SL_ANSWER_OK);
  assert_true (fabs (label[DOG] - .4) < TOLERANCE);
  assert_int_equal (counts.renamed, 0);
}

static void
test_without_mass (void **state)
{
  SlAnswerCounts counts = { 0 };
  double label[K];
  Record record = { 1, { CAT }, { 0 }, ALL };
  assert_int_equal (label_of (t2_clamp, &record, label, &counts), SL_ANSWER_OK);
  assert_int_equal (counts.flat, 1);
  for (int k = 0; k < K; k++)
    assert_true (fabs (label[k] - .1) < TOLERANCE);
  record.percent[0] = -0.0;
  record.impossible = ALL & ~ONLY (DOG);
  assert_int_equal (label_of (t2_clamp, &record, label, &counts), SL_ANSWER_OK);
  assert_true (label[DOG] == 1 && label[CAT] == 0 && !signbit (label[CAT]));
}

static void
test_refused_percents (void **state)
{
  const double bad[] = { -1, 100.5, 1e300, INFINITY, -INFINITY };
  double label[K];
  SlAnswerCounts counts = { 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      Record record = { 2, { CAT, DOG }, { 50, bad[i] }, 0 };
      assert_int_equal (label_of (t2_clamp, &record, label, &counts), SL_ANSWER_PERCENT);
      assert_int_equal (label_of (top (1, t2_clamp), &record, label, &counts), SL_ANSWER_OK);
      record.percent[0] = bad[i];
      assert_int_equal (label_of (top (1, t2_clamp), &record, label, &counts), SL_ANSWER_PERCENT);
    }
  Record none = { 0 };
  assert_int_equal (label_of (t2_clamp, &none, label, &counts), SL_ANSWER_EMPTY);
  Record unknown = { 1, { K }, { 50 }, 0 };
  assert_int_equal (label_of (t2_clamp, &unknown, label, &counts), SL_ANSWER_CLASS);
  unknown.choice[0] = -1;
  assert_int_equal (label_of (t2_clamp, &unknown, label, &counts), SL_ANSWER_EMPTY);
}

/* r = .1 shared by cosines (.5, .3, -.1): (.0625, .0375, 0). */
static void
test_semantic (void **state)
{
  double likeness[K * K] = { 0 };
  likeness[CAT * K + DOG] = .5;
  likeness[CAT * K + DEER] = .3;
  likeness[CAT * K + SHIP] = -.1;
  SlRedistribution how
      = { .spread = SL_SPREAD_SEMANTIC, .top = 2, .clamped = TRUE, .temperature = 1 };
  how.likeness = likeness;
  guint others = ALL & ~(ONLY (CAT) | ONLY (DOG) | ONLY (DEER) | ONLY (SHIP));
  Record record = { 1, { CAT }, { 90 }, others };
  near (how, record, { 0, 0, 0, .9, .0375, .0625, 0, 0, 0, 0 });
  how.clamped = FALSE; /* the others have likeness 0 */
  near (how, record, { 0, 0, 0, .9, .0375, .0625, 0, 0, 0, 0 });

  how.clamped = TRUE;
  how.softmax = TRUE;
  double sum = exp (.5) + exp (.3) + exp (-.1);
  near (how, record,
        { 0, 0, 0, .9, .1 * exp (.3) / sum, .1 * exp (.5) / sum, 0, 0, .1 * exp (-.1) / sum, 0 });
  how.temperature = 1e-6; /* exp (5e5) would overflow */
  near (how, record, { 0, 0, 0, .9, 0, .1, 0, 0, 0, 0 });

  /* Not like anything: evenly. With 100 percent or more: no spreading. Nobody to receive:
   * scaled. */
  how.softmax = FALSE;
  record.impossible |= ONLY (DOG) | ONLY (DEER);
  near (how, record, { 0, 0, 0, .9, 0, 0, 0, 0, .1, 0 });
  record.percent[0] = 100;
  near (how, record, { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 });
  record.percent[0] = 50;
  record.impossible = ALL;
  near (how, record, { 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 });
}

static void
test_select_choices (void **state)
{
  const gint32 start[] = { 0, 2, 3, 5, 8 };
  const gint32 choice[] = { CAT, DOG, CAT, CAT, CAT, CAT, DOG, DEER };
  const SlRecords answers = { .start = start, .choice = choice };
  double label[4][K];
  SlAnswerCounts counts = { 0 };
  SlAnswerProblem problem;
  assert_int_equal (sl_select_choices (2, &answers, 0, 4, K, label[0], &counts, &problem), 4);
  const double two[K] = { [CAT] = .5, [DOG] = .5 };
  const double one[K] = { [CAT] = 1 };
  assert_memory_equal (label[0], two, sizeof two);
  assert_memory_equal (label[1], one, sizeof one);
  /* The same twice: the released code leaves a sum of 1/2. */
  assert_memory_equal (label[2], one, sizeof one);
  assert_memory_equal (label[3], two, sizeof two);
  assert_int_equal (counts.renamed, 1);
  assert_int_equal (sl_select_choices (1, &answers, 0, 4, K, label[0], &counts, &problem), 4);
  for (int i = 0; i < 4; i++)
    assert_memory_equal (label[i], one, sizeof one);
  assert_int_equal (sl_select_choices (G_MAXINT32, &answers, 3, 4, K, label[0], &counts, &problem),
                    4);
  assert_true (label[3][CAT] == 1. / 3 && label[3][DOG] == 1. / 3 && label[3][DEER] == 1. / 3);
}

static void
test_smoothing (void **state)
{
  double label[2][K] = { { [CAT] = 1 }, { [CAT] = .5, [DOG] = .5 } };
  sl_smooth_labels (.05, 2, K, label[0]);
  for (int k = 0; k < K; k++)
    {
      assert_true (fabs (label[0][k] - (k == CAT ? .955 : .005)) < TOLERANCE);
      assert_true (fabs (label[1][k] - (k == CAT || k == DOG ? .48 : .005)) < TOLERANCE);
    }
}

/* Many classes use memory of their own and NumPy's blocks of sums; the first bad answer stops the
 * rest. */
static void
test_many_classes (void **state)
{
  enum
  {
    MANY = 1000
  };
  const gint32 start[] = { 0, 2, 4, 5 };
  const gint32 choice[] = { 0, 999, 5, 6, MANY };
  const double percent[] = { 50, 30, 80, 40, 100 };
  const gint32 impossible_start[] = { 0, 3, 3, 3 };
  const gint32 impossible[] = { 7, 8, 7 };
  const SlRecords answers = { start, choice, percent, impossible_start, impossible };
  g_autofree double *label = g_new (double, 3 * MANY);
  SlAnswerCounts counts = { 0 };
  SlAnswerProblem problem;
  assert_int_equal (sl_redistribute (&t2_clamp, &answers, 0, 3, MANY, label, &counts, &problem), 2);
  assert_int_equal (problem, SL_ANSWER_CLASS);
  assert_true (fabs (label[0] - .5) < TOLERANCE && fabs (label[999] - .3) < TOLERANCE);
  assert_true (label[7] == 0 && label[8] == 0);
  assert_true (fabs (label[9] - .2 / 996) < TOLERANCE);
  assert_true (fabs (label[MANY + 5] - .9 * 80 / 120) < TOLERANCE);
  assert_true (fabs (label[MANY + 7] - .1 / 998) < TOLERANCE);
  assert_true (fabs (sl_sum (label, MANY) - 1) < 1e-12);
}

/* What numpy.add.reduce (NumPy 2.4) gives for n times 0.1. */
static void
test_numpy_sums (void **state)
{
  double a[300];
  for (int i = 0; i < 300; i++)
    a[i] = 0.1;
  assert_true (sl_sum (a, 0) == 0);
  assert_true (sl_sum (a, 7) == 0.7);
  assert_true (sl_sum (a, 9) == 0.9); /* one after the other: 0.8999999999999999 */
  assert_true (sl_sum (a, 10) == 1.0);
  assert_true (sl_sum (a, 129) == 12.899999999999999);
  assert_true (sl_sum (a, 131) == 13.099999999999998);
  assert_true (sl_sum (a, 300) == 29.999999999999996);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_agreeing),      cmocka_unit_test (test_chosen_and_ruled_out),
    cmocka_unit_test (test_chosen_twice),  cmocka_unit_test (test_all_ruled_out),
    cmocka_unit_test (test_released_bits), cmocka_unit_test (test_negative_is_refused),
    cmocka_unit_test (test_no_spread),     cmocka_unit_test (test_missing_percents),
    cmocka_unit_test (test_without_mass),  cmocka_unit_test (test_refused_percents),
    cmocka_unit_test (test_semantic),      cmocka_unit_test (test_select_choices),
    cmocka_unit_test (test_smoothing),     cmocka_unit_test (test_many_classes),
    cmocka_unit_test (test_numpy_sums),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
