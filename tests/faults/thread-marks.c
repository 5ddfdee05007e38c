/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded under ThreadSanitizer: tells it what GLib's mutexes, queues and pools put in
 * order. GLib itself is built without the sanitizer, which would see none of it and call every use
 * of them a race. */
#include <dlfcn.h>
#include <gio/gio.h>

#define NEXT(name) ((__typeof__ (name) *) dlsym (RTLD_NEXT, #name))

extern void __tsan_acquire (void *at);
extern void __tsan_release (void *at);
#pragma weak __tsan_acquire
#pragma weak __tsan_release

static void
acquire (gpointer at)
{
  if (__tsan_acquire != NULL)
    __tsan_acquire (at);
}

static void
release (gpointer at)
{
  if (__tsan_release != NULL)
    __tsan_release (at);
}

#undef g_mutex_lock
void
g_mutex_lock (GMutex *mutex)
{
  NEXT (g_mutex_lock) (mutex);
  acquire (mutex);
}

void
g_mutex_unlock (GMutex *mutex)
{
  release (mutex);
  NEXT (g_mutex_unlock) (mutex);
}

void
g_cond_wait (GCond *condition, GMutex *mutex)
{
  release (mutex);
  NEXT (g_cond_wait) (condition, mutex);
  acquire (mutex);
}

void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  release (queue);
  NEXT (g_async_queue_push) (queue, data);
}

gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  gpointer data = NEXT (g_async_queue_pop) (queue);
  acquire (queue);
  return data;
}

gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  gpointer data = NEXT (g_async_queue_try_pop) (queue);
  acquire (queue);
  return data;
}

gpointer
g_once_impl (GOnce *once, GThreadFunc function, gpointer data)
{
  gpointer result = NEXT (g_once_impl) (once, function, data);
  release (once);
  acquire (once);
  return result;
}

/* A pool's function is called by threads that take what was pushed. The program has one pool
 * (pipeline/base/parallel.c); another would need a function of its own here. */
static GFunc pooled;

static void
call_pooled (gpointer task, gpointer data)
{
  acquire (&pooled);
  pooled (task, data);
}

GThreadPool *
g_thread_pool_new (GFunc function, gpointer data, gint most, gboolean own, GError **error)
{
  pooled = function;
  return NEXT (g_thread_pool_new) (call_pooled, data, most, own, error);
}

gboolean
g_thread_pool_push (GThreadPool *pool, gpointer task, GError **error)
{
  release (&pooled);
  return NEXT (g_thread_pool_push) (pool, task, error);
}
