/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seeds are fixed, so every check gives the same result every time; bounds are five standard
 * errors unless said otherwise. "SciPy" is version 1.17. */
#include "pipeline/base/draw.h"
#include "pipeline/base/real-math.h"
#include "stages/common/labels/redistribution.h"
#include "stages/simulate/simulator/elicitation.h"
#include "stages/simulate/simulator/likeness.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"

/* t = .25 / .05 - 1 = 4. And the four fits that are published to these digits, from statistics with
 * four: an error of half a unit in the last digit of the variance moves t by t / v times as
 * much. */
static void
test_moments (void **state)
{
  (void) state;
  static const struct
  {
    double mean, variance, alpha, beta, bound;
  } fits[] = {
    { .5, .05, 2, 2, 1e-12 },
    { .8390, .04454, 1.7053, .3272, 5e-4 },
    { .9674, .00772, 2.9802, .1003, 1e-2 },
    { .2183, .03689, .7915, 2.8343, 1e-3 },
    { .1603, .05625, .2233, 1.1698, 1e-3 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (fits); i++)
    {
      SlBeta beta = sl_beta_by_moments (fits[i].mean, fits[i].variance);
      assert_near (beta.alpha, fits[i].alpha, fits[i].bound);
      assert_near (beta.beta, fits[i].beta, fits[i].bound);
    }
}

/* Values that are alike, or all at the ends, have no finite or no positive fit; theirs can still be
 * drawn from. */
static void
test_moments_at_the_edge (void **state)
{
  (void) state;
  static const struct
  {
    double mean, variance;
  } edges[] = { { 0, 0 }, { 1, 0 }, { .5, 0 }, { .5, .25 }, { .5, .3 } };
  for (gsize i = 0; i < G_N_ELEMENTS (edges); i++)
    {
      SlBeta beta = sl_beta_by_moments (edges[i].mean, edges[i].variance);
      assert_true (beta.alpha > 0 && beta.beta > 0);
      assert_true (beta.alpha + beta.beta <= SL_BETA_MOST);
      assert_near (beta.alpha / (beta.alpha + beta.beta), edges[i].mean, 2 / SL_BETA_MOST);
    }
}

/* SciPy's stats.beta.fit (x, floc=0, fscale=1). */
static void
test_likelihood (void **state)
{
  (void) state;
  static const double x[] = { .1, .2, .35, .5, .8, .95 };
  SlBeta beta = sl_beta_by_likelihood (x, G_N_ELEMENTS (x), 1e-3);
  assert_near (beta.alpha, 1.0097209619, 1e-6);
  assert_near (beta.beta, .9966737529, 1e-6);
  static const double clipped[] = { 0, .3, .3, .9, 1 };
  beta = sl_beta_by_likelihood (clipped, G_N_ELEMENTS (clipped), 1e-3);
  assert_near (beta.alpha, .3099682604, 1e-6);
  assert_near (beta.beta, .3014698709, 1e-6);
}

/* No values of one number end in NaN, nor does the climb leave its bound. */
static void
test_likelihood_of_like_values (void **state)
{
  (void) state;
  static const double x[] = { .9, .9, .9 };
  SlBeta beta = sl_beta_by_likelihood (x, G_N_ELEMENTS (x), 1e-3);
  assert_true (beta.alpha + beta.beta <= SL_BETA_MOST * (1 + 1e-12));
  assert_near (beta.alpha / (beta.alpha + beta.beta), .9, 1e-3);
  beta = sl_beta_by_likelihood (x, 1, .2);
  assert_near (beta.alpha / (beta.alpha + beta.beta), .8, 1e-3);
}

/* A sample of a Beta gives it back. The Fisher information of (2, 3) is psi_1 (2) - psi_1 (5),
 * psi_1 (3) - psi_1 (5) on the diagonal and -psi_1 (5) beside it: standard errors 2.66 and 4.15 /
 * sqrt (n). */
static void
test_likelihood_of_a_sample (void **state)
{
  (void) state;
  enum
  {
    N = 100000
  };
  g_autofree double *x = g_new (double, N);
  SlRandom random = sl_random (1, 2, 3, 4, 5);
  for (int i = 0; i < N; i++)
    {
      /* The second least of four uniform numbers is Beta (2, 3). */
      double least = 2, second = 2;
      for (int j = 0; j < 4; j++)
        {
          double u = sl_random_unit (&random);
          second = fmin (second, fmax (least, u));
          least = fmin (least, u);
        }
      x[i] = second;
    }
  SlBeta beta = sl_beta_by_likelihood (x, N, 1e-6);
  assert_near (beta.alpha, 2, 5 * 2.66 / sqrt (N));
  assert_near (beta.beta, 3, 5 * 4.15 / sqrt (N));
}

/* SciPy's stats.beta.ppf. */
static void
test_quantiles (void **state)
{
  (void) state;
  assert_near (sl_beta_quantile ((SlBeta){ 7.1881, .2816 }, .05), .8251868488, 1e-9);
  assert_near (sl_beta_quantile ((SlBeta){ 7.1881, .2816 }, .5), .9910203136, 1e-9);
  assert_near (sl_beta_quantile ((SlBeta){ .4155, 1.2503 }, .25), .0270095092, 1e-9);
  assert_near (sl_beta_quantile ((SlBeta){ 2, 3 }, .5), .3857275681, 1e-9);
}

/* SciPy's stats.kstest and ks_2samp; and by hand: after 3, all of the one and 2 of 5 of the
 * other. */
static void
test_distances (void **state)
{
  (void) state;
  static const double x[] = { .1, .2, .35, .5, .8, .95 }, tied[] = { .2, .2, .6, .6, .6 };
  assert_near (sl_beta_distance ((SlBeta){ 2, 3 }, x, 6), .3061333333, 1e-9);
  assert_near (sl_beta_distance ((SlBeta){ 2, 3 }, tied, 5), .4208, 1e-9);
  static const double a[] = { 1, 2, 2, 3 }, b[] = { 2, 3, 4, 4, 5 };
  assert_near (sl_sample_distance (a, 4, b, 5), .6, 1e-12);
  assert_near (sl_sample_distance (b, 5, a, 4), .6, 1e-12);
  assert_near (sl_sample_distance (a, 4, a, 4), 0, 0);
  assert_near (sl_sample_distance (a, 1, b, 5), 1, 1e-12);
}

/* Two labels, (.6, .4, 0) and (.5, 0, .5): where the first class is meant, mass 1.1, the second has
 * .24 and the third .25; where the second is, mass .4, the first has .24. */
static void
test_likeness (void **state)
{
  (void) state;
  static const double labels[] = { .6, .4, 0, .5, 0, .5 };
  double together[9] = { 0 }, mass[3] = { 0 }, likeness[9];
  sl_likeness_add (together, mass, labels, 3);
  sl_likeness_add (together, mass, labels + 3, 3);
  sl_likeness_together (likeness, together, mass, 3);
  assert_near (likeness[1], .24 / 1.1, 1e-15);
  assert_near (likeness[2], .25 / 1.1, 1e-15);
  assert_near (likeness[3], .24 / .4, 1e-15);
  assert_near (likeness[5], 0, 0);
  gint32 rank[6];
  static const gint32 expected[] = { 2, 1, 0, 2, 0, 1 };
  sl_likeness_rank (likeness, 3, rank);
  assert_memory_equal (rank, expected, sizeof rank);
}

/* Equals come in class order. */
static void
test_rank_of_equals (void **state)
{
  (void) state;
  static const double likeness[16] = { 0 };
  static const gint32 expected[] = { 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2 };
  gint32 rank[12];
  sl_likeness_rank (likeness, 4, rank);
  assert_memory_equal (rank, expected, sizeof rank);
}

enum
{
  N_CLASSES = 10,
  AIRPLANE = 0,
  BIRD = 2,
  CAT,
  DEER,
  FROG = 6,
};

/* A fit of one group that knows nothing of any class but Frog, beside which it has Bird, Cat,
 * Deer. */
static void
make_simulator (SlSimulator *simulator, double *likeness, double *alternatives, SlBeta first,
                SlBeta second)
{
  *simulator = (SlSimulator){
    .n_classes = N_CLASSES,
    .threshold = (double) NAN,
    .group[SL_GROUP_ALL] = { .answers = 1,
                             .first = { .n = 1, .beta = first, .scale = 1 },
                             .second = { .n = 1, .beta = second, .scale = 1 },
                             .alternatives = alternatives },
    .likeness = likeness,
  };
  for (int g = 1; g < SL_N_GROUPS; g++)
    simulator->group[g].alternatives = alternatives;
  likeness[FROG * N_CLASSES + BIRD] = .9;
  likeness[FROG * N_CLASSES + CAT] = .5;
  likeness[FROG * N_CLASSES + DEER] = .4;
}

/* The trace of the simulator's description: Frog, .9, three classes beside it, .06 on the nearest.
 * Betas as narrow as any give the percents, up to rounding. */
static void
test_trace (void **state)
{
  (void) state;
  double likeness[N_CLASSES * N_CLASSES] = { 0 }, alternatives[N_CLASSES] = { [3] = 1 };
  double frog[N_CLASSES] = { [FROG] = 1 }, sums[N_CLASSES], label[N_CLASSES];
  SlSimulator simulator;
  make_simulator (&simulator, likeness, alternatives, sl_beta_by_moments (.9, 0),
                  sl_beta_by_moments (.06, 0));
  g_auto (SlElicitor) elicitor;
  sl_elicitor_init (&elicitor, &simulator, 1);
  sl_draw_sums (frog, N_CLASSES, sums);
  SlRandom random = sl_random (1, 2, 3, 4, 5);
  SlElicited answer = sl_elicit (&elicitor, SL_GROUP_ALL, -1, sums, &random);
  assert_int_equal (answer.class, FROG);
  assert_int_equal (answer.second, BIRD);
  assert_int_equal (answer.alternatives, 3);
  assert_near (answer.percent, 90, 0);
  assert_near (answer.second_percent, 6, 0);

  /* Of a scale of 1/2 and 2/3, half and two thirds of that. */
  SlSimulator scaled = simulator;
  scaled.group[SL_GROUP_ALL].first.scale = .5;
  scaled.group[SL_GROUP_ALL].second.scale = 2 / 3.0;
  g_auto (SlElicitor) other;
  sl_elicitor_init (&other, &scaled, 1);
  SlElicited less = sl_elicit (&other, SL_GROUP_ALL, -1, sums, &random);
  assert_near (less.percent, 45, 0);
  assert_near (less.second_percent, 4, 0);

  const gint32 start[] = { 0, 2 }, choice[] = { FROG, BIRD }, out[] = { 0, 6 };
  const double percent[] = { answer.percent, answer.second_percent };
  const SlRecords records
      = { start, choice, percent, out, sl_elicitor_others (&elicitor, FROG) + 3 };
  const SlRedistribution how = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = .1 };
  SlAnswerCounts counts = { 0 };
  SlAnswerProblem problem;
  assert_int_equal (sl_redistribute (&how, &records, 0, 1, N_CLASSES, label, &counts, &problem), 1);
  static const double expected[N_CLASSES]
      = { [FROG] = .9, [BIRD] = .06, [CAT] = .02, [DEER] = .02 };
  for (int k = 0; k < N_CLASSES; k++)
    assert_near (label[k], expected[k], 1e-12);
}

/* The quantile of u is where the share below is u, to 1e-8, on a grid of 2^-20. Known ones: u of
 * Beta (1, 1), sin² (pi u / 2) of Beta (1/2, 1/2), sqrt (u) of Beta (2, 1). */
static void
test_beta_draws (void **state)
{
  (void) state;
  static const SlBeta betas[]
      = { { 1, 1 },   { .5, .5 },     { 2, 1 },     { 2, 3 },      { 20, 1.5 },
          { 30, .3 }, { .01, 3 },     { 500, 300 }, { 5e5, 5e5 },  { 1e6, .01 },
          { 1, 1e6 }, { 1e-3, 1e-3 }, { .05, .05 }, { 2e-9, 2e-9 } };
  for (gsize b = 0; b < G_N_ELEMENTS (betas); b++)
    {
      SlBetaDraws *draws = sl_beta_draws_new (betas[b]);
      double alpha = betas[b].alpha, beta = betas[b].beta, last = 0;
      for (int i = 0; i <= 100000; i++)
        {
          double u = fmin (i / 1e5, 1 - 0x1p-53), x = sl_beta_draw (draws, u);
          assert_true (x >= last && x <= 1 && x * 0x1p20 == rint (x * 0x1p20));
          assert_true (sl_beta_below (x - 0x1p-21, alpha, beta) <= u + 1e-8);
          assert_true (sl_beta_below (x + 0x1p-21, alpha, beta) >= u - 1e-8);
          if (b < 3)
            assert_near (x,
                         b == 0   ? u
                         : b == 1 ? pow (sin (G_PI * u / 2), 2)
                                  : sqrt (u),
                         0x1.01p-21);
          last = x;
        }
      sl_beta_draws_free (draws);
    }
}

/* Nothing but the first choice possible: no second one. */
static void
test_alone (void **state)
{
  (void) state;
  double likeness[N_CLASSES * N_CLASSES] = { 0 }, alternatives[N_CLASSES] = { 1 };
  double frog[N_CLASSES] = { [FROG] = .5 }, sums[N_CLASSES];
  SlSimulator simulator;
  make_simulator (&simulator, likeness, alternatives, (SlBeta){ 1, 1 }, (SlBeta){ 1, 1 });
  g_auto (SlElicitor) elicitor;
  sl_elicitor_init (&elicitor, &simulator, 0);
  sl_draw_sums (frog, N_CLASSES, sums);
  SlRandom random = sl_random (1, 2, 3, 4, 5);
  SlElicited answer = sl_elicit (&elicitor, SL_GROUP_ALL, -1, sums, &random);
  assert_int_equal (answer.second, -1);
  assert_int_equal (answer.alternatives, 0);
}

/* Beta (2, 3): mean .4, variance .04; Beta (1, 4): mean .2, variance 4 / 150. Of the alternatives'
 * four numbers, 0, 1, 2 and 9, each has its share. */
static void
test_draws (void **state)
{
  (void) state;
  enum
  {
    N = 200000
  };
  double likeness[N_CLASSES * N_CLASSES] = { 0 };
  double alternatives[N_CLASSES] = { 1, 2, 3, [9] = 4 };
  double share[N_CLASSES] = { [BIRD] = 1, [CAT] = 1, [FROG] = 2 }, sums[N_CLASSES];
  double drawn[N_CLASSES] = { 0 }, possible[N_CLASSES] = { 0 };
  double first = 0, first_square = 0, second = 0, second_square = 0, n_second = 0;
  SlSimulator simulator;
  make_simulator (&simulator, likeness, alternatives, (SlBeta){ 2, 3 }, (SlBeta){ 1, 4 });
  g_auto (SlElicitor) elicitor;
  sl_elicitor_init (&elicitor, &simulator, 0);
  sl_draw_sums (share, N_CLASSES, sums);
  for (guint32 i = 0; i < N; i++)
    {
      SlRandom random = sl_random (1, 2, i, 4, 5);
      SlElicited answer = sl_elicit (&elicitor, SL_GROUP_ALL, -1, sums, &random);
      drawn[answer.class]++;
      possible[answer.alternatives]++;
      first += answer.percent / 100;
      first_square += pow (answer.percent / 100 - .4, 2);
      assert_int_equal (answer.second >= 0, answer.alternatives > 0);
      if (answer.second < 0)
        continue;
      assert_int_equal (answer.second, sl_elicitor_others (&elicitor, answer.class)[0]);
      second += answer.second_percent / 100;
      second_square += pow (answer.second_percent / 100 - .2, 2);
      n_second++;
    }
  for (int k = 0; k < N_CLASSES; k++)
    {
      double p = share[k] / 4, q = alternatives[k] / 10;
      assert_near (drawn[k] / N, p, 5 * sqrt (p * (1 - p) / N));
      assert_near (possible[k] / N, q, 5 * sqrt (q * (1 - q) / N));
    }
  /* A variance's standard error is sqrt ((kurtosis - 1) v^2 / n); these Betas' kurtoses are 2.36
   * and 3.7. */
  assert_near (first / N, .4, 5 * sqrt (.04 / N));
  assert_near (first_square / N, .04, 5 * .04 * sqrt (1.4 / N));
  assert_near (second / n_second, .2, 5 * sqrt (4. / 150 / n_second));
  assert_near (second_square / n_second, 4. / 150, 5 * 4. / 150 * sqrt (2.7 / n_second));
}

/* As people type them: never 0. */
static void
test_round_percents (void **state)
{
  (void) state;
  double likeness[N_CLASSES * N_CLASSES] = { 0 }, alternatives[N_CLASSES] = { [5] = 1 };
  double frog[N_CLASSES] = { [FROG] = 1 }, sums[N_CLASSES];
  SlSimulator simulator;
  make_simulator (&simulator, likeness, alternatives, (SlBeta){ .1, .1 }, (SlBeta){ .1, .1 });
  g_auto (SlElicitor) elicitor;
  sl_elicitor_init (&elicitor, &simulator, 15);
  sl_draw_sums (frog, N_CLASSES, sums);
  for (guint32 i = 0; i < 1000; i++)
    {
      SlRandom random = sl_random (1, 2, i, 4, 5);
      SlElicited answer = sl_elicit (&elicitor, SL_GROUP_ALL, -1, sums, &random);
      assert_true (answer.percent >= 15 && answer.percent <= 100);
      assert_near (answer.percent, 15 * rint (answer.percent / 15), answer.percent == 100 ? 5 : 0);
      assert_true (answer.second_percent >= 15 && answer.second_percent <= 100);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_moments),
    cmocka_unit_test (test_moments_at_the_edge),
    cmocka_unit_test (test_likelihood),
    cmocka_unit_test (test_likelihood_of_like_values),
    cmocka_unit_test (test_likelihood_of_a_sample),
    cmocka_unit_test (test_quantiles),
    cmocka_unit_test (test_distances),
    cmocka_unit_test (test_likeness),
    cmocka_unit_test (test_rank_of_equals),
    cmocka_unit_test (test_trace),
    cmocka_unit_test (test_beta_draws),
    cmocka_unit_test (test_alone),
    cmocka_unit_test (test_draws),
    cmocka_unit_test (test_round_percents),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
