/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relatives of Dawid & Skene's model, each against its equations written out plainly, and on
 * the edges. */
#include "crowds.h"

#include <stdio.h>

typedef struct
{
  gint64 rounds;
  double last;
  gboolean fell;
} Watch;

static void
watch (gpointer data, gint64 round, double objective)
{
  Watch *seen = data;
  seen->fell |= round > 1 && objective < seen->last - 1e-10 * fabs (seen->last);
  seen->last = objective;
  seen->rounds = round;
}

static const struct
{
  const char *name;
  Fit fit;
  gboolean climbs; /* no round lowers its objective */
} methods[] = {
  { "dawid-skene", sl_fit_dawid_skene, TRUE },
  { "one-coin", sl_fit_one_coin, TRUE },
  { "hierarchical-dawid-skene", sl_fit_hierarchical_dawid_skene, FALSE },
  { "ibcc", sl_fit_ibcc, TRUE },
  { "ebcc", sl_fit_ebcc, TRUE },
  { "ptbcc", sl_fit_ptbcc, TRUE },
};

static const struct
{
  gint32 n_items, n_classes, n_annotators;
  int mean;
  CrowdFlags flags;
} shapes[] = {
  { 300, 2, 20, 5, SHUFFLED }, { 200, 3, 12, 20, 0 },         { 200, 4, 60, 3, COUNTED },
  { 150, 10, 300, 5, 0 },      { 100, 17, 10, 12, SHUFFLED }, { 60, 1, 5, 3, 0 },
};

/* Every third class of an item is known; what is known of annotators beforehand is right in 7 of
 * 10. */
static double *
know (Crowd *crowd)
{
  gsize n = (gsize) crowd->n_classes, size = (gsize) crowd->n_annotators * n * n;
  double *known = g_new (double, size);
  for (gsize i = 0; i < size; i++)
    known[i] = n == 1 ? 1 : i / n % n == i % n ? 0.7 : 0.3 / (double) (n - 1);
  for (gint32 i = 0; i < crowd->n_items; i++)
    crowd->gold[i] = i % 3 == 0 ? crowd->gold[i] : -1;
  return known;
}

static void
compare (const Crowd *crowd, Fit fit, const SlMethodSettings *settings, Plain *plain, double bound)
{
  gsize n_classes = (gsize) crowd->n_classes,
        size = (gsize) crowd->n_annotators * n_classes * n_classes;
  Watch seen = { 0 };
  g_autofree double *confusion = g_new (double, size), *prior = g_new (double, n_classes);
  g_autofree double *reliability = g_new (double, (gsize) crowd->n_annotators);
  SlLearned learned = { .confusion = confusion,
                        .reliability = reliability,
                        .prior = prior,
                        .round = watch,
                        .data = &seen };
  g_autofree double *label = crowd_fit (crowd, fit, settings, &learned);
  plain_fit (plain, crowd, settings);
  assert_near ("label", label, plain->label, (gsize) crowd->n_items * n_classes, bound);
  assert_near ("confusion", confusion, plain->confusion, size, bound);
  assert_near ("prior", prior, plain->prior, n_classes, bound);
  if (!plain->means)
    assert_near ("objective", &seen.last, &plain->objective, 1,
                 1e-9 * (1 + fabs (plain->objective)));
  for (gsize a = 0; a < (gsize) crowd->n_annotators; a++)
    {
      double right = 0;
      for (gsize k = 0; k < n_classes; k++)
        right += prior[k] * confusion[(a * n_classes + k) * n_classes + k];
      assert_near ("reliability", &reliability[a], &right, 1, 1e-12);
    }
}

static void
test_plain (void **state)
{
  (void) state;
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (int knowing = 0; knowing < 3; knowing++)
      {
        g_auto (Crowd) crowd = crowd_new (shapes[s].n_items, shapes[s].n_classes,
                                          shapes[s].n_annotators, shapes[s].mean, shapes[s].flags);
        crowd_drop_repeats (&crowd);
        g_autofree double *known = know (&crowd);
        SlMethodSettings settings = defaults;
        settings.tolerance = 0;
        settings.iterations = 5;
        settings.fix_gold = knowing > 0;
        settings.confusion_prior = knowing > 1 ? known : NULL;
        settings.prior_weight = 2;
        settings.start = knowing > 1 ? known : NULL;
        g_auto (Plain) ibcc = { .variational = TRUE, .off = 1, .right = 3 };
        compare (&crowd, sl_fit_ibcc, &settings, &ibcc, 1e-9);
        g_auto (Plain) hierarchical = { .variational = TRUE, .crowd_prior = TRUE, .smoothing = 2 };
        compare (&crowd, sl_fit_hierarchical_dawid_skene, &settings, &hierarchical, 1e-9);
        g_auto (Plain) means
            = { .variational = TRUE, .crowd_prior = TRUE, .smoothing = 2, .means = TRUE };
        compare (&crowd, sl_fit_hierarchical_means, &settings, &means, 1e-9);
      }
}

/* A thousand classes: few at a time. */
static void
test_many_classes (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (500, 1000, 6, 12, SHUFFLED);
  crowd_drop_repeats (&crowd);
  SlMethodSettings settings = defaults;
  settings.tolerance = 0;
  settings.iterations = 1;
  g_auto (Plain) ibcc = { .variational = TRUE, .off = 1, .right = 3 };
  compare (&crowd, sl_fit_ibcc, &settings, &ibcc, 1e-9);
  settings.iterations = 2;
  g_auto (Plain) hierarchical = { .variational = TRUE, .crowd_prior = TRUE, .smoothing = 2 };
  compare (&crowd, sl_fit_hierarchical_dawid_skene, &settings, &hierarchical, 1e-9);
}

/* ---- one coin ---- */

static void
plain_one_coin (const Crowd *crowd, gint64 rounds, double smoothing, double *T, double *right)
{
  gsize K = (gsize) crowd->n_classes, I = (gsize) crowd->n_items, A = (gsize) crowd->n_annotators;
  g_autofree double *n = g_new (double, A), *prior = g_new (double, K);
  for (gint64 round = 0; round < rounds; round++)
    {
      for (gsize a = 0; a < A; a++)
        {
          right[a] = smoothing;
          n[a] = 2 * smoothing;
        }
      memset (prior, 0, K * sizeof *prior);
      for (gsize i = 0; i < I * K; i++)
        prior[i % K] += T[i] / (double) I;
      for (gint64 j = 0; j < crowd->n; j++)
        {
          double votes = crowd->count != NULL ? crowd->count[j] : 1;
          right[crowd->annotator[j]]
              += votes * T[(gsize) crowd->item[j] * K + (gsize) crowd->answer[j]];
          n[crowd->annotator[j]] += votes;
        }
      for (gsize a = 0; a < A; a++)
        right[a] = n[a] > 0 ? right[a] / n[a] : 1.0 / (double) K;
      for (gsize i = 0; i < I * K; i++)
        T[i] = log (prior[i % K]);
      for (gint64 j = 0; j < crowd->n; j++)
        for (gsize k = 0; k < K; k++)
          {
            double r = right[crowd->annotator[j]];
            T[(gsize) crowd->item[j] * K + k]
                += (crowd->count != NULL ? crowd->count[j] : 1)
                   * log (k == (gsize) crowd->answer[j] ? r : (1 - r) / (double) (K - 1));
          }
      for (gsize i = 0; i < I; i++)
        {
          double sum = 0, most = -INFINITY;
          for (gsize k = 0; k < K; k++)
            most = fmax (most, T[i * K + k]);
          for (gsize k = 0; k < K; k++)
            sum += T[i * K + k] = exp (T[i * K + k] - most);
          for (gsize k = 0; k < K; k++)
            T[i * K + k] /= sum;
        }
    }
}

static double *
shares (const Crowd *crowd)
{
  double *T = crowd_votes (crowd);
  gsize K = (gsize) crowd->n_classes;
  for (gsize i = 0; i < (gsize) crowd->n_items; i++)
    {
      double sum = 0;
      for (gsize k = 0; k < K; k++)
        sum += T[i * K + k];
      for (gsize k = 0; k < K; k++)
        T[i * K + k] /= sum;
    }
  return T;
}

static void
test_one_coin (void **state)
{
  (void) state;
  static const gint32 more[3] = { 500, 1000, 7 }; /* in blocks */
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      gboolean wide = shapes[s].n_classes == 1;
      g_auto (Crowd) crowd
          = wide ? crowd_new (more[0], more[1], more[2], 12, SHUFFLED)
                 : crowd_new (shapes[s].n_items, shapes[s].n_classes, shapes[s].n_annotators,
                              shapes[s].mean, shapes[s].flags);
      gsize K = (gsize) crowd.n_classes, A = (gsize) crowd.n_annotators;
      g_autofree double *T = shares (&crowd), *right = g_new (double, A);
      g_autofree double *confusion = g_new (double, A *K *K), *reliability = g_new (double, A);
      SlLearned learned = { .confusion = confusion,
                            .reliability = reliability,
                            .prior = NULL,
                            .round = NULL,
                            .data = NULL };
      SlMethodSettings settings = defaults;
      settings.tolerance = 0;
      settings.iterations = 4;
      g_autofree double *label = crowd_fit (&crowd, sl_fit_one_coin, &settings, &learned);
      plain_one_coin (&crowd, 4, 0.01, T, right);
      assert_near ("label", label, T, (gsize) crowd.n_items * K, 1e-10);
      assert_near ("reliability", reliability, right, A, 1e-10);
      for (gsize a = 0; a < A; a++)
        {
          double off = (1 - right[a]) / (double) (K - 1);
          assert_near ("right", &confusion[a * K * K], &right[a], 1, 1e-10);
          assert_near ("wrong", &confusion[a * K * K + 1], &off, 1, 1e-10);
        }
    }
}

/* ---- EBCC ---- */

#define G 10

/* The same shares of the subtypes that the method draws for its first start. */
static double *
draw_subtypes (const Crowd *crowd, const double *T)
{
  gsize K = (gsize) crowd->n_classes, I = (gsize) crowd->n_items;
  double *z = g_new (double, I *K *G);
  for (gsize i = 0; i < I; i++)
    {
      SlRandom random = sl_random (0, sl_random_purpose ("aggregate: subtypes"), i + 1, 0, 0);
      for (gsize k = 0; k < K; k++)
        {
          double sum = 0, *row = z + (i * K + k) * G;
          for (gsize g = 0; g < G; g++)
            sum += row[g] = -log (1 - sl_random_unit (&random));
          for (gsize g = 0; g < G; g++)
            row[g] *= T[i * K + k] / sum;
        }
    }
  return z;
}

static double
plain_ebcc (const Crowd *crowd, gint64 rounds, double *T)
{
  gsize K = (gsize) crowd->n_classes, I = (gsize) crowd->n_items, A = (gsize) crowd->n_annotators,
        S = K * G;
  g_autofree double *z = draw_subtypes (crowd, T), *alpha = g_new0 (double, K),
                    *total = g_new (double, K);
  g_autofree double *subtype = g_new (double, S), *c = g_new (double, A *S *K),
                    *w = g_new (double, A *S *K);
  g_autofree double *log_class = g_new (double, K), *log_subtype = g_new (double, S),
                    *share = g_new (double, S);
  double objective = 0, p[64], tenth[G];
  for (gsize g = 0; g < G; g++)
    tenth[g] = 0.1 / G;
  for (gsize i = 0; i < I * K; i++)
    alpha[i % K] += T[i];
  for (gint64 round = 0; round < rounds; round++)
    {
      memset (total, 0, K * sizeof *total);
      memset (subtype, 0, S * sizeof *subtype);
      memset (c, 0, A * S * K * sizeof *c);
      for (gsize i = 0; i < I * S; i++)
        {
          total[i % S / G] += z[i];
          subtype[i % S] += z[i];
        }
      for (gint64 j = 0; j < crowd->n; j++)
        for (gsize s = 0; s < S; s++)
          c[((gsize) crowd->annotator[j] * S + s) * K + (gsize) crowd->answer[j]]
              += z[(gsize) crowd->item[j] * S + s];
      objective = plain_row (TRUE, total, alpha, K, log_class, share);
      for (gsize k = 0; k < K; k++)
        objective += plain_row (TRUE, subtype + k * G, tenth, G, log_subtype + k * G, share);
      for (gsize row = 0; row < A * S; row++)
        {
          for (gsize x = 0; x < K; x++)
            p[x] = x == row % S / G ? 4 : 1;
          objective += plain_row (TRUE, c + row * K, p, K, w + row * K, share);
        }
      for (gsize i = 0; i < I * S; i++)
        z[i] = log_class[i % S / G] + log_subtype[i % S];
      for (gint64 j = 0; j < crowd->n; j++)
        for (gsize s = 0; s < S; s++)
          z[(gsize) crowd->item[j] * S + s]
              += w[((gsize) crowd->annotator[j] * S + s) * K + (gsize) crowd->answer[j]];
      for (gsize i = 0; i < I; i++)
        {
          double most = -INFINITY, sum = 0;
          for (gsize s = 0; s < S; s++)
            most = fmax (most, z[i * S + s]);
          for (gsize s = 0; s < S; s++)
            sum += z[i * S + s] = exp (z[i * S + s] - most);
          memset (T + i * K, 0, K * sizeof *T);
          for (gsize s = 0; s < S; s++)
            T[i * K + s / G] += z[i * S + s] /= sum;
          objective += most + log (sum);
        }
    }
  return objective;
}

/* After 6 rounds all subtypes are needed, after 40 most are not. */
static void
test_ebcc (void **state)
{
  (void) state;
  for (int n = 0; n < 6; n++)
    {
      gint32 n_classes = 2 + n / 2;
      gint64 rounds = n % 2 == 0 ? 6 : 40;
      g_auto (Crowd) crowd = crowd_new (150, n_classes, 10, n_classes == 3 ? 20 : 5, SHUFFLED);
      crowd_drop_repeats (&crowd);
      g_autofree double *T = shares (&crowd);
      Watch seen = { 0 };
      SlLearned learned = { .round = watch, .data = &seen };
      SlMethodSettings settings = defaults;
      settings.tolerance = 0;
      settings.iterations = rounds;
      settings.restarts = 1;
      g_autofree double *label = crowd_fit (&crowd, sl_fit_ebcc, &settings, &learned);
      double objective = plain_ebcc (&crowd, rounds, T);
      assert_near ("label", label, T, (gsize) (150 * n_classes), 1e-8);
      assert_near ("objective", &seen.last, &objective, 1, 1e-9 * fabs (objective));
    }
}

/* With one class no label changes, but for the last bit of a sum over subtypes, so that some starts
 * go on. */
static void
test_ebcc_one_class (void **state)
{
  (void) state;
  gint64 most = 0;
  for (guint64 seed = 0; seed < 60; seed++)
    {
      g_auto (Crowd) crowd = crowd_new (1 + (gint32) seed % 7, 1, 5, 3, 0);
      Watch seen = { 0 };
      SlLearned learned = { .round = watch, .data = &seen };
      SlMethodSettings settings = defaults;
      settings.tolerance = 0;
      settings.iterations = 60;
      settings.restarts = 1;
      settings.seed = seed;
      g_free (crowd_fit (&crowd, sl_fit_ebcc, &settings, &learned));
      assert_false (seen.fell);
      most = MAX (most, seen.rounds);
    }
  assert_true (most > 1);
}

/* Of several starts the best is kept, and another seed starts elsewhere. */
static void
test_restarts (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (300, 3, 15, 4, 0);
  SlMethodSettings settings = defaults;
  settings.iterations = 4;
  g_autofree double *own = crowd_fit (&crowd, sl_fit_ebcc, &settings, NULL);
  settings.restarts = 40; /* as many as so small a table has */
  g_autofree double *again = crowd_fit (&crowd, sl_fit_ebcc, &settings, NULL);
  assert_memory_equal (own, again, 900 * sizeof *own);
  settings.seed = 1;
  g_autofree double *other = crowd_fit (&crowd, sl_fit_ebcc, &settings, NULL);
  assert_memory_not_equal (own, other, 900 * sizeof *own);
}

/* What is learned of annotators comes from the start that is kept. */
static void
test_kept_start (void **state)
{
  (void) state;
  g_auto (Crowd) crowd = crowd_new (300, 3, 15, 4, 0);
  double label[2][900], confusion[2][135], reliability[2][15], prior[2][3];
  int same = 0;
  for (int n = 1; n <= 8; n++)
    {
      SlLearned learned = { .confusion = confusion[n % 2],
                            .reliability = reliability[n % 2],
                            .prior = prior[n % 2],
                            .round = NULL,
                            .data = NULL };
      SlMethodSettings settings = defaults;
      settings.iterations = 4;
      settings.restarts = n;
      g_autofree double *labels = crowd_fit (&crowd, sl_fit_ebcc, &settings, &learned);
      memcpy (label[n % 2], labels, sizeof label[0]);
      if (n == 1 || memcmp (label[0], label[1], sizeof label[0]) != 0)
        continue;
      same++;
      assert_memory_equal (confusion[0], confusion[1], sizeof confusion[0]);
      assert_memory_equal (reliability[0], reliability[1], sizeof reliability[0]);
      assert_memory_equal (prior[0], prior[1], sizeof prior[0]);
    }
  assert_true (same > 0);
}

/* An annotator who says the same of an item again says nothing new. */
static void
test_repeats (void **state)
{
  (void) state;
  Fit fits[] = { sl_fit_ibcc, sl_fit_ebcc };
  for (gsize f = 0; f < G_N_ELEMENTS (fits); f++)
    for (CrowdFlags flags = 0; flags <= SHUFFLED; flags++)
      {
        g_auto (Crowd) crowd = crowd_new (200, 3, 10, 6, flags);
        gint64 n = crowd.n;
        g_autofree double *label = crowd_fit (&crowd, fits[f], &defaults, NULL);
        crowd_drop_repeats (&crowd);
        assert_true (crowd.n < n);
        g_autofree double *expected = crowd_fit (&crowd, fits[f], &defaults, NULL);
        assert_memory_equal (label, expected, 600 * sizeof *label);
      }
}

/* ---- PTBCC ---- */

static void
plain_ptbcc (const Crowd *crowd, gint64 rounds, double *T)
{
  gsize K = (gsize) crowd->n_classes, I = (gsize) crowd->n_items, A = (gsize) crowd->n_annotators;
  gsize N = (gsize) crowd->n, S = K * K;
  g_autofree double *r = g_new (double, 2 * N), *phi = g_new (double, 2 * S),
                    *phi_prior = g_new0 (double, 2 * S);
  g_autofree double *mix = g_new (double, 2 * A), *mix_prior = g_new0 (double, 2 * A),
                    *L = g_new (double, 2 * S);
  g_autofree double *W = g_new (double, 2 * A), *alpha = g_new0 (double, K),
                    *total = g_new (double, K);
  g_autofree double *log_prior = g_new (double, K), *share = g_new (double, MAX (K, 2));
  for (gsize i = 0; i < I * K; i++)
    alpha[i % K] += T[i];
  for (gsize j = 0; j < N; j++)
    {
      gsize x = (gsize) crowd->answer[j];
      const double *t = T + (gsize) crowd->item[j] * K;
      for (gsize g = 0; g < 2; g++)
        {
          double right = g == 0 ? 5 : 1, wrong = g == 0 ? 1 : 1.35,
                 sum = right + wrong * (double) (K - 1), v = 0;
          for (gsize k = 0; k < K; k++)
            v += t[k] * (k == x ? right : wrong) / sum;
          r[2 * j + g] = v;
          mix_prior[2 * (gsize) crowd->annotator[j] + g] += 0.4 * v;
          for (gsize k = 0; k < K; k++)
            phi_prior[g * S + k * K + x] += 0.5 * v * t[k];
        }
      double sum = r[2 * j] + r[2 * j + 1];
      r[2 * j] /= sum;
      r[2 * j + 1] /= sum;
    }
  for (gsize i = 0; i < 2 * S; i++)
    phi_prior[i] = fmax (phi_prior[i], 1e-9);
  for (gsize i = 0; i < 2 * A; i++)
    mix_prior[i] = fmax (mix_prior[i], 1e-9);
  for (gsize k = 0; k < K; k++)
    alpha[k] = fmax (alpha[k], 1e-9);
  for (gint64 round = 0; round < rounds; round++)
    {
      memset (phi, 0, 2 * S * sizeof *phi);
      memset (mix, 0, 2 * A * sizeof *mix);
      memset (total, 0, K * sizeof *total);
      for (gsize i = 0; i < I * K; i++)
        total[i % K] += T[i];
      for (gsize j = 0; j < N; j++)
        for (gsize g = 0; g < 2; g++)
          {
            mix[2 * (gsize) crowd->annotator[j] + g] += r[2 * j + g];
            for (gsize k = 0; k < K; k++)
              phi[g * S + k * K + (gsize) crowd->answer[j]]
                  += r[2 * j + g] * T[(gsize) crowd->item[j] * K + k];
          }
      plain_row (TRUE, total, alpha, K, log_prior, share);
      for (gsize row = 0; row < 2 * K; row++)
        plain_row (TRUE, phi + row * K, phi_prior + row * K, K, L + row * K, share);
      for (gsize a = 0; a < A; a++)
        plain_row (TRUE, mix + 2 * a, mix_prior + 2 * a, 2, W + 2 * a, share);
      for (gsize j = 0; j < N; j++)
        {
          const double *t = T + (gsize) crowd->item[j] * K;
          double d[2];
          for (gsize g = 0; g < 2; g++)
            {
              d[g] = W[2 * (gsize) crowd->annotator[j] + g];
              for (gsize k = 0; k < K; k++)
                d[g] += t[k] * L[g * S + k * K + (gsize) crowd->answer[j]];
            }
          r[2 * j] = 1 / (1 + exp (d[1] - d[0]));
          r[2 * j + 1] = 1 / (1 + exp (d[0] - d[1]));
        }
      for (gsize i = 0; i < I * K; i++)
        T[i] = log_prior[i % K];
      for (gsize j = 0; j < N; j++)
        for (gsize k = 0; k < K; k++)
          T[(gsize) crowd->item[j] * K + k]
              += r[2 * j] * L[k * K + (gsize) crowd->answer[j]]
                 + r[2 * j + 1] * L[S + k * K + (gsize) crowd->answer[j]];
      for (gsize i = 0; i < I; i++)
        {
          double most = -INFINITY, sum = 0;
          for (gsize k = 0; k < K; k++)
            most = fmax (most, T[i * K + k]);
          for (gsize k = 0; k < K; k++)
            sum += T[i * K + k] = exp (T[i * K + k] - most);
          for (gsize k = 0; k < K; k++)
            T[i * K + k] /= sum;
        }
    }
}

static void
test_ptbcc (void **state)
{
  (void) state;
  for (gint32 n_classes = 2; n_classes < 14; n_classes += 3)
    {
      g_auto (Crowd) crowd = crowd_new (250, n_classes, 30, n_classes == 5 ? 20 : 5, SHUFFLED);
      g_autofree double *T = shares (&crowd);
      SlMethodSettings settings = defaults;
      settings.tolerance = 0;
      settings.iterations = 5;
      g_autofree double *label = crowd_fit (&crowd, sl_fit_ptbcc, &settings, NULL);
      plain_ptbcc (&crowd, 5, T);
      assert_near ("label", label, T, (gsize) (250 * n_classes), 1e-9);
    }
}

/* ---- all of them ---- */

static void
test_climb (void **state)
{
  (void) state;
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    for (gsize s = 0; methods[m].climbs && s < G_N_ELEMENTS (shapes); s++)
      for (int knowing = 0; knowing < 2; knowing++)
        {
          g_auto (Crowd) crowd
              = crowd_new (shapes[s].n_items, shapes[s].n_classes, shapes[s].n_annotators,
                           shapes[s].mean, shapes[s].flags);
          g_autofree double *known = know (&crowd);
          Watch seen = { 0 };
          SlLearned learned = { .round = watch, .data = &seen };
          SlMethodSettings settings = defaults;
          settings.tolerance = 0;
          settings.iterations = 40;
          settings.fix_gold = knowing;
          settings.start = knowing ? known : NULL;
          g_autofree double *label = crowd_fit (&crowd, methods[m].fit, &settings, &learned);
          if (seen.fell)
            fail_msg ("%s, shape %d: the objective falls", methods[m].name, (int) s);
          for (gint32 i = 0; knowing && i < crowd.n_items; i += 3)
            assert_true (label[i * crowd.n_classes + crowd.gold[i]] == 1);
        }
}

static void
test_threads (void **state)
{
  (void) state;
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    for (gint32 n_classes = 2; n_classes <= 6; n_classes += 2)
      {
        g_auto (Crowd) crowd = crowd_new (20000, n_classes, 40, 5, n_classes == 4 ? SHUFFLED : 0);
        gsize n = (gsize) n_classes, size = 40 * n * n;
        g_autofree double *confusion = g_new0 (double, 2 * size);
        SlMethodSettings settings = defaults;
        settings.iterations = 3;
        settings.restarts = 2;
        SlLearned learned = { .confusion = confusion };
        g_autofree double *one = crowd_fit (&crowd, methods[m].fit, &settings, &learned);
        settings.threads = 4;
        learned.confusion += size;
        g_autofree double *four = crowd_fit (&crowd, methods[m].fit, &settings, &learned);
        if (memcmp (one, four, 20000 * n * sizeof *one) != 0)
          fail_msg ("%s: labels depend on threads", methods[m].name);
        assert_memory_equal (confusion, confusion + size, size * sizeof *confusion);
      }
}

static void
check_all (const Crowd *crowd)
{
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    for (int smoothed = 0; smoothed < 2; smoothed++)
      {
        gsize n = (gsize) crowd->n_classes, size = (gsize) crowd->n_annotators * n * n;
        g_autofree double *confusion = g_new0 (double, MAX (size, 1)), *prior = g_new0 (double, n);
        g_autofree double *reliability = g_new0 (double, (gsize) MAX (crowd->n_annotators, 1));
        Watch seen = { 0 };
        SlLearned learned = { .confusion = confusion,
                              .reliability = reliability,
                              .prior = prior,
                              .round = watch,
                              .data = &seen };
        SlMethodSettings settings = defaults;
        settings.iterations = n > 100 ? 2 : 12;
        settings.restarts = 1;
        settings.smoothing = smoothed ? NAN : 0.001;
        settings.fix_gold = crowd->gold != NULL;
        g_autofree double *label = crowd_fit (crowd, methods[m].fit, &settings, &learned);
        if (!isfinite (seen.last))
          fail_msg ("%s: objective %g", methods[m].name, seen.last);
        for (gsize row = 0; row < size; row += n)
          {
            double sum = 0;
            for (gsize x = 0; x < n; x++)
              sum += confusion[row + x];
            if (!(fabs (sum - 1) < 1e-9))
              fail_msg ("%s: row %d of the confusion sums to %g", methods[m].name, (int) (row / n),
                        sum);
          }
        for (gint32 a = 0; a < crowd->n_annotators; a++)
          assert_true (reliability[a] >= 0 && reliability[a] <= 1 + 1e-12);
      }
}

static void
test_edges (void **state)
{
  (void) state;
  gint32 item[] = { 0, 0, 1, 3, 3, 3 }, annotator[] = { 0, 1, 0, 1, 1, 0 },
         answer[] = { 0, 1, 0, 2, 2, 2 };
  gint32 gold[] = { 1, 1, -1, 0, -1 };
  /* Items without answers, an annotator and a class without evidence, duplicates, answers at
   * odds with what is known. */
  check_all (&(Crowd){ 5, 4, 3, 6, item, annotator, answer, gold, NULL, NULL });
  check_all (&(Crowd){ 5, 4, 3, 6, item, annotator, answer, NULL, NULL, NULL });
  check_all (&(Crowd){ 0, 3, 2, 0, item, annotator, answer, NULL, NULL, NULL });
  check_all (&(Crowd){ 2, 3, 0, 0, item, annotator, answer, NULL, NULL, NULL });
  /* One answer in all. */
  check_all (&(Crowd){ 1, 3, 1, 1, item, annotator, answer, NULL, NULL, NULL });
  g_auto (Crowd) single = crowd_new (200, 3, 20, 1, SHUFFLED); /* one answer an item */
  check_all (&single);
  g_auto (Crowd) alone = crowd_new (200, 3, 1, 3, 0); /* one annotator */
  check_all (&alone);
  g_auto (Crowd) crowded = crowd_new (4, 3, 60, 10000, SHUFFLED); /* 10,000 answers an item */
  check_all (&crowded);
  for (gint64 j = 0; j < crowded.n; j++)
    crowded.answer[j] = (gint32) (j % 3);
  check_all (&crowded);
  g_auto (Crowd) many = crowd_new (40, 1000, 5, 3, 0);
  check_all (&many);
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_plain),          cmocka_unit_test (test_many_classes),
    cmocka_unit_test (test_one_coin),       cmocka_unit_test (test_ebcc),
    cmocka_unit_test (test_ebcc_one_class), cmocka_unit_test (test_kept_start),
    cmocka_unit_test (test_repeats),        cmocka_unit_test (test_restarts),
    cmocka_unit_test (test_ptbcc),          cmocka_unit_test (test_climb),
    cmocka_unit_test (test_threads),        cmocka_unit_test (test_edges),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
