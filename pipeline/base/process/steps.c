/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signals.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_bool ending;
static atomic_int n_inside; /* threads */
static _Thread_local volatile gboolean inside_here;

void
sl_step_begin (void)
{
  /* A signal between these two waits for this step as for another thread's. */
  (void) atomic_fetch_add (&n_inside, 1);
  inside_here = TRUE;
  if (atomic_load (&ending))
    sl_step_end ();
}

void
sl_step_end (void)
{
  inside_here = FALSE;
  (void) atomic_fetch_sub (&n_inside, 1);
  while (atomic_load (&ending))
    (void) pause ();
}

void
sl_step_leave (void)
{
  if (inside_here)
    sl_step_end ();
}

gboolean
sl_steps_stop (int milliseconds)
{
  static const struct timespec moment = { .tv_nsec = 1000000 };
  int here = inside_here ? 1 : 0;
  atomic_store (&ending, TRUE);
  for (int i = 0; atomic_load (&n_inside) > here; i++)
    {
      if (milliseconds >= 0 && i >= milliseconds)
        return FALSE;
      (void) nanosleep (&moment, NULL);
    }
  return TRUE;
}
