/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((gsize) 1 << 21)

void
sl_memory_use_large_pages (gpointer memory, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  gsize first = ((gsize) memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE,
        end = ((gsize) memory + bytes) / LARGE_PAGE * LARGE_PAGE;
  if (end > first)
    (void) madvise ((gpointer) first, end - first, MADV_HUGEPAGE);
#endif
}

gpointer
sl_memory_try_new (gsize bytes)
{
  gsize align = bytes >= LARGE_PAGE ? LARGE_PAGE : 64;
  if (bytes > G_MAXSSIZE - LARGE_PAGE)
    return NULL;
  bytes = (MAX (bytes, 1) + align - 1) / align * align;
  gpointer memory = aligned_alloc (align, bytes);
  if (memory != NULL)
    sl_memory_use_large_pages (memory, bytes);
  return memory;
}

gpointer
sl_memory_new (gsize bytes)
{
  gpointer memory = sl_memory_try_new (bytes);
  if (memory == NULL)
    g_error ("no memory for %zu bytes", bytes);
  return memory;
}

gpointer
sl_memory_grow (gpointer memory, gsize used, gsize bytes)
{
  gpointer more = sl_memory_new (bytes);
  if (used > 0)
    memcpy (more, memory, used);
  free (memory);
  return more;
}
