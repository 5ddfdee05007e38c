/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often intervals of agreement, within and between groups of annotators, and of corrected rates
 * hold what they are about: of data sets that are drawn from one population, the share whose
 * interval has the population's figure in it. With the argument `long` 500 data sets of 200 items
 * each, of which 93 to 97 in 100 are to hold it, but for chance; else a few. */
#include "stages/common/figures/group-agreement.h"
#include "stages/judge/corrected-rate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum
{
  STEPS = 5,
  RATERS = 5,
  POPULATION = 400000,
  N_FIGURES = SL_N_COEFFICIENTS + 3,
};

static gboolean is_long;

typedef struct
{
  gint32 n;
  gint32 *item, *annotator, *answer, *gold;
  double *votes, *weight;
} Ratings;

static void
ratings_clear (Ratings *ratings)
{
  g_free (ratings->item);
  g_free (ratings->annotator);
  g_free (ratings->answer);
  g_free (ratings->gold);
  g_free (ratings->votes);
  g_free (ratings->weight);
}

/* N items between 1 and 5, rated by all; the last two raters see something else in them, too. */
static Ratings
rate (gint32 n, guint32 draw)
{
  const gsize size = (gsize) n * RATERS;
  SlRandom random = sl_random (1, sl_random_purpose ("test: ratings"), 0, 0, draw);
  Ratings own = { n,
                  g_new (gint32, size),
                  g_new (gint32, size),
                  g_new (gint32, size),
                  g_new (gint32, n),
                  g_new0 (double, (gsize) n *STEPS),
                  g_new (double, n) };
  for (gint32 i = 0; i < n; i++)
    {
      double place = 3 + 1.1 * sl_random_normal (&random), other = sl_random_normal (&random);
      own.gold[i] = (gint32) CLAMP (rint (place), 1, STEPS) - 1;
      own.weight[i] = RATERS;
      for (gint32 a = 0; a < RATERS; a++)
        {
          const gsize at = (gsize) i * RATERS + (gsize) a;
          double seen = place + 0.9 * sl_random_normal (&random) + (a >= 3 ? 0.7 * other : 0);
          own.item[at] = i;
          own.annotator[at] = a;
          own.answer[at] = (gint32) CLAMP (rint (seen), 1, STEPS) - 1;
          own.votes[i * STEPS + own.answer[at]]++;
        }
    }
  return own;
}

/* figure[N_FIGURES]: coefficients, and within, between and their difference of the two groups. */
static void
find (const Ratings *ratings, gint64 resamples, SlCoefficientResult *figure)
{
  static const double value[STEPS] = { 1, 2, 3, 4, 5 };
  static const gint32 group[RATERS] = { 0, 0, 0, 1, 1 };
  const SlItems items = { .n_items = ratings->n,
                          .n_classes = STEPS,
                          .label = ratings->votes,
                          .weight = ratings->weight,
                          .gold = ratings->gold };
  const SlAnswers answers = { .n_answers = (gint64) ratings->n * RATERS,
                              .n_annotators = RATERS,
                              .item = ratings->item,
                              .annotator = ratings->annotator,
                              .answer = ratings->answer };
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  const SlAgreed agreed = { { .n_classes = STEPS, .value = value }, &items, &by };
  const SlIntervalPlan plan = { { .seed = 7, .resamples = resamples, .threads = 1 }, 0.95 };
  const SlGroups groups = { &by, group, 2, value, 0 };
  SlGroupFigures of_groups[3];
  sl_agreement_coefficients (&agreed, &plan, figure);
  sl_group_agreement (&groups, &plan, of_groups);
  figure[SL_N_COEFFICIENTS] = of_groups[2].within;
  figure[SL_N_COEFFICIENTS + 1] = of_groups[2].between;
  figure[SL_N_COEFFICIENTS + 2] = of_groups[2].difference;
}

static void
test_agreement (void **state)
{
  const int n_sets = is_long ? 500 : 12;
  SlCoefficientResult truth[N_FIGURES], figure[N_FIGURES];
  int held[N_FIGURES] = { 0 }, n[N_FIGURES] = { 0 };
  Ratings all = rate (is_long ? POPULATION : 40000, 0);
  find (&all, 0, truth);
  ratings_clear (&all);
  for (int s = 0; s < n_sets; s++)
    {
      Ratings ratings = rate (200, (guint32) s + 1);
      find (&ratings, is_long ? 1000 : 200, figure);
      ratings_clear (&ratings);
      for (int f = 0; f < N_FIGURES; f++)
        {
          n[f] += !isnan (figure[f].lower);
          held[f] += figure[f].lower <= truth[f].value && truth[f].value <= figure[f].upper;
        }
    }
  double mean = 0;
  int n_figures = 0, out = 0;
  for (int f = 0; f < N_FIGURES; f++)
    {
      double share = (double) held[f] / MAX (n[f], 1);
      const char *name = f < SL_N_COEFFICIENTS    ? sl_coefficient_rows[f].name
                         : f == SL_N_COEFFICIENTS ? "within"
                                                  : "between, or its difference";
      if (n[f] < n_sets)
        continue; /* it has none of such classes */
      print_message ("# %s: %.3f\n", name, share);
      /* Of 500 sets, 1 in 100 is the standard error of a share. Expected agreement has a least
       * value, which classes that are about as common come near to, and is held less often. */
      double least = f == SL_EXPECTED_AGREEMENT ? 0.88 : 0.92;
      out += is_long ? share < least || share > 0.98 : share < 0.6;
      mean += share;
      n_figures++;
    }
  print_message ("# in the mean: %.3f\n", mean / n_figures);
  assert_int_equal (out, 0);
  assert_true (!is_long || (mean >= 0.93 * n_figures && mean <= 0.97 * n_figures));
}

/* Beside 200 items of gold of 2,000, a judge who is right in seven of ten. */
static void
test_rates (void **state)
{
  enum
  {
    N = 2000,
    GOLD = 200
  };
  const int n_sets = is_long ? 500 : 20;
  static double said[N];
  static guint8 named[N];
  static gint8 truth[N];
  int held = 0, wider = 0;
  for (int s = 0; s < n_sets; s++)
    {
      SlRandom random = sl_random (2, sl_random_purpose ("test: a judge"), 0, 0, (guint32) s);
      for (int i = 0; i < N; i++)
        {
          gint8 has = sl_random_unit (&random) < 0.35;
          named[i] = sl_random_unit (&random) < 0.7 ? has : !has;
          said[i] = named[i];
          truth[i] = i < GOLD ? has : -1;
        }
      const SlJudgedClass judged = { N, said, named, truth };
      SlRates rates;
      sl_corrected_rates (&judged, 0.95, &rates);
      held += rates.predicted.lower <= 0.35 && 0.35 <= rates.predicted.upper;
      wider += rates.predicted.upper - rates.predicted.lower
               > rates.gold.upper - rates.gold.lower + 1e-12;
    }
  double share = (double) held / n_sets;
  print_message ("# corrected rate: %.3f, wider than gold alone %d times\n", share, wider);
  assert_true (is_long ? share >= 0.93 && share <= 0.97 : share >= 0.75);
  assert_true (wider <= n_sets / 20);
}

int
main (int argc, char **argv)
{
  is_long = argc > 1 && strcmp (argv[1], "long") == 0;
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[]
      = { cmocka_unit_test (test_agreement), cmocka_unit_test (test_rates) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
