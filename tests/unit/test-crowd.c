/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of `simulate crowd`. Seeds are fixed; bounds on what is drawn are four standard
 * errors. */
#include "stages/simulate/crowd/assignment.h"
#include "stages/simulate/crowd/crowd-mix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

/* A share of N that came COUNT times. */
static void
assert_share (gint64 count, gint64 n, double p)
{
  assert_near ((double) count / (double) n, p, 4 * sqrt (p * (1 - p) / (double) n));
}

/* ---- who answers ---- */

static void
test_permutation_is_one_to_one (void **state)
{
  (void) state;
  static guint8 seen[100003];
  for (guint64 n = 1; n <= sizeof seen; n = n < 70 ? n + 1 : n * 11 - 7)
    {
      SlRandom random = sl_random (1, 2, n, 0, 0);
      SlPermutation permutation;
      sl_permutation_init (&permutation, n, &random);
      memset (seen, 0, sizeof seen);
      for (guint64 i = 0; i < n; i++)
        {
          guint64 place = sl_permutation_at (&permutation, i);
          assert_true (place < n && !seen[place]);
          seen[place] = 1;
        }
    }
}

/* Every order of three, and every place of the last of 100. */
static void
test_permutation_is_fair (void **state)
{
  (void) state;
  enum
  {
    N = 60000
  };
  gint64 orders[9] = { 0 }, places[100] = { 0 };
  for (guint64 key = 0; key < N; key++)
    {
      SlRandom random = sl_random (1, 2, key, 0, 0);
      SlPermutation permutation;
      sl_permutation_init (&permutation, 3, &random);
      orders[3 * sl_permutation_at (&permutation, 0) + sl_permutation_at (&permutation, 1)]++;
      sl_permutation_init (&permutation, 100, &random);
      places[sl_permutation_at (&permutation, 99)]++;
    }
  for (int i = 0; i < 9; i++)
    if (i % 4 == 0)
      assert_int_equal (orders[i], 0);
    else
      assert_share (orders[i], N, 1.0 / 6);
  for (int i = 0; i < 100; i++)
    assert_share (places[i], N, 0.01);
}

static gboolean
are_different (const gint32 *who, gint32 n)
{
  for (gint32 i = 0; i < n; i++)
    for (gint32 j = 0; j < i; j++)
      if (who[i] == who[j])
        return FALSE;
  return TRUE;
}

static void
test_even_assignment (void **state)
{
  (void) state;
  static const gint32 sizes[][2] = { { 7, 3 }, { 12, 8 }, { 10, 2 }, { 5, 5 }, { 1, 1 } };
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_auto (SlAssignment) assignment;
      sl_assignment_init (&assignment, 1, sizes[s][0], sizes[s][1], 0);
      gint64 count[12] = { 0 };
      for (gint64 item = 0; item < 100; item++)
        {
          gint32 who[8];
          sl_assign_evenly (&assignment, item, who);
          assert_true (are_different (who, sizes[s][1]));
          for (gint32 j = 0; j < sizes[s][1]; j++)
            count[who[j]]++;
          gint64 least = G_MAXINT64, most = 0;
          for (gint32 a = 0; a < sizes[s][0]; a++)
            {
              least = MIN (least, count[a]);
              most = MAX (most, count[a]);
            }
          assert_true (most - least <= 1);
        }
    }
}

static void
test_drawn_assignment (void **state)
{
  (void) state;
  enum
  {
    N = 40000
  };
  /* Weights 1, 1/2, 1/3: the first is a with p_a, the second b with p_b / (1 - p_a). */
  static const double p[3] = { 6.0 / 11, 3.0 / 11, 2.0 / 11 };
  g_auto (SlAssignment) two, all;
  sl_assignment_init (&two, 1, 3, 2, 1);
  sl_assignment_init (&all, 1, 3, 3, 1);
  gint64 count[3][3] = { { 0 } };
  for (guint64 item = 0; item < N; item++)
    {
      gint32 who[2], more[3], taken[3];
      sl_assign (&two, item, who, taken);
      sl_assign (&all, item, more, taken);
      assert_true (are_different (more, 3));
      assert_memory_equal (who, more, sizeof who);
      count[who[0]][who[1]]++;
    }
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      if (a != b)
        assert_share (count[a][b], N, p[a] * p[b] / (1 - p[a]));
}

/* ---- matrices ---- */

static void
assert_matrix (SlCrowdType type, double p, const double *expected)
{
  static const gint32 group[4] = { 0, 1, 0, 0 };
  double theta[16];
  const SlCrowdPart part = { .type = type, .p = p };
  sl_crowd_matrix (&part, 4, group, NULL, theta);
  for (int i = 0; i < 16; i++)
    assert_near (theta[i], expected[i], 1e-15);
}

static void
test_matrices (void **state)
{
  (void) state;
  const double a = .7, b = .1, q = .25, n = 1.0 / 3;
  const double reliable[] = { a, b, b, b, b, a, b, b, b, b, a, b, b, b, b, a };
  const double hammer[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  const double spammer[] = { q, q, q, q, q, q, q, q, q, q, q, q, q, q, q, q };
  const double adversary[] = { 0, n, n, n, n, 0, n, n, n, n, 0, n, n, n, n, 0 };
  const double flipper[] = { .6, .4, 0, 0, 0, .6, .4, 0, 0, 0, .6, .4, .4, 0, 0, .6 };
  const double student[] = { .6, 0, .2, .2, 0, 1, 0, 0, .2, 0, .6, .2, .2, 0, .2, .6 };
  assert_matrix (SL_CROWD_RELIABLE, .7, reliable);
  assert_matrix (SL_CROWD_TEACHER, .7, reliable);
  assert_matrix (SL_CROWD_HAMMER, sl_crowd_types[SL_CROWD_HAMMER].p, hammer);
  assert_matrix (SL_CROWD_SPAMMER, 0, spammer);
  assert_matrix (SL_CROWD_ADVERSARY, 1, adversary);
  assert_matrix (SL_CROWD_PAIR_FLIPPER, .4, flipper);
  assert_matrix (SL_CROWD_STUDENT, .4, student);
}

/* A cell of Dirichlet rows has mean m and variance m (1 - m) / (s + 1). */
static void
test_drawn_matrices (void **state)
{
  (void) state;
  enum
  {
    N = 20000
  };
  const SlCrowdPart independent = { .type = SL_CROWD_INDEPENDENT, .p = .6, .s = 4 };
  const SlCrowdPart one_class = { .type = SL_CROWD_ONE_CLASS };
  double theta[9], sum[9] = { 0 }, squares = 0;
  gint64 favourite[3] = { 0 };
  for (guint64 a = 0; a < N; a++)
    {
      SlRandom random = sl_random (1, 2, 0, a, 0);
      sl_crowd_matrix (&independent, 3, NULL, &random, theta);
      for (int i = 0; i < 9; i++)
        sum[i] += theta[i];
      for (int k = 0; k < 9; k += 3)
        assert_near (theta[k] + theta[k + 1] + theta[k + 2], 1, 1e-12);
      squares += (theta[0] - .6) * (theta[0] - .6);
      sl_crowd_matrix (&one_class, 3, NULL, &random, theta);
      for (int l = 0; l < 3; l++)
        {
          assert_true (theta[l] == theta[l + 3] && theta[l] == theta[l + 6]);
          favourite[l] += theta[l] == 1;
        }
    }
  for (int i = 0; i < 9; i++)
    {
      double m = i % 4 == 0 ? .6 : .2;
      assert_near (sum[i] / N, m, 4 * sqrt (m * (1 - m) / 5 / N));
    }
  assert_near (squares / N, .6 * .4 / 5, 4 * .6 * .4 / 5 / sqrt (N)); /* kurtosis below 2 */
  for (int l = 0; l < 3; l++)
    assert_share (favourite[l], N, 1.0 / 3);
}

/* ---- ease ---- */

static void
ease (const double *theta, gint32 n, double ease, double *share)
{
  double log_theta[8];
  for (gint32 l = 0; l < n; l++)
    log_theta[l] = log (theta[l]);
  sl_crowd_ease_sums (log_theta, n, ease, share);
  double total = share[n - 1];
  for (gint32 l = n - 1; l >= 0; l--)
    share[l] = (share[l] - (l > 0 ? share[l - 1] : 0)) / total;
}

static void
test_ease_is_glad (void **state)
{
  (void) state;
  static const double eases[] = { 1e-3, .3, 1, 2.5, 20 };
  for (gsize i = 0; i < G_N_ELEMENTS (eases); i++)
    for (double p = .05; p < 1; p += .15)
      {
        double two[2] = { p, 1 - p }, share[4], b = eases[i];
        ease (two, 2, b, share);
        assert_near (share[0], 1 / (1 + exp (-b * log (p / (1 - p)))), 1e-14);
        double e = (1 - p) / 3, four[4] = { p, e, e, e };
        ease (four, 4, b, share);
        assert_near (share[0], 1 / (1 + 3 * exp (-b * log (p / e))), 1e-14);
        assert_near (share[1], share[3], 1e-14);
      }
}

static void
test_ease_at_the_edges (void **state)
{
  (void) state;
  static const double theta[4] = { .5, 0, .3, .2 }, even[4] = { .25, .25, .25, .25 };
  double share[4];
  ease (theta, 4, 1, share);
  for (int l = 0; l < 4; l++)
    assert_near (share[l], theta[l], 1e-15);
  ease (theta, 4, 1e-40, share);
  for (int l = 0; l < 4; l++)
    assert_near (share[l], l == 1 ? 0 : 1.0 / 3, 1e-15);
  ease (theta, 4, 1e40, share);
  assert_true (share[0] == 1);
  ease (even, 4, 1e40, share);
  for (int l = 0; l < 4; l++)
    assert_near (share[l], .25, 1e-15);
}

static void
test_ease_is_log_normal (void **state)
{
  (void) state;
  enum
  {
    N = 40000
  };
  double sum = 0, squares = 0;
  for (guint64 item = 0; item < N; item++)
    {
      SlRandom random = sl_random (1, 2, item, 0, 0);
      double z = log (sl_crowd_ease (1.5, &random)) / 1.5;
      sum += z;
      squares += z * z;
    }
  assert_near (sum / N, 0, 4 / sqrt (N));
  assert_near (squares / N, 1, 4 * sqrt (2.0 / N));
}

/* ---- from text ---- */

static void
test_mix (void **state)
{
  (void) state;
  g_autoptr (GArray) mix
      = sl_crowd_mix_parse ("reliable=.5:.9,hammer=.25,independent=0.25:.6:7", NULL);
  assert_non_null (mix);
  const SlCrowdPart *part = (const SlCrowdPart *) (gpointer) mix->data;
  assert_true (part[0].type == SL_CROWD_RELIABLE && part[0].share == .5 && part[0].p == .9);
  assert_true (part[1].type == SL_CROWD_HAMMER && part[1].p == 1);
  assert_true (part[2].type == SL_CROWD_INDEPENDENT && part[2].p == .6 && part[2].s == 7);
  gint64 counts[3];
  sl_crowd_mix_counts (mix, 7, counts); /* 3.5, 1.75, 1.75 */
  assert_true (counts[0] == 3 && counts[1] == 2 && counts[2] == 2);
  sl_crowd_mix_counts (mix, 1, counts);
  assert_true (counts[0] == 1 && counts[1] == 0 && counts[2] == 0);
  g_autoptr (GArray) tenths = sl_crowd_mix_parse ("hammer=.29,spammer=.71", NULL);
  sl_crowd_mix_counts (tenths, 100, counts);
  assert_true (counts[0] == 29 && counts[1] == 71);
}

static void
test_groups (void **state)
{
  (void) state;
  static char *const classes[]
      = { (char *) "a", (char *) "b", (char *) "c", (char *) "d", (char *) "e", NULL };
  gint32 g[5];
  assert_true (sl_crowd_groups_parse (NULL, classes, g, NULL));
  assert_true (g[0] == g[1] && g[1] != g[2] && g[2] == g[3] && g[3] == g[4]);
  assert_true (sl_crowd_groups_parse ("e|a,b|d", classes, g, NULL));
  assert_true (g[0] == g[4] && g[1] == g[3] && g[0] != g[1] && g[2] != g[0] && g[2] != g[1]);
}

static void
test_shares (void **state)
{
  (void) state;
  double share[3];
  sl_crowd_long_tail (4, 3, share); /* 4 : 2 : 1 */
  for (int k = 0; k < 3; k++)
    assert_near (share[k], (4 >> k) / 7.0, 1e-15);
  sl_crowd_long_tail (1, 3, share);
  assert_near (share[2], 1.0 / 3, 1e-15);
  assert_true (sl_crowd_priors_parse (".2,.3,.5", 3, share, NULL));
  assert_true (share[0] == .2 && share[1] == .3 && share[2] == .5);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_permutation_is_one_to_one),
    cmocka_unit_test (test_permutation_is_fair),
    cmocka_unit_test (test_even_assignment),
    cmocka_unit_test (test_drawn_assignment),
    cmocka_unit_test (test_matrices),
    cmocka_unit_test (test_drawn_matrices),
    cmocka_unit_test (test_ease_is_glad),
    cmocka_unit_test (test_ease_at_the_edges),
    cmocka_unit_test (test_ease_is_log_normal),
    cmocka_unit_test (test_mix),
    cmocka_unit_test (test_groups),
    cmocka_unit_test (test_shares),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
