/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GLAD, MACE, KOS, M-MSR and BWA: figures of other programs, plain loops, and the edges of them
 * all. */
#include "crowds.h"

#include "pipeline/base/error.h"
#include "stages/aggregate/methods/abilities/conjugate-gradient.h"
#include "stages/aggregate/methods/abilities/glad-parts.h"

static const gint32 example[5][3]
    = { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0, 0, 1 } };

static Crowd
empty_crowd (gint32 n_items, gint32 n_classes, gint32 n_annotators, gint64 n)
{
  Crowd crowd
      = { .n_items = n_items, .n_classes = n_classes, .n_annotators = n_annotators, .n = n };
  crowd.item = g_new0 (gint32, (gsize) n);
  crowd.annotator = g_new0 (gint32, (gsize) n);
  crowd.answer = g_new0 (gint32, (gsize) n);
  return crowd;
}

static Crowd
example_crowd (void)
{
  Crowd crowd = empty_crowd (5, 2, 3, 15);
  for (gint32 j = 0; j < 15; j++)
    {
      crowd.item[j] = j / 3;
      crowd.annotator[j] = j % 3;
      crowd.answer[j] = example[j / 3][j % 3];
    }
  return crowd;
}

/* Seven annotators of 30 items; the right class is i % 3, and a higher number errs more. */
static Crowd
seven_crowd (void)
{
  Crowd crowd = empty_crowd (30, 3, 7, 210);
  for (gint32 j = 0; j < 210; j++)
    {
      gint32 i = j / 7, a = j % 7;
      gboolean wrong = (i * i * 5 + a * 17 + i * a * 3) % 10 < a;
      crowd.item[j] = i;
      crowd.annotator[j] = a;
      crowd.answer[j] = wrong ? (i + 1 + (i + a) % 2) % 3 : i % 3;
    }
  return crowd;
}

static void
assert_first (const double *label, gint32 n_classes, const double *first, gsize n, double bound)
{
  for (gsize i = 0; i < n; i++)
    assert_near ("p", &label[i * (gsize) n_classes], &first[i], 1, bound);
}

/* crowd-kit 1.4.2's GLAD. */
static void
test_glad (void **state)
{
  (void) state;
  static const struct
  {
    gint64 rounds;
    double first[5], ability[3];
  } expected[] = {
    { 1,
      { .99971274286, .061903167415, .00028725714, .061903167415, .938096832585 },
      { .731348156792, 1.205533045079, .36535419163 } },
    { 2,
      { .999938370775, .036005219495, .000061629225, .206405834068, .963994780505 },
      { .852501065009, 1.154643966144, .293403328464 } },
    { 3,
      { .999925442593, .019163012437, .000074557407, .302642189469, .980836987563 },
      { .925193546222, 1.125972005343, .247567488748 } },
  };
  g_auto (Crowd) crowd = example_crowd ();
  for (gsize e = 0; e < G_N_ELEMENTS (expected); e++)
    {
      SlMethodSettings settings = defaults;
      settings.iterations = expected[e].rounds;
      settings.tolerance = 0;
      double ability[3];
      SlLearned learned = { .reliability = ability };
      g_autofree double *label = crowd_fit (&crowd, sl_fit_glad, &settings, &learned);
      assert_first (label, 2, expected[e].first, 5, 1e-9);
      assert_near ("ability", ability, expected[e].ability, 3, 1e-9);
    }
}

/* The log-likelihood of the answers to item I, with the prior of BETA; P[n_classes]: its label. */
static double
glad_item (const Crowd *crowd, const double *ability, gint32 i, double beta, double *p)
{
  gint32 n = crowd->n_classes;
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    {
      p[k] = 1;
      for (gint64 j = 0; j < crowd->n; j++)
        {
          double right = 1 / (1 + exp (-ability[crowd->annotator[j]] * exp (beta)));
          if (crowd->item[j] == i)
            p[k] *= crowd->answer[j] == k ? right : (1 - right) / (n - 1);
        }
      sum += p[k];
    }
  for (gint32 k = 0; k < n; k++)
    p[k] /= sum;
  return log (sum) - (beta - 1) * (beta - 1) / 2;
}

/* Seven abilities' log-posterior and its GRADIENT, by a round's sums, or NULL; STEP: where they go
 * next. Labels must be those of the plain loops, and no other β near by is likelier. */
static double
glad_round (const Crowd *crowd, const double *ability, double *gradient, double *step)
{
  double start[7 * 9], ease[30], sums[7 * 9] = { 0 }, information[7 * 9] = { 0 }, label[90], own[3],
                                          other[3];
  const SlItems items = { 30, 3, label, NULL, NULL, NULL };
  const SlAnswers answers = { .n_answers = 210,
                              .n_annotators = 7,
                              .item = crowd->item,
                              .annotator = crowd->annotator,
                              .answer = crowd->answer };
  SlMethodSettings settings = defaults;
  settings.start = start;
  double f = 0;
  for (gint32 a = 0; a < 7; a++)
    sl_glad_confusion (ability[a], 3, &start[a * 9]);
  sl_glad_items (&items, &answers, &settings, ease);
  sl_glad_sums (&items, &answers, &settings, ease, sums, information);
  for (gint32 i = 0; i < 30; i++)
    {
      double beta = log (ease[i]), at = glad_item (crowd, ability, i, beta, own);
      assert_near ("label", &label[3 * i], own, 3, 1e-10);
      assert_true (at >= glad_item (crowd, ability, i, beta - 1e-3, other));
      assert_true (at >= glad_item (crowd, ability, i, beta + 1e-3, other));
      double slope = (glad_item (crowd, ability, i, beta + 1e-5, other)
                      - glad_item (crowd, ability, i, beta - 1e-5, other))
                     / 2e-5;
      assert_true (fabs (slope) < 1e-7);
      f += at;
    }
  for (gint32 a = 0; a < 7; a++)
    {
      double curvature = 1;
      step[a] = sl_glad_ability (&sums[9 * a], &information[9 * a], 3);
      for (gint32 c = 9 * a; c < 9 * (a + 1); c++)
        {
          assert_true (sums[c] >= 0 && information[c] >= 0);
          curvature += information[c];
        }
      f -= (ability[a] - 1) * (ability[a] - 1) / 2;
      if (gradient != NULL)
        gradient[a] = (step[a] - ability[a]) * curvature;
    }
  return f;
}

/* What the sums of a round say is the gradient of the log-posterior, by finite differences, and the
 * steps that are made of it lead up, to where it is 0. */
static void
test_glad_parts (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = seven_crowd ();
  double ability[7] = { 2, 1.2, .7, 0, -.4, 1e-5, 1 }, gradient[7], step[7], unused[7];
  double f = glad_round (&crowd, ability, gradient, step);
  for (gint32 a = 0; a < 7; a++)
    {
      double up[7], down[7], h = 1e-5;
      memcpy (up, ability, sizeof up);
      memcpy (down, ability, sizeof down);
      up[a] += h;
      down[a] -= h;
      double difference
          = (glad_round (&crowd, up, NULL, unused) - glad_round (&crowd, down, NULL, unused))
            / (2 * h);
      assert_near ("gradient", &gradient[a], &difference, 1, 1e-6);
    }
  for (int round = 0; round < 120; round++)
    {
      memcpy (ability, step, sizeof ability);
      double next = glad_round (&crowd, ability, gradient, step);
      assert_true (next >= f - 1e-9);
      f = next;
    }
  const double none[7] = { 0 };
  assert_near ("gradient at the end", gradient, none, 7, 1e-6);
}

/* An ability comes back from the confusion that it is written as. */
static void
test_glad_confusion (void **state)
{
  (void) state;
  const double abilities[] = { -250, -3, -1e-3, 0, 1, 5, 30, 250 };
  double confusion[9];
  for (gsize i = 0; i < G_N_ELEMENTS (abilities); i++)
    {
      sl_glad_confusion (abilities[i], 3, confusion);
      double back = sl_glad_ability_of (confusion, 3), sum = confusion[3] + confusion[4];
      assert_true (fabs (back - abilities[i]) <= 1e-12 * (1 + fabs (abilities[i])));
      assert_true (fabs (sum + confusion[5] - 1) < 1e-15);
    }
}

/* From a given start, a separate program in double precision; with a smoothing, without. */
static void
test_mace (void **state)
{
  (void) state;
  static const double start[] = { .8, .2, .3, .7, .9, .1, .1, .9, .6, .4, .5, .5 };
  static const struct
  {
    gint64 rounds;
    double smoothing, first[5];
  } expected[] = {
    { 1, NAN, { .972924975257, .027317070384, .017093949687, .167886114469, .956993802029 } },
    { 5, NAN, { .987627975439, .01383053035, .007176759103, .117387482573, .976272643415 } },
    { 50, NAN, { .992528156733, .009729140319, .003986459662, .068760858812, .981856081433 } },
    { 5, .1, { .987264413134, .008699436824, .004387559297, .144805214218, .974954881031 } },
  };
  g_auto (Crowd) crowd = example_crowd ();
  for (gsize e = 0; e < G_N_ELEMENTS (expected); e++)
    {
      SlMethodSettings settings = defaults;
      settings.iterations = expected[e].rounds;
      settings.smoothing = expected[e].smoothing;
      settings.start = start;
      double confusion[12];
      SlLearned learned = { .confusion = confusion };
      g_autofree double *label = crowd_fit (&crowd, sl_fit_mace, &settings, &learned);
      assert_first (label, 2, expected[e].first, 5, 1e-11);
      for (gsize row = 0; row < 6; row++)
        assert_near ("row", (double[]){ confusion[2 * row] + confusion[2 * row + 1] },
                     (double[]){ 1 }, 1, 1e-12);
    }
}

/* The authors' own program, after one round and at the end. */
static void
test_bwa (void **state)
{
  (void) state;
  static const double one[]
      = { .96163372859, .321317523057, .033570487484, .34187088274, .673886693017 };
  static const double end[]
      = { .96163860391, .319005303967, .033585984053, .34369733954, .676219283996 };
  static const double three[]
      = { .800718206921, .072471457335, .126810335743, .072471457335, .921150619727,
          .006377922938, .093213203164, .006377922938, .900408873898 };
  g_auto (Crowd) crowd = example_crowd ();
  SlMethodSettings settings = defaults;
  settings.iterations = 1;
  g_autofree double *first = crowd_fit (&crowd, sl_fit_bwa, &settings, NULL);
  assert_first (first, 2, one, 5, 1e-11);
  g_autofree double *last = crowd_fit (&crowd, sl_fit_bwa, &defaults, NULL);
  assert_first (last, 2, end, 5, 1e-11);
  g_auto (Crowd) seven = seven_crowd ();
  g_autofree double *label = crowd_fit (&seven, sl_fit_bwa, &defaults, NULL);
  for (gsize i = 0; i < 3; i++)
    for (gsize k = 0; k < 3; k++)
      {
        double sum = three[3 * i] + three[3 * i + 1] + three[3 * i + 2];
        assert_near ("z", &label[3 * i + k], (double[]){ three[3 * i + k] / sum }, 1, 1e-11);
      }
}

/* An answer that is given twice counts once; one that differs is a further reading. */
static void
test_bwa_repeated (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = example_crowd ();
  g_autofree double *once = crowd_fit (&crowd, sl_fit_bwa, &defaults, NULL);
  gsize n = 15;
  crowd.item = g_renew (gint32, crowd.item, 16);
  crowd.annotator = g_renew (gint32, crowd.annotator, 16);
  crowd.answer = g_renew (gint32, crowd.answer, 16);
  crowd.n = 16;
  crowd.item[n] = crowd.item[4];
  crowd.annotator[n] = crowd.annotator[4];
  crowd.answer[n] = crowd.answer[4];
  g_autofree double *twice = crowd_fit (&crowd, sl_fit_bwa, &defaults, NULL);
  assert_near ("twice", twice, once, 10, 0.02); /* b_v counts all answers */
  crowd.answer[n] = 1 - crowd.answer[n];
  g_autofree double *both = crowd_fit (&crowd, sl_fit_bwa, &defaults, NULL);
  assert_true (both[2] > once[2] + 0.1);
}

/* crowd-kit 1.4.2's MMSR; from whatever start. */
static void
test_m_msr (void **state)
{
  (void) state;
  static const double right[] = { .87828387611, .87828387611, .8, .775, .6, .87828387611, .4 };
  g_auto (Crowd) crowd = seven_crowd ();
  for (guint64 seed = 0; seed < 3; seed++)
    {
      double reliability[7];
      SlLearned learned = { .reliability = reliability };
      SlMethodSettings settings = defaults;
      settings.seed = seed;
      g_autofree double *label = crowd_fit (&crowd, sl_fit_m_msr, &settings, &learned);
      assert_near ("p", reliability, right, 7, 1e-9);
      for (gint32 i = 0; i < 30; i++)
        assert_true (label[3 * i + i % 3] > 0.5);
    }
}

/* One of five says the opposite. */
static void
test_m_msr_adversary (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = empty_crowd (40, 2, 5, 200);
  for (gint32 j = 0; j < 200; j++)
    {
      gint32 i = j / 5, a = j % 5;
      crowd.item[j] = i;
      crowd.annotator[j] = a;
      crowd.answer[j] = a == 4 ? 1 - i % 2 : (i + ((i * 7 + a * 11) % 9 == 0)) % 2;
    }
  double reliability[5];
  SlLearned learned = { .reliability = reliability };
  g_autofree double *label = crowd_fit (&crowd, sl_fit_m_msr, &defaults, &learned);
  assert_true (reliability[4] < 0.2);
  for (gint32 a = 0; a < 4; a++)
    assert_true (reliability[a] > 0.7);
  for (gint32 i = 0; i < 40; i++)
    assert_true (label[2 * i + i % 2] > 0.9);
}

/* The messages as the paper has them, one sum each. */
static void
test_kos (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (40, 2, 9, 3, 0);
  gsize n = (gsize) crowd.n;
  g_autofree double *x = g_new0 (double, n), *y = g_new0 (double, n);
  for (gsize j = 0; j < n;)
    {
      SlRandom random
          = sl_random (5, sl_random_purpose ("aggregate: kos"), (guint64) crowd.item[j], 0, 0);
      for (gint32 i = crowd.item[j]; j < n && crowd.item[j] == i; j++)
        y[j] = 1 + sl_random_normal (&random);
    }
  for (int round = 0; round < 4; round++)
    {
      for (gsize j = 0; j < n; j++)
        {
          x[j] = 0;
          for (gsize h = 0; h < n; h++)
            if (h != j && crowd.item[h] == crowd.item[j])
              x[j] += (1 - 2 * crowd.answer[h]) * y[h];
        }
      for (gsize j = 0; j < n; j++)
        {
          y[j] = 0;
          for (gsize h = 0; h < n; h++)
            if (h != j && crowd.annotator[h] == crowd.annotator[j])
              y[j] += (1 - 2 * crowd.answer[h]) * x[h];
        }
    }
  SlMethodSettings settings = defaults;
  settings.seed = 5;
  settings.iterations = 4;
  g_autofree double *label = crowd_fit (&crowd, sl_fit_kos, &settings, NULL);
  for (gint32 i = 0; i < crowd.n_items; i++)
    {
      double sum = 0, size = 0;
      for (gsize j = 0; j < n; j++)
        if (crowd.item[j] == i)
          {
            sum += (1 - 2 * crowd.answer[j]) * y[j];
            size += fabs (y[j]);
          }
      assert_near ("p", &label[2 * i], (double[]){ size > 0 ? (1 + sum / size) / 2 : 0.5 }, 1,
                   1e-12);
    }
}

static void
test_kos_is_for_two (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  SlItems items = { .n_classes = 3 };
  SlAnswers answers = { 0 };
  SlLearned learned = { 0 };
  assert_false (sl_fit_kos (&items, &answers, &defaults, &learned, &error));
  assert_true (g_error_matches (error, SL_ERROR, SL_ERROR_INPUT));
}

/* ---- what holds for all ---- */

static const struct
{
  const char *name;
  Fit fit;
  gboolean binary, climbs;
} methods[] = {
  { "wawa", sl_fit_wawa, FALSE, FALSE },
  { "zero-based-skill", sl_fit_zero_based_skill, FALSE, FALSE },
  { "la-two-pass", sl_fit_la_two_pass, FALSE, FALSE },
  { "log-pool", sl_fit_log_pool, FALSE, FALSE },
  { "glad", sl_fit_glad, FALSE, TRUE },
  { "mace", sl_fit_mace, FALSE, TRUE },
  { "bwa", sl_fit_bwa, FALSE, TRUE },
  { "m-msr", sl_fit_m_msr, FALSE, FALSE },
  { "kos", sl_fit_kos, TRUE, FALSE },
};

/* Labels are distributions, which crowd_fit() checks, and what was learned is, too. */
static void
fit_all (const Crowd *crowd, const SlMethodSettings *settings)
{
  gsize n = (gsize) crowd->n_classes, n_annotators = (gsize) crowd->n_annotators;
  g_autofree double *confusion = g_new (double, n_annotators *n *n + 1);
  g_autofree double *reliability = g_new (double, n_annotators + 1), *prior = g_new (double, n);
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    {
      if (methods[m].binary && n != 2)
        continue;
      SlLearned learned = { .confusion = confusion, .reliability = reliability, .prior = prior };
      g_free (crowd_fit (crowd, methods[m].fit, settings, &learned));
      for (gsize row = 0; row < n_annotators * n; row++)
        {
          double sum = 0;
          for (gsize l = 0; l < n; l++)
            sum += confusion[row * n + l];
          if (!(fabs (sum - 1) < 1e-9))
            fail_msg ("%s: a row of confusion sums to %g", methods[m].name, sum);
        }
      for (gsize a = 0; a < n_annotators; a++)
        if (!isfinite (reliability[a]))
          fail_msg ("%s: reliability %g", methods[m].name, reliability[a]);
    }
}

static void
test_edges (void **state)
{
  (void) state;
  for (gint32 n_classes = 1; n_classes <= 3; n_classes++)
    {
      g_auto (Crowd) nothing = empty_crowd (0, n_classes, 0, 0);
      fit_all (&nothing, &defaults);
      g_auto (Crowd) silent
          = empty_crowd (3, n_classes, 4, 0); /* items and annotators, no answer */
      fit_all (&silent, &defaults);
      g_auto (Crowd) one = empty_crowd (1, n_classes, 1, 1);
      fit_all (&one, &defaults);
      g_auto (Crowd) repeated
          = empty_crowd (2, n_classes, 3, 200); /* the same annotator, the same answer */
      fit_all (&repeated, &defaults);
      g_auto (Crowd) single = crowd_new (50, n_classes, 7, 1, SHUFFLED); /* one answer an item */
      fit_all (&single, &defaults);
      g_auto (Crowd) alone = crowd_new (50, n_classes, 1, 3, COUNTED);
      fit_all (&alone, &defaults);
    }
}

/* 10,000 answers to one item: 0.9^10,000 is far below the least double. */
static void
test_many_answers (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = empty_crowd (2, 2, 50, 20000);
  for (gint32 j = 0; j < 20000; j++)
    {
      crowd.item[j] = j % 2;
      crowd.annotator[j] = j / 2 % 50;
      crowd.answer[j] = j % 2 == 0 ? j % 10 < 1 : j % 11 > 0;
    }
  fit_all (&crowd, &defaults);
}

static void
test_many_classes (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (60, 1000, 5, 3, 0);
  SlMethodSettings settings = defaults;
  settings.iterations = 3;
  fit_all (&crowd, &settings);
}

typedef struct
{
  double last;
  const char *fell;
} Climb;

static void
watch (gpointer data, gint64 round, double objective)
{
  Climb *climb = data;
  if (!isfinite (objective) || (round > 1 && objective < climb->last - 1e-10 * fabs (climb->last)))
    climb->fell = "fell";
  climb->last = objective;
}

/* From one round to the next; each restart begins with round 1. */
static void
test_objective_never_falls (void **state)
{
  (void) state;
  for (gint32 n_classes = 2; n_classes <= 5; n_classes++)
    for (int smoothing = 0; smoothing < 2; smoothing++)
      for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
        {
          g_auto (Crowd) crowd
              = crowd_new (300, n_classes, 20, 4, SHUFFLED | (n_classes % 2 ? COUNTED : 0));
          Climb climb = { -INFINITY, NULL };
          SlLearned learned = { .round = watch, .data = &climb };
          SlMethodSettings settings = defaults;
          settings.smoothing = smoothing ? 0.1 : NAN;
          settings.restarts = 1; /* of several starts, none tells its rounds */
          if (!methods[m].climbs)
            continue;
          g_free (crowd_fit (&crowd, methods[m].fit, &settings, &learned));
          assert_true (isfinite (climb.last));
          if (climb.fell != NULL)
            fail_msg ("%s %s", methods[m].name, climb.fell);
        }
}

/* Enough answers that they are cut into parts. */
static void
test_threads (void **state)
{
  (void) state;
  for (int counted = 0; counted < 2; counted++)
    {
      g_auto (Crowd) crowd = crowd_new (9000, 2, 30, 4, SHUFFLED | (counted ? COUNTED : 0));
      for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
        {
          SlMethodSettings settings = defaults;
          settings.iterations = 3;
          settings.restarts = 2;
          double reliability[2][30];
          SlLearned learned = { .reliability = reliability[0] };
          g_autofree double *one = crowd_fit (&crowd, methods[m].fit, &settings, &learned);
          settings.threads = 2;
          learned.reliability = reliability[1];
          g_autofree double *two = crowd_fit (&crowd, methods[m].fit, &settings, &learned);
          if (memcmp (one, two, 9000 * 2 * sizeof *one) != 0
              || memcmp (reliability[0], reliability[1], sizeof reliability[0]) != 0)
            fail_msg ("%s: other bytes with two threads", methods[m].name);
        }
    }
}

/* Wrong gold, so that no method comes to it by itself. */
static void
test_kept_gold (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (200, 2, 12, 4, 0);
  for (gint32 i = 0; i < 200; i++)
    crowd.gold[i] = i % 3 == 0 ? 1 - crowd.gold[i] : -1;
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    {
      SlMethodSettings settings = defaults;
      settings.fix_gold = TRUE;
      g_autofree double *label = crowd_fit (&crowd, methods[m].fit, &settings, NULL);
      for (gint32 i = 0; i < 200; i += 3)
        if (label[2 * i + crowd.gold[i]] != 1)
          fail_msg ("%s: p = %g of a gold class", methods[m].name, label[2 * i + crowd.gold[i]]);
    }
}

/* ---- the optimiser ---- */

/* Rosenbrock's function, in N / 2 pairs: its valley is where steepest descent goes astray. */
static double
rosenbrock (const double *x, double *gradient, gpointer data)
{
  gsize n = *(gsize *) data;
  double sum = 0;
  for (gsize i = 0; i < n; i += 2)
    {
      double off = x[i + 1] - x[i] * x[i];
      sum += 100 * off * off + (1 - x[i]) * (1 - x[i]);
      gradient[i] = -400 * off * x[i] - 2 * (1 - x[i]);
      gradient[i + 1] = 200 * off;
    }
  return sum;
}

static void
test_conjugate_gradient (void **state)
{
  (void) state;
  double x[6] = { -1.2, 1, 0, 0, 2, -3 }, gradient[6], before = INFINITY;
  gsize n = 6;
  for (gint64 round = 0; round < 400; round++)
    {
      double value = sl_conjugate_gradient (x, n, rosenbrock, &n, 1e-9, 1);
      assert_true (value <= before);
      before = value;
    }
  double start[6] = { -1.2, 1, 0, 0, 2, -3 };
  double value = sl_conjugate_gradient (start, n, rosenbrock, &n, 1e-9, 2000);
  assert_true (value < 1e-15);
  for (gsize i = 0; i < n; i++)
    assert_near ("x", &start[i], (double[]){ 1 }, 1, 1e-7);
  assert_near ("value", &value, (double[]){ rosenbrock (start, gradient, &n) }, 1, 0);
}

/* φ (s) = -s / (s² + 2), Moré & Thuente's first example; and (s + 0.004)^5 - 2 (s + 0.004)^4,
 * their second. */
static SlStep
first_example (double s)
{
  double below = s * s + 2;
  return (SlStep){ s, -s / below, (s * s - 2) / (below * below) };
}

static SlStep
second_example (double s)
{
  double t = s + 0.004;
  return (SlStep){ s, pow (t, 5) - 2 * pow (t, 4), 5 * pow (t, 4) - 8 * pow (t, 3) };
}

static void
test_line_search (void **state)
{
  (void) state;
  SlStep (*const examples[]) (double) = { first_example, second_example };
  for (gsize e = 0; e < 2; e++)
    for (double first = 1e-3; first <= 1e3; first *= 10)
      {
        SlStep start = examples[e](0), found = start;
        SlLineSearch search;
        SlLineSearchState result = SL_LINE_SEARCH_GO_ON;
        double next = first;
        int steps = 0;
        sl_line_search_init (&search, start, first);
        while (result == SL_LINE_SEARCH_GO_ON && steps++ < 50)
          {
            found = examples[e](next);
            result = sl_line_search_take (&search, found, &next);
          }
        assert_int_equal (result, SL_LINE_SEARCH_FOUND);
        assert_true (found.value <= start.value + 1e-4 * found.at * start.slope);
        assert_true (fabs (found.slope) <= 0.4 * fabs (start.slope));
      }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_glad),
    cmocka_unit_test (test_glad_parts),
    cmocka_unit_test (test_glad_confusion),
    cmocka_unit_test (test_mace),
    cmocka_unit_test (test_bwa),
    cmocka_unit_test (test_bwa_repeated),
    cmocka_unit_test (test_m_msr),
    cmocka_unit_test (test_m_msr_adversary),
    cmocka_unit_test (test_kos),
    cmocka_unit_test (test_kos_is_for_two),
    cmocka_unit_test (test_edges),
    cmocka_unit_test (test_many_answers),
    cmocka_unit_test (test_many_classes),
    cmocka_unit_test (test_objective_never_falls),
    cmocka_unit_test (test_threads),
    cmocka_unit_test (test_kept_gold),
    cmocka_unit_test (test_conjugate_gradient),
    cmocka_unit_test (test_line_search),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
