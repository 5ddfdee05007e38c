/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parallel.h"

typedef struct
{
  gint ref_count;
  gint next; /* the first task that nobody has taken */
  gint n, n_done;
  void (*task) (int i, gpointer data);
  gpointer data;
  GMutex mutex;
  GCond all_done;
} Job;

static void
job_unref (Job *job)
{
  if (!g_atomic_int_dec_and_test (&job->ref_count))
    return;
  g_mutex_clear (&job->mutex);
  g_cond_clear (&job->all_done);
  g_free (job);
}

/* Does tasks until none is left. */
static void
work (Job *job)
{
  for (;;)
    {
      gint i = g_atomic_int_add (&job->next, 1);
      if (i >= job->n)
        return;
      job->task (i, job->data);
      if (g_atomic_int_add (&job->n_done, 1) + 1 < job->n)
        continue;
      g_mutex_lock (&job->mutex);
      g_cond_signal (&job->all_done);
      g_mutex_unlock (&job->mutex);
    }
}

static void
help (gpointer job, gpointer unused)
{
  work (job);
  job_unref (job);
}

static gpointer
new_pool (gpointer unused)
{
  return g_thread_pool_new (help, NULL, -1, FALSE, NULL);
}

void
sl_parallel (int threads, int n, void (*task) (int i, gpointer data), gpointer data)
{
  static GOnce pool = G_ONCE_INIT;
  int n_helpers = MIN (threads, n) - 1;
  if (n_helpers < 1)
    {
      for (int i = 0; i < n; i++)
        task (i, data);
      return;
    }
  g_once (&pool, new_pool, NULL);
  Job *job = g_new0 (Job, 1);
  job->ref_count = n_helpers + 1;
  job->n = n;
  job->task = task;
  job->data = data;
  g_mutex_init (&job->mutex);
  g_cond_init (&job->all_done);
  /* A helper that cannot be started, or that comes late, leaves its share to the others. */
  for (int i = 0; i < n_helpers; i++)
    if (!g_thread_pool_push (pool.retval, job, NULL))
      g_debug ("no further thread can be started");
  work (job);
  g_mutex_lock (&job->mutex);
  while (g_atomic_int_get (&job->n_done) < n)
    g_cond_wait (&job->all_done, &job->mutex);
  g_mutex_unlock (&job->mutex);
  job_unref (job);
}
