/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often intervals hold what they are about: of data sets that are drawn from one population,
 * the share whose interval has the population's figure in it. With the argument `long` 500 data
 * sets of 30, 100 and 300 items each; else a few. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scored.h"
#include "stages/score/metrics/intervals.h"
#include "stages/score/metrics/paired.h"

#include "pipeline/base/real-math.h"

#include <math.h>
#include <string.h>

enum
{
  K = 4,
  POPULATION = 400000,
};

#define LEVEL 0.95

static gboolean is_long;

/* Items of one population: classes that are as likely as p says, or less by TEMPER. */
typedef struct
{
  const char *name;
  double sharp;  /* how far apart logits are */
  double temper; /* 1: p is calibrated */
} Population;

static const Population populations[] = {
  { "calibrated", 2, 1 },
  { "overconfident", 3, 0.4 },
};

typedef struct
{
  gint64 n;
  double *prob[2], *target; /* of two models; [n][K] */
  gint32 *gold;
} Sample;

static void
softmax (const double *logit, double times, double *p)
{
  double sum = 0;
  for (int k = 0; k < K; k++)
    sum += p[k] = sl_exp (times * logit[k]);
  for (int k = 0; k < K; k++)
    p[k] /= sum;
}

static gint32
draw_class (SlRandom *random, const double *p)
{
  double u = sl_random_unit (random);
  gint32 k = 0;
  while (k < K - 1 && u >= p[k])
    u -= p[k++];
  return k;
}

/* The first model knows the logits that classes are drawn by; the second has noise in them. */
static void
sample_draw (Sample *sample, const Population *population, gint64 n, SlRandom *random)
{
  *sample = (Sample){
    n, { g_new (double, n *K), g_new (double, n *K) }, g_new (double, n *K), g_new (gint32, n)
  };
  for (gint64 i = 0; i < n; i++)
    {
      double logit[K], noisy[K], truth[K];
      for (int k = 0; k < K; k++)
        {
          logit[k] = population->sharp * sl_random_normal (random);
          noisy[k] = logit[k] + population->sharp * 0.5 * sl_random_normal (random);
        }
      softmax (logit, 1, sample->prob[0] + i * K);
      softmax (noisy, 1, sample->prob[1] + i * K);
      softmax (logit, population->temper, truth);
      sample->gold[i] = draw_class (random, truth);
      for (int k = 0; k < K; k++)
        logit[k] += 0.5 * sl_random_normal (random);
      softmax (logit, population->temper, sample->target + i * K);
    }
}

static void
sample_clear (Sample *sample)
{
  g_free (sample->prob[0]);
  g_free (sample->prob[1]);
  g_free (sample->target);
  g_free (sample->gold);
}

static void
score_sample (Scored *scored, const Sample *sample, int model)
{
  const SlItemBlock block = { .n = sample->n,
                              .n_classes = K,
                              .prob = sample->prob[model],
                              .target = sample->target,
                              .gold = sample->gold };
  score (scored, &block, ALL_FIGURES & ~SL_FIGURE_BIT (SL_FIGURE_W_COST));
}

static SlMetricValue
value_of (const SlMetric *metric, const SlScoredItems *items)
{
  SlShared shared = { 0 };
  SlMetricValue value = metric->value (metric, items, NULL, &usual, &shared);
  sl_shared_clear (&shared);
  return value;
}

/* Metrics of these items that have an interval; PAIRED: over two models, as `compare` has them. */
static int
choose (gboolean paired, const SlMetric **metrics)
{
  const SlMetricFlags others = SL_METRIC_HISTOGRAM | SL_METRIC_COST | SL_METRIC_LOSS
                               | SL_METRIC_ANSWERS | SL_METRIC_QUESTIONS | SL_METRIC_SAID
                               | SL_METRIC_ORDERED | SL_METRIC_BY_CLASS
                               | (paired ? SL_METRIC_RANKED : 0);
  int n = 0;
  for (int m = 0; m < sl_n_metrics; m++)
    if (!(sl_metrics[m].flags & others) && sl_metrics[m].no_interval == NULL)
      metrics[n++] = &sl_metrics[m];
  return n;
}

/* Of one metric: data sets that have an interval, and those of them whose interval holds what the
 * population has. */
typedef struct
{
  gint64 given, held;
} Coverage;

typedef struct
{
  const SlMetric **metrics;
  int n_metrics;
  gint64 resamples;
  double *drawn, *truth;
  Coverage *coverage;
} Trial;

static void
trial_init (Trial *trial, gboolean paired, gint64 resamples)
{
  trial->metrics = g_new (const SlMetric *, sl_n_metrics);
  trial->n_metrics = choose (paired, trial->metrics);
  trial->resamples = resamples;
  trial->drawn = g_new (double, trial->n_metrics *resamples);
  trial->truth = g_new (double, trial->n_metrics);
  trial->coverage = g_new0 (Coverage, trial->n_metrics);
}

static void
trial_clear (Trial *trial)
{
  g_free (trial->metrics);
  g_free (trial->drawn);
  g_free (trial->truth);
  g_free (trial->coverage);
}

/* What metric M comes to, and its interval. */
static double
value_and_interval (const Trial *trial, const SlPair *pair, gboolean paired, int m,
                    SlItemInterval *interval)
{
  const SlMetric *metric = trial->metrics[m];
  SlShared shared = { 0 };
  double *drawn = trial->drawn + m * trial->resamples;
  SlMetricValue value = value_of (metric, pair->a);
  if (paired)
    {
      SlMetricValue other = value_of (metric, pair->b);
      value.value = sl_difference (value.value, other.value);
      value.n = MIN (value.n, other.n);
    }
  *interval = (SlItemInterval){ NAN, NAN, "", NULL };
  if (!isnan (value.value) && paired)
    *interval = sl_paired_interval (pair, m, value, drawn, trial->resamples, LEVEL);
  else if (!isnan (value.value))
    *interval = sl_item_interval (metric, pair->a, &usual, &shared, value, drawn, trial->resamples,
                                  LEVEL, FALSE);
  sl_shared_clear (&shared);
  return value.value;
}

/* Data set SET, or with -1 the population itself. */
static void
try_set (Trial *trial, const Population *population, gint64 n, int set, gboolean paired,
         SlRandom *random)
{
  Sample sample;
  Scored a, b;
  sample_draw (&sample, population, n, random);
  score_sample (&a, &sample, 0);
  score_sample (&b, &sample, 1);
  const SlBootstrap bootstrap = { 1, (guint64) set, trial->resamples, 1 };
  const SlPair pair = { &a.items, &b.items, trial->metrics, trial->n_metrics, &usual };
  memset (trial->drawn, 0, (gsize) (trial->n_metrics * trial->resamples) * sizeof (double));
  if (set >= 0 && paired)
    sl_paired_bootstrap (&pair, &bootstrap, trial->drawn);
  else if (set >= 0)
    sl_bootstrap_items (&a.items, trial->metrics, trial->n_metrics, &usual, &bootstrap,
                        trial->drawn);
  for (int m = 0; m < trial->n_metrics; m++)
    {
      SlItemInterval interval;
      double value = value_and_interval (trial, &pair, paired, m, &interval);
      if (set < 0)
        trial->truth[m] = value;
      else if (!isnan (interval.lower))
        {
          trial->coverage[m].given++;
          trial->coverage[m].held
              += interval.lower <= trial->truth[m] && trial->truth[m] <= interval.upper;
        }
    }
  scored_clear (&a);
  scored_clear (&b);
  sample_clear (&sample);
}

/* Of one kind of prediction, model and number of items: coverages of .93 to .97 (of 30 items .90),
 * each known to 3 σ from SETS data sets, and their mean over the metrics as such. What is never
 * below 0 and is 0 in the population cannot be missed from above, and shares come in steps: more is
 * no fault of theirs. */
static void
check (const Population *population, gint64 n, int sets, gint64 resamples, gboolean paired)
{
  double least = n < 100 ? 0.90 : 0.93, sum = 0, of = 0;
  Trial trial;
  trial_init (&trial, paired, resamples);
  SlRandom random = sl_random (7, sl_random_purpose ("coverage"), (guint64) n, 0, 0);
  for (int set = -1; set < sets; set++)
    try_set (&trial, population, set < 0 ? POPULATION : n, set, paired, &random);
  for (int m = 0; m < trial.n_metrics; m++)
    {
      double given = (double) trial.coverage[m].given,
             held = (double) trial.coverage[m].held / given;
      /* The same in every data set: there is nothing to tell. */
      if (given < sets / 2)
        continue;
      const SlMetric *metric = trial.metrics[m];
      double most = metric->formula != NULL ? 1 : 0.97;
      if (is_long)
        print_message ("%s, n = %d%s: %s %.3f\n", population->name, (int) n,
                       paired ? ", two models" : "", metric->name, held);
      if (held < least - 3 * sqrt (least * (1 - least) / given)
          || held > most + 3 * sqrt (most * (1 - most) / given))
        fail_msg ("%s, n = %d%s: %s %.3f of %d", population->name, (int) n,
                  paired ? ", two models" : "", metric->name, held, (int) given);
      sum += held;
      of += 1;
    }
  assert_true (of >= 20);
  double slack = is_long ? 0 : 3 * sqrt (least * (1 - least) / sets);
  if (sum / of < least - slack || sum / of > 0.97 + slack)
    fail_msg ("%s, n = %d: %.3f in the mean", population->name, (int) n, sum / of);
  trial_clear (&trial);
}

static void
test_coverage (void **state)
{
  (void) state;
  for (gsize p = 0; p < G_N_ELEMENTS (populations) && is_long; p++)
    for (int paired = 0; paired < 2; paired++)
      for (int i = 0; i < 3; i++)
        check (&populations[p], ((const int[]){ 30, 100, 300 })[i], 500, 1000, paired);
  for (int paired = 0; paired < 2 && !is_long; paired++)
    check (&populations[1], 100, 80, 200, paired);
}

/* The probability of X of N, each with P. */
static double
binomial (int x, int n, double p)
{
  return exp (lgamma (n + 1) - lgamma (x + 1) - lgamma (n - x + 1) + x * log (p)
              + (n - x) * log1p (-p));
}

/* Exactly, of every share: what a binomial distribution has within the interval's reach. */
static void
test_shares (void **state)
{
  (void) state;
  const SlMetric *accuracy = &sl_metrics[sl_metric_find ("accuracy")];
  for (int i = 0; i < 3; i++)
    {
      int n = ((const int[]){ 30, 100, 300 })[i];
      double mean = 0, lower[301], upper[301];
      for (int x = 0; x <= n; x++)
        {
          SlScoredItems items = { .n = n };
          items.count[SL_FIGURE_CORRECT] = n;
          items.sum[SL_FIGURE_CORRECT] = x;
          SlItemInterval interval = sl_item_interval (accuracy, &items, &usual, NULL,
                                                      (SlMetricValue){ (double) x / n, n, NULL },
                                                      NULL, 0, LEVEL, FALSE);
          lower[x] = interval.lower;
          upper[x] = interval.upper;
        }
      for (int step = 1; step < 500; step++)
        {
          double p = 0.5 + step / 1000.0, held = 0;
          for (int x = 0; x <= n; x++)
            held += lower[x] <= p && p <= upper[x] ? binomial (x, n, p) : 0;
          if (held < 0.90)
            fail_msg ("n = %d: a share of %.3f is in .%03.0f of the intervals", n, p, 1000 * held);
          mean += held / 499;
        }
      if (mean < 0.94 || mean > 0.97)
        fail_msg ("n = %d: %.4f in the mean", n, mean);
    }
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[]
      = { cmocka_unit_test (test_shares), cmocka_unit_test (test_coverage) };
  is_long = argc > 1 && strcmp (argv[1], "long") == 0;
  return cmocka_run_group_tests_name ("coverage", tests, NULL, NULL);
}
