/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stdin-again.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What was read of standard input. */
static struct
{
  int copy;
  gint64 at, size;
  char *rest;
  gsize rest_at, n_rest;
  char front[16]; /* comes before all others */
  gsize n_front;
} again;

void
sl_stdin_give_again (int copy, gint64 size, char *rest, gsize n_rest)
{
  again.copy = copy;
  again.size = size;
  again.rest = rest;
  again.n_rest = n_rest;
}

void
sl_stdin_unread (const char *bytes, gsize n)
{
  g_assert (again.n_front == 0 && n <= sizeof again.front);
  memcpy (again.front, bytes, n);
  again.n_front = n;
}

gssize
sl_stdin_again (void *bytes, gsize n)
{
  if (again.n_front > 0)
    {
      gsize front = MIN (again.n_front, n);
      memcpy (bytes, again.front, front);
      again.n_front -= front;
      memmove (again.front, again.front + front, again.n_front);
      return (gssize) front;
    }
  if (again.at < again.size)
    {
      gssize got;
      do
        got = pread (again.copy, bytes, (gsize) MIN ((gint64) n, again.size - again.at), again.at);
      while (got < 0 && errno == EINTR);
      again.at += MAX (got, 0);
      return got != 0 ? got : -1;
    }
  gsize part = MIN (again.n_rest - again.rest_at, n);
  if (part > 0)
    memcpy (bytes, again.rest + again.rest_at, part);
  again.rest_at += part;
  return (gssize) part;
}
