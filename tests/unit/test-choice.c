/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which items `select` chooses: quotas by hand, and what holds of any choice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/select/choice.h"

#include <math.h>
#include <string.h>

static void
shares (void **state)
{
  (void) state;
  static const struct
  {
    gint64 count[4], wanted, quota[4];
  } cases[] = {
    { { 10, 10, 10, 10 }, 4, { 1, 1, 1, 1 } },
    { { 10, 10, 10, 10 }, 6, { 2, 2, 1, 1 } }, /* equal remainders: who comes first */
    { { 1, 2, 3, 4 }, 5, { 1, 1, 1, 2 } },     /* .5, 1, 1.5, 2: of equal remainders the first */
    { { 53, 24, 23, 0 }, 10, { 5, 3, 2, 0 } }, /* 5.3, 2.4, 2.3: the largest remainder */
    { { 7, 0, 3, 0 }, 10, { 7, 0, 3, 0 } },
    { { 5, 5, 0, 0 }, 0, { 0, 0, 0, 0 } },
    { { 0, 0, 0, 0 }, 0, { 0, 0, 0, 0 } },
    /* Products of 62 bits. */
    { { 1ll << 30, 1ll << 30, 0, 0 }, (1ll << 31) - 1, { 1ll << 30, (1ll << 30) - 1, 0, 0 } },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 quota[4];
      sl_choice_share_out (cases[i].count, 4, cases[i].wanted, quota);
      for (int s = 0; s < 4; s++)
        assert_int_equal (quota[s], cases[i].quota[s]);
    }
}

static void
keys (void **state)
{
  (void) state;
  enum
  {
    N = 20000
  };
  g_autoptr (GString) data = g_string_new (NULL);
  g_autofree gint32 *offset = g_new (gint32, N + 1);
  g_autofree guint64 *one = g_new (guint64, N), *many = g_new (guint64, N);
  double sum = 0;
  for (int i = 0; i < N; i++)
    {
      offset[i] = (gint32) data->len;
      g_string_append_printf (data, "item %d", i / 2); /* each twice, one behind the other */
    }
  offset[N] = (gint32) data->len;
  sl_choice_keys (7, (SlText){ offset, data->str }, N, 1, one);
  sl_choice_keys (7, (SlText){ offset, data->str }, N, 3, many);
  assert_memory_equal (one, many, N * sizeof *one);
  for (int i = 0; i < N; i += 2)
    {
      assert_true (one[i] == one[i + 1]);
      assert_true (
          one[i] == sl_choice_key (7, data->str + offset[i], (gsize) (offset[i + 1] - offset[i])));
      sum += (double) one[i] * 0x1p-64;
    }
  /* The mean of n uniform numbers has σ = sqrt (1 / 12 n). */
  assert_true (fabs (sum / (N / 2) - 0.5) < 4 * sqrt (1.0 / 12 / (N / 2)));
  assert_true (sl_choice_key (8, "item 0", 6) != one[0]);
}

/* N items numbered in the order of a permutation, in three strata by their names. */
static SlIntern *
items_in_order (gint64 n, gint64 step, SlRanked *ranked)
{
  SlIntern *items = sl_intern_new ();
  for (gint64 i = 0; i < n; i++)
    {
      gint64 which = i * step % n;
      g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, which);
      gint32 id = sl_intern (items, name, strlen (name));
      ranked[i] = (SlRanked){ sl_choice_key (1, name, strlen (name)), id, (gint32) (which % 3) };
    }
  g_autofree SlRanked *room = g_new (SlRanked, n);
  sl_choice_order (ranked, n, items, room);
  return items;
}

static gboolean
has (const SlIntern *items, const guint8 *chosen, gint64 which)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, which);
  return chosen[sl_intern_find (items, name, strlen (name))];
}

static void
any_order (void **state)
{
  (void) state;
  enum
  {
    N = 1000
  };
  SlRanked a[N], b[N];
  g_autoptr (SlIntern) x = items_in_order (N, 1, a), y = items_in_order (N, 333, b);
  const gint64 quota[] = { 10, 20, 30 };
  guint8 of_x[N] = { 0 }, of_y[N] = { 0 };
  gint64 count[3] = { 0 };
  sl_choice_take (a, N, quota, of_x);
  sl_choice_take (b, N, quota, of_y);
  for (gint64 i = 0; i < N; i++)
    {
      assert_int_equal (has (x, of_x, i), has (y, of_y, i));
      count[i % 3] += has (x, of_x, i);
    }
  assert_memory_equal (count, quota, sizeof quota);
}

static void
folds (void **state)
{
  (void) state;
  enum
  {
    N = 1000,
    K = 7
  };
  SlRanked ranked[N];
  g_autoptr (SlIntern) items = items_in_order (N, 1, ranked);
  int times[N] = { 0 };
  for (int fold = 0; fold < K; fold++)
    {
      guint8 chosen[N] = { 0 };
      int n = 0, of_stratum[3] = { 0 };
      sl_choice_deal (ranked, N, K, fold, chosen);
      for (gint64 i = 0; i < N; i++)
        {
          gboolean here = has (items, chosen, i);
          n += here;
          times[i] += here;
          of_stratum[i % 3] += here;
        }
      assert_in_range (n, N / K, N / K + 1);
      for (int s = 0; s < 3; s++)
        assert_in_range (of_stratum[s], 333 / K, 334 / K + 1);
    }
  for (int i = 0; i < N; i++)
    assert_int_equal (times[i], 1);
}

/* Against the order as it is defined, by comparisons; keys that crowd in one bin, and strata. */
static void
order (void **state)
{
  (void) state;
  enum
  {
    N = 3000
  };
  static SlRanked ranked[N], room[N];
  g_autoptr (SlIntern) items = sl_intern_new ();
  for (int i = 0; i < N; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d", i);
      guint64 key = sl_choice_key (2, name, strlen (name));
      ranked[i] = (SlRanked){ i % 2 == 0 ? key : key >> 24, sl_intern (items, name, strlen (name)),
                              (gint32) (key % 7) };
    }
  sl_choice_order (ranked, N, items, room);
  for (int i = 1; i < N; i++)
    assert_true (
        ranked[i - 1].stratum < ranked[i].stratum
        || (ranked[i - 1].stratum == ranked[i].stratum && ranked[i - 1].key < ranked[i].key));
}

static void
equal_keys (void **state)
{
  (void) state;
  g_autoptr (SlIntern) items = sl_intern_new ();
  static const char *const names[] = { "b", "ba", "a", "" };
  SlRanked ranked[4], room[4];
  for (int i = 0; i < 4; i++)
    ranked[i] = (SlRanked){ 5, sl_intern (items, names[i], strlen (names[i])), 0 };
  sl_choice_order (ranked, 4, items, room);
  static const gint32 order[] = { 3, 2, 0, 1 };
  for (int i = 0; i < 4; i++)
    assert_int_equal (ranked[i].item, order[i]);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (shares), cmocka_unit_test (keys),       cmocka_unit_test (any_order),
    cmocka_unit_test (folds),  cmocka_unit_test (equal_keys), cmocka_unit_test (order),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
