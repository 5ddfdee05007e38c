/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shortage.h"

#include "signals.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes of a thread's stack where address space is short. */
#define SMALL_STACK (1 << 20)

/* The largest block that malloc() keeps when it is given back; mallopt() takes no larger one. */
#define KEPT_BLOCK (32 << 20)

static const char *named = "";
static _Thread_local gboolean maps_needed;
static atomic_int forgiven = -1; /* the status to end with */

void
sl_shortage_name (const char *verb)
{
  named = verb;
}

/* TEXT's first line, without what could steer a terminal. */
static gsize
append (char *line, gsize at, gsize room, const char *text)
{
  while (at < room && *text != '\0' && *text != '\n')
    {
      line[at++] = (guchar) *text < ' ' || *text == 127 ? '?' : *text;
      text++;
    }
  return at;
}

void
sl_shortage_forgive (int status)
{
  atomic_store (&forgiven, status);
}

/* Nothing here allocates. */
void
sl_shortage_end (const char *what)
{
  static atomic_flag told = ATOMIC_FLAG_INIT;
  char line[1024];
  gsize n = 0, room = sizeof line - 1;
  while (atomic_flag_test_and_set (&told))
    {
      /* Another thread is ending the program, and may wait for this one. */
      sl_step_leave ();
      (void) pause ();
    }
  if (atomic_load (&forgiven) >= 0)
    {
      sl_temporaries_remove ();
      _exit (atomic_load (&forgiven));
    }
  if (isatty (STDERR_FILENO))
    {
      memcpy (line, "\r\033[K", 4); /* there may be a line of progress */
      n = 4;
    }
  n = append (line, n, room, "softlabel");
  n = append (line, n, room, *named != '\0' ? " " : "");
  n = append (line, n, room, named);
  n = append (line, n, room, ": ");
  n = append (line, n, room, what);
  line[n++] = '\n';
  (void) sl_steps_stop (-1);
  sl_temporaries_remove ();
  (void) !write (STDERR_FILENO, line, n);
  sl_open_streams_spoil (-1);
  _exit (1);
}

/* GLib ends the program by these: too many elements for an array, a thread or a descriptor that
 * cannot be had. */
static void
on_log (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (level & G_LOG_LEVEL_ERROR)
    sl_shortage_end (message);
  g_log_default_handler (domain, level, message, data);
}

/* Where address space is limited, what reserves it gets less: arenas of malloc() take 64 MiB each,
 * stacks of threads 8 MiB. */
static void
save_address_space (void)
{
#ifdef __GLIBC__
  pthread_attr_t attributes;
  (void) mallopt (M_ARENA_MAX, 1);
  if (pthread_attr_init (&attributes) != 0)
    return;
  if (pthread_attr_setstacksize (&attributes, SMALL_STACK) == 0)
    (void) pthread_setattr_default_np (&attributes);
  (void) pthread_attr_destroy (&attributes);
#endif
}

/* Each batch asks for the megabytes that the one before it gave back. The system would clear every
 * page of them anew. */
static void
keep_blocks (void)
{
#ifdef __GLIBC__
  (void) mallopt (M_MMAP_THRESHOLD, KEPT_BLOCK);
  (void) mallopt (M_TRIM_THRESHOLD, 2 * KEPT_BLOCK);
  (void) mallopt (M_TOP_PAD, KEPT_BLOCK / 8);
#endif
}

static gboolean
address_space_is_limited (void)
{
  struct rlimit limit;
  return getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void
sl_shortage_need_maps (gboolean needed)
{
  maps_needed = needed;
}

void
sl_shortage_init (void)
{
  (void) g_setenv ("ARROW_DEFAULT_MEMORY_POOL", "system", FALSE);
  (void) g_log_set_default_handler (on_log, NULL);
  if (address_space_is_limited ())
    save_address_space ();
  else
    keep_blocks ();
}

/* Arrow has a jemalloc in it, which nothing here uses. As it is loaded it asks for its settings
 * this way, and would start a thread. */
char *
secure_getenv (const char *name)
{
  static char no_thread[] = "background_thread:false";
  char *value = getauxval (AT_SECURE) != 0 ? NULL : getenv (name);
  return value == NULL && strcmp (name, "JE_ARROW_MALLOC_CONF") == 0 ? no_thread : value;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* malloc() and its kin, for the whole process: glibc's own, but for what happens when they fail. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static void *
need (void *memory)
{
  if (G_UNLIKELY (memory == NULL))
    sl_shortage_end ("not enough memory");
  return memory;
}

void *
malloc (size_t size)
{
  return need (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return need (__libc_calloc (n, size));
}

void *
realloc (void *memory, size_t size)
{
  void *more = __libc_realloc (memory, size);
  return size == 0 ? more : need (more);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return need (__libc_memalign (alignment, size));
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  if (alignment % sizeof (void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  *memory = need (__libc_memalign (alignment, size));
  return 0;
}

#ifdef __LP64__
/* mmap() as glibc's, but for what happens when it fails; the headers call it mmap64(). */
void *map_or_end (void *at, size_t length, int protection, int flags, int fd,
                  off_t offset) __asm__("mmap");

void *
map_or_end (void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
  void *map = (void *) syscall (SYS_mmap, at, length, protection, flags, fd, offset);
  if (G_UNLIKELY (map == MAP_FAILED) && maps_needed)
    sl_shortage_end ("not enough memory");
  return map;
}
#endif

int
sl_shortage_leave (int status)
{
  (void) fflush (NULL);
  _exit (status);
}

gpointer
sl_memory_try0 (gsize n, gsize size)
{
  return __libc_calloc (MAX (n, 1), MAX (size, 1));
}

gpointer
sl_memory_try_aligned (gsize alignment, gsize bytes)
{
  return __libc_memalign (alignment, bytes);
}

#else

int
sl_shortage_leave (int status)
{
  return status;
}

gpointer
sl_memory_try0 (gsize n, gsize size)
{
  gsize bytes;
  return g_size_checked_mul (&bytes, MAX (n, 1), MAX (size, 1)) ? g_try_malloc0 (bytes) : NULL;
}

gpointer
sl_memory_try_aligned (gsize alignment, gsize bytes)
{
  return aligned_alloc (alignment, bytes);
}

#endif
