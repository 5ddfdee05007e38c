/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum
{
  N = 50
};

typedef struct
{
  int done[N];
  gint running, most; /* at once */
} Work;

static void
task (int i, gpointer data)
{
  Work *work = data;
  gint running = g_atomic_int_add (&work->running, 1) + 1;
  for (gint most = g_atomic_int_get (&work->most); running > most;
       most = g_atomic_int_get (&work->most))
    (void) g_atomic_int_compare_and_exchange (&work->most, most, running);
  g_usleep (500);
  work->done[i]++;
  g_atomic_int_add (&work->running, -1);
}

/* Every task is done once, and has been when the call returns; no more threads than asked for
 * are at it. */
static void
test_tasks (void **state)
{
  (void) state;
  for (int threads = 1; threads <= 7; threads += 2)
    for (int n = 0; n <= N; n += 25)
      {
        Work work = { .running = 0 };
        sl_parallel (threads, n, task, &work);
        assert_int_equal (work.running, 0);
        for (int i = 0; i < N; i++)
          assert_int_equal (work.done[i], i < n);
        assert_in_range (work.most, MIN (n, 1), threads);
      }
}

/* Waits for the other, ten seconds at most. */
static void
meet (int i, gpointer data)
{
  (void) i;
  gint *present = data;
  g_atomic_int_inc (present);
  for (int turn = 0; turn < 10000 && g_atomic_int_get (present) < 2; turn++)
    g_usleep (1000);
  if (g_atomic_int_get (present) == 2)
    g_atomic_int_add (present + 1, 1);
}

static void
test_side_by_side (void **state)
{
  (void) state;
  gint present[2] = { 0, 0 };
  sl_parallel (2, 2, meet, present);
  assert_int_equal (present[1], 2);
}

static void
outer (int i, gpointer data)
{
  (void) i;
  Work work = { .running = 0 };
  sl_parallel (3, 5, task, &work);
  g_atomic_int_add ((gint *) data, work.done[4]);
}

static void
test_nested (void **state)
{
  (void) state;
  gint done = 0;
  sl_parallel (3, 20, outer, &done);
  assert_int_equal (done, 20);
}

int
main (void)
{
  const struct CMUnitTest tests[]
      = { cmocka_unit_test (test_tasks), cmocka_unit_test (test_side_by_side),
          cmocka_unit_test (test_nested) };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
