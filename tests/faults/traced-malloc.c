/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be preloaded under valgrind, which puts its own functions in the place of the program's
 * malloc() and its kin (pipeline/base/process/shortage.c): what asks the C library by its inner
 * names gets memory from there, too. */
#include <stdlib.h>

void *__libc_calloc (size_t n, size_t size);
void *__libc_memalign (size_t alignment, size_t size);

void *
__libc_calloc (size_t n, size_t size)
{
  return calloc (n, size);
}

void *
__libc_memalign (size_t alignment, size_t size)
{
  return aligned_alloc (alignment, size);
}
