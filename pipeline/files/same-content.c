/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "same-content.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (1 << 18)

/* Reads LENGTH bytes at AT, all of them. */
static gboolean
read_at (int fd, char *bytes, gsize length, gint64 at)
{
  for (gsize done = 0; done < length;)
    {
      gssize n = pread (fd, bytes + done, length - done, at + (gint64) done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      done += (gsize) n;
    }
  return TRUE;
}

static gboolean
same_bytes (int fd, int other, gint64 size)
{
  g_autofree char *bytes = g_malloc (CHUNK), *others = g_malloc (CHUNK);
  for (gint64 at = 0; at < size; at += CHUNK)
    {
      gsize n = (gsize) MIN (size - at, CHUNK);
      if (!read_at (fd, bytes, n, at) || !read_at (other, others, n, at)
          || memcmp (bytes, others, n) != 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_same_content (int fd, const char *path)
{
  int other = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (other < 0)
    return FALSE;
  struct stat info, others;
  gboolean same = fstat (fd, &info) == 0 && fstat (other, &others) == 0 && S_ISREG (others.st_mode)
                  && info.st_size == others.st_size && same_bytes (fd, other, info.st_size);
  (void) close (other);
  return same;
}
