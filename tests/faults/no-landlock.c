/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded: a kernel that has no Landlock. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

long
syscall (long number, ...)
{
  va_list rest;
  va_start (rest, number);
  long a = va_arg (rest, long), b = va_arg (rest, long), c = va_arg (rest, long),
       d = va_arg (rest, long), e = va_arg (rest, long), f = va_arg (rest, long);
  va_end (rest);
  if (number >= 444 && number <= 446)
    {
      errno = ENOSYS;
      return -1;
    }
  return ((long (*) (long, ...)) dlsym (RTLD_NEXT, "syscall")) (number, a, b, c, d, e, f);
}
