/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: there is no /proc, as in many a chroot. */
/* open() and open64() both. */
#undef _FILE_OFFSET_BITS
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
is_missing (const char *path)
{
  int missing = strncmp (path, "/proc", strlen ("/proc")) == 0;
  if (missing)
    errno = ENOENT;
  return missing;
}

int
access (const char *path, int how)
{
  return is_missing (path) ? -1 : (int) syscall (SYS_faccessat, AT_FDCWD, path, how);
}

int
linkat (int from_fd, const char *from, int to_fd, const char *to, int flags)
{
  return is_missing (from) ? -1 : (int) syscall (SYS_linkat, from_fd, from, to_fd, to, flags);
}

int
open (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
  va_end (args);
  return is_missing (path) ? -1 : (int) syscall (SYS_openat, AT_FDCWD, path, flags, mode);
}

int
open64 (const char *path, int flags, ...)
{
  va_list args;
  va_start (args, flags);
  mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
  va_end (args);
  return is_missing (path) ? -1 : (int) syscall (SYS_openat, AT_FDCWD, path, flags, mode);
}
