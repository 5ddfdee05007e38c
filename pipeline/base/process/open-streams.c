/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* So many bytes less of a message are missing to every reader. */
#define MISSED_BYTES 24

/* As the list of temporary files: entries are added in front and never taken out. */
struct _SlOpenStream
{
  SlOpenStream *next;
  atomic_int fd;         /* -1: not to be spoilt */
  off_t from;            /* where it begins in a file; -1: it is in none */
  _Atomic (off_t) whole; /* up to here there are whole messages */
  atomic_bool begun;
};

static _Atomic (SlOpenStream *) streams;

SlOpenStream *
sl_open_stream_remember (int fd)
{
  SlOpenStream *stream = g_new0 (SlOpenStream, 1);
  struct stat info;
  stream->fd = fd;
  gboolean in_file = fstat (fd, &info) == 0 && S_ISREG (info.st_mode);
  /* What is written at the end (`>>`) has no place yet. */
  gboolean at_end = in_file && (fcntl (fd, F_GETFL) & O_APPEND) != 0;
  stream->from = at_end ? info.st_size : in_file ? lseek (fd, 0, SEEK_CUR) : -1;
  stream->whole = stream->from;
  stream->next = atomic_load (&streams);
  while (!atomic_compare_exchange_weak (&streams, &stream->next, stream))
    ;
  return stream;
}

void
sl_open_stream_begin (SlOpenStream *stream)
{
  if (stream != NULL)
    atomic_store (&stream->begun, TRUE);
}

void
sl_open_stream_mark (SlOpenStream *stream)
{
  if (stream != NULL && stream->from >= 0)
    atomic_store (&stream->whole, lseek (atomic_load (&stream->fd), 0, SEEK_CUR));
}

void
sl_open_stream_forget (SlOpenStream *stream)
{
  if (stream != NULL)
    atomic_store (&stream->fd, -1);
}

static gint64
now_milliseconds (void)
{
  struct timespec now;
  (void) clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Another thread may fill the room that there is before this one does. */
static void
spoil_pipe (int fd, int milliseconds)
{
  struct iovec mark = { .iov_base = (char *) SL_STREAM_SPOILT, .iov_len = SL_STREAM_SPOILT_BYTES };
  gint64 until = now_milliseconds () + milliseconds, left = milliseconds;
  for (;;)
    {
      struct pollfd room = { .fd = fd, .events = POLLOUT };
      if (poll (&room, 1, (int) left) != 1 || !(room.revents & POLLOUT))
        return;
      ssize_t n = pwritev2 (fd, &mark, 1, -1, RWF_NOWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR)
        n = write (fd, mark.iov_base, mark.iov_len);
      left = milliseconds < 0 ? -1 : until - now_milliseconds ();
      if (n >= 0 || (errno != EAGAIN && errno != EINTR) || (milliseconds >= 0 && left <= 0))
        return;
    }
}

/* A file that takes no more bytes, on a full disk, loses the end of its last message. */
static void
spoil_file (int fd, off_t from, off_t whole)
{
  struct stat info;
  off_t end = lseek (fd, 0, SEEK_CUR);
  if (end <= from || fstat (fd, &info) != 0 || info.st_size != end || ftruncate (fd, whole) != 0
      || lseek (fd, whole, SEEK_SET) != whole || whole == from)
    return;
  if (write (fd, SL_STREAM_SPOILT, SL_STREAM_SPOILT_BYTES) != SL_STREAM_SPOILT_BYTES)
    (void) !ftruncate (fd, MAX (from, whole - MISSED_BYTES));
}

void
sl_open_stream_spoil (SlOpenStream *stream, int milliseconds)
{
  int fd = stream != NULL ? atomic_exchange (&stream->fd, -1) : -1;
  if (fd < 0 || !atomic_load (&stream->begun))
    return;
  if (stream->from >= 0)
    spoil_file (fd, stream->from, atomic_load (&stream->whole));
  else
    spoil_pipe (fd, milliseconds);
}

void
sl_open_streams_spoil (int milliseconds)
{
  for (SlOpenStream *stream = atomic_load (&streams); stream != NULL; stream = stream->next)
    sl_open_stream_spoil (stream, milliseconds);
}
