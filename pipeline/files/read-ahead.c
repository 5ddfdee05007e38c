/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "read-ahead.h"

/* Items made and not yet taken: one to take while the next is being made, and one to even out. */
#define DEPTH 2

struct _SlAhead
{
  SlReadAheadMake make;
  gpointer source;
  GDestroyNotify free_item;
  GThread *thread;
  GMutex mutex;
  GCond changed;
  GQueue made;
  GError *error;
  gboolean ended, stopped;
};

static gboolean
has_room (SlReadAhead *ahead)
{
  g_mutex_lock (&ahead->mutex);
  while (ahead->made.length >= DEPTH && !ahead->stopped)
    g_cond_wait (&ahead->changed, &ahead->mutex);
  gboolean goes_on = !ahead->stopped;
  g_mutex_unlock (&ahead->mutex);
  return goes_on;
}

static gpointer
work (gpointer data)
{
  SlReadAhead *ahead = data;
  gboolean goes_on = TRUE;
  while (goes_on && has_room (ahead))
    {
      gpointer item = NULL;
      GError *error = NULL;
      goes_on = ahead->make (ahead->source, &item, &error) && item != NULL;
      g_mutex_lock (&ahead->mutex);
      if (item != NULL)
        g_queue_push_tail (&ahead->made, item);
      ahead->error = error;
      ahead->ended = !goes_on;
      g_cond_broadcast (&ahead->changed);
      g_mutex_unlock (&ahead->mutex);
    }
  return NULL;
}

SlReadAhead *
sl_read_ahead_new (SlReadAheadMake make, gpointer source, GDestroyNotify free_item)
{
  SlReadAhead *ahead = g_new0 (SlReadAhead, 1);
  ahead->make = make;
  ahead->source = source;
  ahead->free_item = free_item;
  g_mutex_init (&ahead->mutex);
  g_cond_init (&ahead->changed);
  g_queue_init (&ahead->made);
  ahead->thread = g_thread_try_new ("read ahead", work, ahead, NULL);
  if (ahead->thread == NULL)
    g_clear_pointer (&ahead, sl_read_ahead_free);
  return ahead;
}

void
sl_read_ahead_free (SlReadAhead *ahead)
{
  if (ahead == NULL)
    return;
  g_mutex_lock (&ahead->mutex);
  ahead->stopped = TRUE;
  g_cond_broadcast (&ahead->changed);
  g_mutex_unlock (&ahead->mutex);
  if (ahead->thread != NULL)
    (void) g_thread_join (ahead->thread);
  g_queue_clear_full (&ahead->made, ahead->free_item);
  g_clear_error (&ahead->error);
  g_cond_clear (&ahead->changed);
  g_mutex_clear (&ahead->mutex);
  g_free (ahead);
}

gboolean
sl_read_ahead_next (SlReadAhead *ahead, gpointer *item, GError **error)
{
  g_mutex_lock (&ahead->mutex);
  while (ahead->made.length == 0 && !ahead->ended)
    g_cond_wait (&ahead->changed, &ahead->mutex);
  *item = g_queue_pop_head (&ahead->made);
  gboolean good = *item != NULL || ahead->error == NULL;
  if (!good)
    g_propagate_error (error, g_error_copy (ahead->error));
  g_cond_broadcast (&ahead->changed);
  g_mutex_unlock (&ahead->mutex);
  return good;
}
