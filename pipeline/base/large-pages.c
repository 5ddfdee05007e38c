/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "large-pages.h"

#include "process/shortage.h"

#include <string.h>
#include <sys/mman.h>

/* Less than this is malloc's. */
#define MAPPED SL_LARGE_PAGE

void
sl_memory_use_large_pages (gpointer memory, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  gsize first = ((gsize) memory + SL_LARGE_PAGE - 1) / SL_LARGE_PAGE * SL_LARGE_PAGE,
        end = ((gsize) memory + bytes) / SL_LARGE_PAGE * SL_LARGE_PAGE;
  if (end > first)
    (void) madvise ((gpointer) first, end - first, MADV_HUGEPAGE);
#endif
}

static gsize
whole_pages (gsize bytes)
{
  return (bytes + SL_LARGE_PAGE - 1) / SL_LARGE_PAGE * SL_LARGE_PAGE;
}

/* A mapping begins where it likes: one page more is asked for, and what is not needed of it given
 * back. */
gpointer
sl_memory_new (gsize bytes)
{
  if (bytes < MAPPED)
    return g_malloc0 (bytes);
  gsize length = whole_pages (bytes);
  char *mapped = mmap (NULL, length + SL_LARGE_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    sl_shortage_end ("not enough memory");
  gsize before = whole_pages ((gsize) mapped) - (gsize) mapped;
  if (before > 0)
    (void) munmap (mapped, before);
  (void) munmap (mapped + before + length, SL_LARGE_PAGE - before);
  sl_memory_use_large_pages (mapped + before, length);
  return mapped + before;
}

void
sl_memory_free (gpointer memory, gsize bytes)
{
  if (bytes < MAPPED)
    g_free (memory);
  else
    (void) munmap (memory, whole_pages (bytes));
}

/* Mapped pages move to where there is room; nothing is copied, and large pages stay large. */
gpointer
sl_memory_grow (gpointer memory, gsize before, gsize bytes)
{
  gpointer more = sl_memory_new (bytes);
#ifdef MREMAP_FIXED
  /* MEMORY becomes as long as MORE, and takes its place: Linux before 6.17 moves one mapping at a
   * time, and a part moved in beside what is left of MORE would make two. Where that fails MORE may
   * be gone. */
  if (before >= MAPPED)
    {
      if (mremap (memory, whole_pages (before), whole_pages (bytes), MREMAP_MAYMOVE | MREMAP_FIXED,
                  more)
          != MAP_FAILED)
        return more;
      more = sl_memory_new (bytes);
    }
#endif
  if (before > 0)
    memcpy (more, memory, before);
  sl_memory_free (memory, before);
  return more;
}
