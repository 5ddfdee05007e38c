/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dawid & Skene's EM, with votes and with distributions: a worked example, the plain loops of
 * crowds.h, and the edges. */
#include "crowds.h"

static const gint32 example[5][3]
    = { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0, 0, 1 } };

static Crowd
example_crowd (void)
{
  Crowd crowd = { 5,    2,    3,   15, g_new (gint32, 15), g_new (gint32, 15), g_new (gint32, 15),
                  NULL, NULL, NULL };
  for (gint32 j = 0; j < 15; j++)
    {
      crowd.item[j] = j / 3;
      crowd.annotator[j] = j % 3;
      crowd.answer[j] = example[j / 3][j % 3];
    }
  return crowd;
}

typedef struct
{
  gint64 rounds;
  double first, second, last;
  gboolean fell;
} Watch;

static void
watch (gpointer data, gint64 round, double objective)
{
  Watch *seen = data;
  seen->fell |= round > 1 && objective < seen->last - 1e-11 * fabs (seen->last);
  if (round == 1)
    seen->first = objective;
  if (round == 2)
    seen->second = objective;
  seen->last = objective;
  seen->rounds = round;
}

/* To the digits that a separate program in double precision gave. */
static void
test_example (void **state)
{
  (void) state;
  static const struct
  {
    gint64 rounds;
    double label[5], objective, bound;
  } expected[] = {
    { 1, { .963130173, .129883308, .035975267, .271762208, .867208672 }, -9.408418486, 1e-9 },
    { 2, { .97786022, .026297485, .014222773, .271949394, .959341427 }, -8.951855462, 1e-9 },
    { 20, { 1, 0, 0, .0073456658, 1 }, -8.572851745, 1e-9 },
  };
  g_auto (Crowd) crowd = example_crowd ();
  for (gsize e = 0; e < G_N_ELEMENTS (expected); e++)
    {
      Watch seen = { 0 };
      double confusion[12], reliability[3], prior[2];
      SlLearned learned = { .confusion = confusion,
                            .reliability = reliability,
                            .prior = prior,
                            .round = watch,
                            .data = &seen };
      SlMethodSettings settings = defaults;
      settings.smoothing = 0;
      settings.tolerance = 0;
      settings.iterations = expected[e].rounds;
      g_autofree double *label = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, &learned);
      for (int i = 0; i < 5; i++)
        assert_near ("label", &label[2 * i], &expected[e].label[i], 1, expected[e].bound);
      assert_near ("objective", &seen.last, &expected[e].objective, 1, 1e-9);
      assert_int_equal (seen.rounds, expected[e].rounds);
      if (expected[e].rounds == 1)
        assert_near ("prior", prior, (double[]){ 7.0 / 15, 8.0 / 15 }, 2, 1e-15);
      if (expected[e].rounds != 20)
        continue;
      assert_near ("theta_a[1]", confusion + 2, (double[]){ .331169, .668831 }, 2, 5e-7);
      assert_near ("theta_b[0]", confusion + 4, (double[]){ .995169, .004831 }, 2, 5e-7);
      double right = prior[0] * confusion[0] + prior[1] * confusion[3];
      assert_near ("reliability", reliability, &right, 1, 1e-15);
    }
}

static void
compare (const Crowd *crowd, Fit fit, const SlMethodSettings *settings, double bound)
{
  gsize n_classes = (gsize) crowd->n_classes;
  Watch seen = { 0 };
  g_auto (Plain) plain = { .smoothing = isnan (settings->smoothing) ? 0.01 : settings->smoothing };
  g_autofree double *confusion = g_new (double, (gsize) crowd->n_annotators *n_classes *n_classes);
  g_autofree double *prior = g_new (double, n_classes);
  SlLearned learned = {
    .confusion = confusion, .reliability = NULL, .prior = prior, .round = watch, .data = &seen
  };
  g_autofree double *label = crowd_fit (crowd, fit, settings, &learned);
  plain_fit (&plain, crowd, settings);
  assert_near ("label", label, plain.label, (gsize) crowd->n_items * n_classes, bound);
  assert_near ("confusion", confusion, plain.confusion,
               (gsize) crowd->n_annotators * n_classes * n_classes, bound);
  assert_near ("prior", prior, plain.prior, n_classes, bound);
  assert_near ("objective", &seen.last, &plain.objective, 1, 1e-10 * fabs (plain.objective));
}

static const struct
{
  gint32 n_items, n_classes, n_annotators;
  int mean;
  CrowdFlags flags;
} shapes[] = {
  { 300, 2, 20, 5, 0 },
  { 300, 2, 20, 5, SHUFFLED },
  { 3000, 2, 2000, 3, SHUFFLED },
  { 200, 3, 12, 6, 0 },
  { 200, 4, 12, 20, SHUFFLED },
  { 200, 5, 12, 5, COUNTED },
  { 200, 2, 12, 5, COUNTED | SHUFFLED },
  { 150, 9, 10, 30, 0 },
  { 150, 10, 400, 5, SHUFFLED },
  { 150, 16, 10, 12, 0 },
  { 150, 17, 10, 12, SHUFFLED },
  { 100, 50, 10, 12, COUNTED | SHUFFLED },
  { 1, 2, 1, 1, 0 },
  { 60, 1, 5, 3, 0 },
};

static void
test_plain (void **state)
{
  (void) state;
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (int smoothed = 0; smoothed < 2; smoothed++)
      {
        g_auto (Crowd) crowd = crowd_new (shapes[s].n_items, shapes[s].n_classes,
                                          shapes[s].n_annotators, shapes[s].mean, shapes[s].flags);
        SlMethodSettings settings = defaults;
        settings.tolerance = 0;
        settings.iterations = 6;
        settings.smoothing = smoothed ? NAN : 0;
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
      }
}

static void
test_known (void **state)
{
  (void) state;
  for (gint32 n_classes = 2; n_classes < 6; n_classes++)
    for (int flags = 0; flags <= 2; flags += 2)
      {
        g_auto (Crowd) crowd = crowd_new (120, n_classes, 9, 4, (CrowdFlags) flags);
        gsize n = (gsize) n_classes, size = 9 * n * n;
        g_autofree double *known = g_new (double, size);
        for (gsize i = 0; i < size; i++)
          known[i] = i / n % n == i % n ? 0.7 + 0.02 * (double) (i / n / n) : 0;
        for (gsize i = 0; i < size; i++)
          if (i / n % n != i % n)
            known[i] = (0.3 - 0.02 * (double) (i / n / n)) / (double) (n - 1);
        for (gint32 i = 0; i < 120; i++)
          crowd.gold[i] = i % 3 == 0 ? crowd.gold[i] : -1;
        SlMethodSettings settings = defaults;
        settings.tolerance = 0;
        settings.iterations = 4;
        settings.fix_gold = TRUE;
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
        settings.confusion_prior = known;
        settings.prior_weight = 3;
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
        settings.start = known;
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
        settings.fix_gold = FALSE;
        settings.confusion_prior = NULL;
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
      }
}

static void
test_distributions (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (150, 4, 8, 4, SHUFFLED);
  SlMethodSettings settings = defaults;
  settings.tolerance = 0;
  settings.iterations = 5;
  g_autofree double *votes = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
  crowd.distribution = g_new0 (double, crowd.n * 4);
  for (gint64 j = 0; j < crowd.n; j++)
    crowd.distribution[4 * j + crowd.answer[j]] = 1;
  g_autofree double *one_class = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
  assert_near ("label", one_class, votes, 150 * 4, 1e-12);
  for (gint64 j = 0; j < crowd.n; j++)
    for (int k = 0; k < 4; k++)
      crowd.distribution[4 * j + k] = k == crowd.answer[j] ? 0.5 + 0.1 * (double) (j % 5)
                                                           : (0.5 - 0.1 * (double) (j % 5)) / 3;
  compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
}

/* Rows that stand for several votes are as good as so many rows. */
static void
test_counts (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (200, 3, 10, 4, 0), rows = crowd_new (200, 3, 10, 4, 0);
  crowd.count = g_new (double, crowd.n);
  g_autofree gint32 *column = g_new (gint32, 9 * crowd.n);
  gint64 n = 0;
  for (gint64 j = 0; j < crowd.n; j++)
    {
      crowd.count[j] = (double) (1 + j % 3);
      for (gint64 times = 0; times <= j % 3; times++, n++)
        {
          column[n] = crowd.item[j];
          column[3 * crowd.n + n] = crowd.annotator[j];
          column[6 * crowd.n + n] = crowd.answer[j];
        }
    }
  Crowd repeated
      = { 200, 3, 10, n, column, column + 3 * crowd.n, column + 6 * crowd.n, NULL, NULL, NULL };
  SlMethodSettings settings = defaults;
  g_autofree double *counted = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
  g_autofree double *plain = crowd_fit (&repeated, sl_fit_dawid_skene, &settings, NULL);
  assert_near ("label", counted, plain, 200 * 3, 1e-9);
}

static void
test_likelihood (void **state)
{
  (void) state;
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (int smoothed = 0; smoothed < 2; smoothed++)
      {
        g_auto (Crowd) crowd = crowd_new (shapes[s].n_items, shapes[s].n_classes,
                                          shapes[s].n_annotators, shapes[s].mean, shapes[s].flags);
        Watch seen = { 0 };
        SlLearned learned = { .round = watch, .data = &seen };
        SlMethodSettings settings = defaults;
        settings.smoothing = smoothed ? 0.01 : 0;
        settings.tolerance = 0;
        g_autofree double *label = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, &learned);
        if (seen.fell)
          fail_msg ("shape %d: the log-likelihood falls", (int) s);
        assert_int_equal (seen.rounds, 100);
        settings.tolerance = NAN;
        g_autofree double *sooner = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, &learned);
        assert_true (seen.rounds <= 100);
        settings.tolerance = 1e9; /* the labels are those of the round that was the last */
        settings.iterations = 50;
        g_autofree double *second = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, &learned);
        assert_int_equal (seen.rounds, 2);
        settings.iterations = 2;
        g_autofree double *two = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
        assert_memory_equal (second, two,
                             (gsize) crowd.n_items * (gsize) crowd.n_classes * sizeof *two);
      }
}

static void
test_threads (void **state)
{
  (void) state;
  const gint32 classes[] = { 2, 3, 7, 10, 16, 20 };
  for (gsize c = 0; c < G_N_ELEMENTS (classes); c++)
    {
      g_auto (Crowd) crowd = crowd_new (40000, classes[c], 50, 4, c % 2 ? SHUFFLED : 0);
      SlMethodSettings settings = defaults;
      settings.iterations = 5;
      gsize size = 40000 * (gsize) classes[c] * sizeof (double);
      g_autofree double *one = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
      for (settings.threads = 2; settings.threads < 8; settings.threads += 3)
        {
          g_autofree double *many = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
          assert_memory_equal (one, many, size);
        }
    }
}

/* The first half of an item's answers all but rules out what the second half speaks for: a class
 * far behind must be able to come back. */
static void
test_come_back (void **state)
{
  (void) state;
  for (gint32 n_classes = 2; n_classes <= 20; n_classes += 3)
    {
      g_auto (Crowd) crowd = crowd_new (6, n_classes, 50, 3000, 0);
      gint64 first = 0;
      for (gint64 j = 0; j < crowd.n; j++)
        {
          if (crowd.item[j] != crowd.item[first])
            first = j;
          gint64 end = j;
          while (end < crowd.n && crowd.item[end] == crowd.item[first])
            end++;
          crowd.answer[j] = (crowd.item[j] + (j - first > end - j)) % n_classes;
        }
      SlMethodSettings settings = defaults;
      settings.iterations = 2;
      settings.tolerance = 0;
      g_auto (Plain) plain = { .smoothing = 0.01 };
      g_autofree double *label = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
      plain_fit (&plain, &crowd, &settings);
      assert_near ("label", label, plain.label, (gsize) (6 * n_classes), 1e-7);
    }
}

/* 10,000 answers an item, most of them right, or all of them at odds. The plain sums of as many
 * logarithms are good to 1e-7. */
static void
test_many_answers (void **state)
{
  (void) state;
  for (gint32 n_classes = 2; n_classes <= 18; n_classes += 8)
    for (int smoothed = 0; smoothed < 2; smoothed++)
      {
        g_auto (Crowd) crowd = crowd_new (6, n_classes, 50, 10000, SHUFFLED);
        SlMethodSettings settings = defaults;
        settings.tolerance = 0;
        settings.iterations = 5;
        settings.smoothing = smoothed ? NAN : 0;
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-7);
        for (gint64 j = 0; j < crowd.n; j++)
          crowd.answer[j] = (gint32) (j % n_classes);
        compare (&crowd, sl_fit_dawid_skene, &settings, 1e-7);
      }
}

/* Many classes: few at a time. */
static void
test_many_classes (void **state)
{
  (void) state;
  for (int flags = 0; flags <= COUNTED; flags += COUNTED)
    {
      g_auto (Crowd) crowd = crowd_new (500, 1000, 7, 12, SHUFFLED | (CrowdFlags) flags);
      for (gint32 i = 0; i < 500; i++)
        crowd.gold[i] = i % 4 == 0 ? crowd.gold[i] : -1;
      SlMethodSettings settings = defaults;
      settings.tolerance = 0;
      settings.iterations = 3;
      settings.fix_gold = TRUE;
      compare (&crowd, sl_fit_dawid_skene, &settings, 1e-10);
      g_autofree double *one = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
      settings.threads = 3;
      g_autofree double *three = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
      assert_memory_equal (one, three, 500 * 1000 * sizeof *one);
    }
}

/* An annotator and a class without evidence; items without answers; answers that contradict what
 * is known. */
static void
test_edges (void **state)
{
  (void) state;
  gint32 item[] = { 0, 0, 1, 3, 3, 3 }, annotator[] = { 0, 1, 0, 1, 1, 0 },
         answer[] = { 0, 1, 0, 2, 2, 2 };
  gint32 gold[] = { 1, 1, -1, 0, -1 };
  Crowd crowd = { 5, 4, 3, 6, item, annotator, answer, gold, NULL, NULL };
  double confusion[3 * 16], reliability[3], prior[4];
  SlLearned learned = { .confusion = confusion, .reliability = reliability, .prior = prior };
  for (int smoothed = 0; smoothed < 2; smoothed++)
    for (int fixed = 0; fixed < 2; fixed++)
      {
        SlMethodSettings settings = defaults;
        settings.smoothing = smoothed ? NAN : 0;
        settings.fix_gold = fixed == 1;
        g_autofree double *label = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, &learned);
        assert_near ("nobody", confusion + 32, (double[]){ .25, .25, .25, .25 }, 4, 1e-15);
        assert_near ("no answers", label + 8, prior, 4, 1e-12);
        assert_near ("reliability", reliability + 2, (double[]){ .25 }, 1, 1e-12);
        if (fixed)
          assert_near ("gold", label, (double[]){ 0, 1, 0, 0, 0, 1, 0, 0 }, 8, 0);
      }
  Crowd nothing = { 0, 3, 2, 0, item, annotator, answer, gold, NULL, NULL };
  SlMethodSettings settings = defaults;
  g_autofree double *none = crowd_fit (&nothing, sl_fit_dawid_skene, &settings, &learned);
  Crowd no_annotators = { 2, 3, 0, 0, item, annotator, answer, gold, NULL, NULL };
  g_autofree double *uniform = crowd_fit (&no_annotators, sl_fit_dawid_skene, &settings, &learned);
  assert_near ("nobody", uniform, (double[]){ 1.0 / 3, 1.0 / 3, 1.0 / 3 }, 3, 1e-15);
}

/* Without smoothing, a warm start that rules out every class for an item: the one ruled out the
 * fewest times wins. */
static void
test_impossible (void **state)
{
  (void) state;
  gint32 item[] = { 0, 0, 0, 1 }, annotator[] = { 0, 0, 0, 0 }, answer[] = { 0, 1, 1, 0 };
  Crowd crowd = { 2, 2, 1, 4, item, annotator, answer, NULL, NULL, NULL };
  const double start[] = { 1, 0, 0, 1 };
  SlMethodSettings settings = defaults;
  settings.smoothing = 0;
  settings.iterations = 1;
  settings.start = start;
  g_autofree double *label = crowd_fit (&crowd, sl_fit_dawid_skene, &settings, NULL);
  /* After the start, item 0 is class 1, item 1 is class 0: theta[0] = (1, 0), theta[1] = (1/3,
   * 2/3). */
  assert_near ("label", label, (double[]){ 0, 1, .75, .25 }, 4, 1e-12);
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_example),      cmocka_unit_test (test_plain),
    cmocka_unit_test (test_known),        cmocka_unit_test (test_distributions),
    cmocka_unit_test (test_counts),       cmocka_unit_test (test_likelihood),
    cmocka_unit_test (test_threads),      cmocka_unit_test (test_many_answers),
    cmocka_unit_test (test_many_classes), cmocka_unit_test (test_edges),
    cmocka_unit_test (test_impossible),   cmocka_unit_test (test_come_back),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
