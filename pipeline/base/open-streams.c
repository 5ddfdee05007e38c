/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signals.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the list of temporary files: entries are added in front and never taken out. */
struct _SlOpenStream
{
  SlOpenStream *next;
  atomic_int fd; /* -1: not to be spoilt */
  off_t from;    /* where it begins in a file; -1: it is in none */
  atomic_bool begun, between;
};

static _Atomic (SlOpenStream *) streams;

SlOpenStream *
sl_open_stream_remember (int fd)
{
  SlOpenStream *stream = g_new0 (SlOpenStream, 1);
  stream->fd = fd;
  stream->from = lseek (fd, 0, SEEK_CUR);
  stream->next = atomic_load (&streams);
  while (!atomic_compare_exchange_weak (&streams, &stream->next, stream))
    ;
  return stream;
}

void
sl_open_stream_set_between (SlOpenStream *stream, gboolean between)
{
  atomic_store (&stream->between, between != FALSE);
  atomic_store (&stream->begun, TRUE);
}

void
sl_open_stream_forget (SlOpenStream *stream)
{
  if (stream != NULL)
    atomic_store (&stream->fd, -1);
}

static gboolean
spoil (int fd, int milliseconds)
{
  struct pollfd room = { .fd = fd, .events = POLLOUT };
  return poll (&room, 1, milliseconds) == 1 && (room.revents & POLLOUT)
         && write (fd, SL_STREAM_SPOILT, SL_STREAM_SPOILT_BYTES) == SL_STREAM_SPOILT_BYTES;
}

/* A stream in a file that takes no more bytes, on a full disk, loses its last one. */
static void
shorten (int fd, off_t from)
{
  struct stat info;
  off_t end = lseek (fd, 0, SEEK_CUR);
  if (from >= 0 && end > from && fstat (fd, &info) == 0 && S_ISREG (info.st_mode)
      && info.st_size == end)
    (void) !ftruncate (fd, end - 1);
}

/* A stream of which nothing is written is none. What ends inside a message is none either, and what
 * is added could end the message. */
void
sl_open_stream_spoil (SlOpenStream *stream, int milliseconds)
{
  int fd = stream != NULL ? atomic_exchange (&stream->fd, -1) : -1;
  if (fd < 0 || !atomic_load (&stream->begun))
    return;
  if (!(atomic_load (&stream->between) && spoil (fd, milliseconds)))
    shorten (fd, stream->from);
}

void
sl_open_streams_spoil (int milliseconds)
{
  for (SlOpenStream *stream = atomic_load (&streams); stream != NULL; stream = stream->next)
    sl_open_stream_spoil (stream, milliseconds);
}
