/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/files/read-ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Makes 1, 2, ... N, then ends or, where it FAILS, fails. */
typedef struct
{
  int n;
  gboolean fails;
  gint made, calls, at_once, freed;
  gint wait; /* calls after the first do not return before it is 0 */
} Source;

static Source *counted; /* whose items free_item() gets */

static void
free_item (gpointer item)
{
  g_assert_nonnull (item);
  g_atomic_int_inc (&counted->freed);
}

static gboolean
make (gpointer data, gpointer *item, GError **error)
{
  Source *source = data;
  g_assert_cmpint (g_atomic_int_add (&source->at_once, 1), ==, 0);
  int call = g_atomic_int_add (&source->calls, 1);
  while (call > 0 && g_atomic_int_get (&source->wait))
    g_usleep (100);
  gboolean more = source->made < source->n;
  if (more)
    *item = GINT_TO_POINTER (g_atomic_int_add (&source->made, 1) + 1);
  else if (source->fails)
    g_set_error (error, g_quark_from_static_string ("test"), 7, "after %d", source->n);
  g_atomic_int_add (&source->at_once, -1);
  return more || !source->fails;
}

/* Every item, in order, then the end, or the failure, again and again. */
static void
test_in_order (void **state)
{
  (void) state;
  for (int n = 0; n <= 200; n = 2 * n + 1)
    for (int fails = 0; fails < 2; fails++)
      {
        Source source = { .n = n, .fails = fails };
        counted = &source;
        g_autoptr (SlReadAhead) ahead = sl_read_ahead_new (make, &source, free_item);
        g_autoptr (GError) error = NULL;
        gpointer item;
        for (int i = 1; i <= n; i++)
          {
            assert_true (sl_read_ahead_next (ahead, &item, &error));
            assert_int_equal (GPOINTER_TO_INT (item), i);
          }
        for (int again = 0; again < 3; again++)
          {
            item = &source;
            assert_int_equal (sl_read_ahead_next (ahead, &item, &error), !fails);
            assert_null (item);
            assert_int_equal (error != NULL, fails);
            if (fails)
              assert_int_equal (error->code, 7);
            g_clear_error (&error);
          }
        g_clear_pointer (&ahead, sl_read_ahead_free);
        assert_int_equal (source.calls, n + 1); /* not called again after the end */
        assert_int_equal (source.freed, 0);     /* what was taken is the taker's */
      }
}

/* No further ahead than a few items, whoever is slow. */
static void
test_not_too_far (void **state)
{
  (void) state;
  Source source = { .n = 1000 };
  counted = &source;
  g_autoptr (SlReadAhead) ahead = sl_read_ahead_new (make, &source, free_item);
  for (int taken = 1; taken <= 20; taken++)
    {
      gpointer item;
      g_usleep (2000);
      assert_true (sl_read_ahead_next (ahead, &item, NULL));
      assert_in_range (g_atomic_int_get (&source.made), taken, taken + 2);
    }
}

/* Freed with none, some or all taken, before and after the end: what was not taken is freed. */
static void
test_free_early (void **state)
{
  (void) state;
  for (int n = 0; n <= 5; n++)
    for (int taken = 0; taken <= n; taken++)
      for (int pause = 0; pause < 2; pause++)
        {
          Source source = { .n = n, .fails = n % 2 };
          counted = &source;
          SlReadAhead *ahead = sl_read_ahead_new (make, &source, free_item);
          for (int i = 0; i < taken; i++)
            {
              gpointer item;
              assert_true (sl_read_ahead_next (ahead, &item, NULL));
            }
          if (pause)
            g_usleep (1000);
          sl_read_ahead_free (ahead);
          assert_int_equal (source.freed, source.made - taken);
          assert_int_equal (source.at_once, 0);
        }
}

static gpointer
let_go (gpointer data)
{
  Source *source = data;
  g_usleep (20000);
  g_atomic_int_set (&source->wait, 0);
  return NULL;
}

/* Freed while an item is being made: waits for it, and frees it. */
static void
test_free_while_making (void **state)
{
  (void) state;
  Source source = { .n = 1000, .wait = 1 };
  counted = &source;
  SlReadAhead *ahead = sl_read_ahead_new (make, &source, free_item);
  gpointer item;
  assert_true (sl_read_ahead_next (ahead, &item, NULL));
  while (g_atomic_int_get (&source.calls) < 2)
    g_usleep (100);
  GThread *thread = g_thread_new ("let go", let_go, &source);
  sl_read_ahead_free (ahead);
  assert_int_equal (g_atomic_int_get (&source.wait), 0);
  assert_int_equal (source.at_once, 0);
  assert_int_equal (source.freed, source.made - 1);
  (void) g_thread_join (thread);
}

static void
test_free_none (void **state)
{
  (void) state;
  sl_read_ahead_free (NULL);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_in_order),   cmocka_unit_test (test_not_too_far),
    cmocka_unit_test (test_free_early), cmocka_unit_test (test_free_while_making),
    cmocka_unit_test (test_free_none),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
