/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: makes one call to the system fail.
 *
 *     FAIL_CALL=write|fsync|...  which call
 *     FAIL_AT=3                  its third one; 0: every one
 *     FAIL_ERRNO=28              how
 *     FAIL_MARK=FILE             is created when that happens
 *
 * FAIL_CALL=malloc fails allocations, whoever asks: the program's own malloc() (shortage.c) passes
 * all of them on to glibc's by the names here. FAIL_CALL=tmpfile fails every opening of a file
 * without a name, which some file systems do not have. */
/* open() and open64() both. */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__ (name) *) dlsym (RTLD_NEXT, #name))

/* The mark is a file that the command line does not name. */
__attribute__ ((constructor)) static void
open_sandbox (void)
{
  if (getenv ("FAIL_MARK") != NULL)
    setenv ("SOFTLABEL_SANDBOX", "off", 1);
}

static int
fails (const char *call)
{
  static int count;
  const char *wanted = getenv ("FAIL_CALL"), *at = getenv ("FAIL_AT"), *mark = getenv ("FAIL_MARK"),
             *number = getenv ("FAIL_ERRNO");
  if (wanted == NULL || strcmp (wanted, call) != 0)
    return 0;
  int which = at != NULL ? atoi (at) : 0;
  if (__atomic_add_fetch (&count, 1, __ATOMIC_SEQ_CST) != which && which != 0)
    return 0;
  if (mark != NULL)
    {
      long fd = syscall (SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600);
      if (fd >= 0)
        syscall (SYS_close, fd);
    }
  errno = number != NULL ? atoi (number) : EIO;
  return 1;
}

ssize_t
write (int fd, const void *bytes, size_t n)
{
  return fails ("write") ? -1 : NEXT (write) (fd, bytes, n);
}

ssize_t
read (int fd, void *bytes, size_t n)
{
  return fails ("read") ? -1 : NEXT (read) (fd, bytes, n);
}

ssize_t
pread (int fd, void *bytes, size_t n, off_t at)
{
  return fails ("pread") ? -1 : NEXT (pread) (fd, bytes, n, at);
}

ssize_t
pread64 (int fd, void *bytes, size_t n, off64_t at)
{
  return fails ("pread") ? -1 : NEXT (pread64) (fd, bytes, n, at);
}

int
fsync (int fd)
{
  return fails ("fsync") ? -1 : NEXT (fsync) (fd);
}

int
linkat (int from_fd, const char *from, int to_fd, const char *to, int flags)
{
  return fails ("linkat") ? -1 : NEXT (linkat) (from_fd, from, to_fd, to, flags);
}

int
rename (const char *from, const char *to)
{
  return fails ("rename") ? -1 : NEXT (rename) (from, to);
}

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*start) (void *),
                void *data)
{
  return fails ("pthread_create") ? errno : NEXT (pthread_create) (thread, attributes, start, data);
}

int
open (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = va_arg (args, mode_t);
  va_end (args);
  int is_tmpfile = (flags & O_TMPFILE) == O_TMPFILE;
  return fails (is_tmpfile ? "tmpfile" : "open") ? -1 : NEXT (open) (path, flags, mode);
}

int
open64 (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = va_arg (args, mode_t);
  va_end (args);
  int is_tmpfile = (flags & O_TMPFILE) == O_TMPFILE;
  return fails (is_tmpfile ? "tmpfile" : "open") ? -1 : NEXT (open64) (path, flags, mode);
}

/* dlsym() may allocate by itself. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

#define ALLOCATED(name, parameters, arguments, before)                                             \
  void *name parameters                                                                            \
  {                                                                                                \
    static void *(*next) parameters;                                                               \
    static __thread int inside;                                                                    \
    if (next == NULL && !inside)                                                                   \
      {                                                                                            \
        inside = 1;                                                                                \
        next = (__typeof__ (next)) dlsym (RTLD_NEXT, #name);                                       \
        inside = 0;                                                                                \
      }                                                                                            \
    if (next == NULL)                                                                              \
      return before;                                                                               \
    return fails ("malloc") ? NULL : next arguments;                                               \
  }

ALLOCATED (__libc_malloc, (size_t size), (size), sbrk ((intptr_t) ((size + 31) & ~15ul)))
ALLOCATED (__libc_calloc, (size_t n, size_t size), (n, size),
           sbrk ((intptr_t) ((n * size + 31) & ~15ul)))
ALLOCATED (__libc_realloc, (void *memory, size_t size), (memory, size), NULL)
ALLOCATED (__libc_memalign, (size_t alignment, size_t size), (alignment, size), NULL)
