/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* A handler may read the list at any moment and in any thread. So entries are added in front and
 * never taken out or freed: an output leaves some hundred bytes. */
struct _SlTemporary
{
  SlTemporary *next;
  atomic_bool there;
  char *path;
};

/* So long a reader may take to make room for the end of a stream. */
#define SPOIL_MILLISECONDS 1000

static _Atomic (SlTemporary *) temporaries;
static atomic_bool stop_accepted;
static atomic_int stop_signal;

void
sl_temporaries_remove (void)
{
  for (const SlTemporary *entry = atomic_load (&temporaries); entry != NULL; entry = entry->next)
    if (atomic_load (&entry->there) && unlink (entry->path) != 0)
      (void) rmdir (entry->path);
}

/* Only what may be done in a handler of signals (signal-safety(7)). */
static void
on_signal (int number)
{
  int none = 0;
  if ((number == SIGINT || number == SIGTERM) && atomic_load (&stop_accepted)
      && atomic_compare_exchange_strong (&stop_signal, &none, number))
    return;
  gboolean stopped = sl_steps_stop (SPOIL_MILLISECONDS);
  sl_temporaries_remove ();
  if (stopped)
    sl_open_streams_spoil (SPOIL_MILLISECONDS);
  sl_end_by_signal (number);
}

/* Whether the program ends by NUMBER where nobody handles it; the two that are errors of a write
 * are left out. */
static gboolean
ends_program (int number)
{
  static const int others[] = { SIGCHLD, SIGCONT, SIGSTOP,  SIGTSTP, SIGTTIN,
                                SIGTTOU, SIGURG,  SIGWINCH, SIGPIPE, SIGXFSZ };
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (number == others[i])
      return FALSE;
  return TRUE;
}

/* A stack that has run out cannot hold the handler too. */
static void
give_stack (void)
{
  static char memory[1 << 16];
  stack_t old, fresh = { .ss_sp = memory, .ss_size = sizeof memory };
  if (sigaltstack (NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
    (void) sigaltstack (&fresh, NULL);
}

void
sl_signals_init (void)
{
  struct sigaction old, action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };
  (void) sigfillset (&action.sa_mask);
  (void) signal (SIGPIPE, SIG_IGN);
  (void) signal (SIGXFSZ, SIG_IGN);
  give_stack ();
  for (int number = 1; number <= SIGRTMAX; number++)
    if (ends_program (number) && sigaction (number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      (void) sigaction (number, &action, NULL);
}

SlTemporary *
sl_temporary_remember (const char *path)
{
  SlTemporary *entry = g_new0 (SlTemporary, 1);
  entry->path = g_strdup (path);
  entry->there = TRUE;
  entry->next = atomic_load (&temporaries);
  while (!atomic_compare_exchange_weak (&temporaries, &entry->next, entry))
    ;
  return entry;
}

void
sl_temporary_forget (SlTemporary *temporary)
{
  if (temporary != NULL)
    atomic_store (&temporary->there, FALSE);
}

const char *
sl_temporary_path (const SlTemporary *temporary)
{
  return temporary->path;
}

void
sl_stop_accept (gboolean accept)
{
  atomic_store (&stop_accepted, accept);
}

int
sl_stop_asked (void)
{
  return atomic_load (&stop_signal);
}

void
sl_end_by_signal (int number)
{
  (void) signal (number, SIG_DFL);
  (void) raise (number);
}

static atomic_bool ending;
static atomic_int n_inside; /* threads */
static _Thread_local volatile gboolean inside_here;

void
sl_step_begin (void)
{
  /* A signal between these two waits for this step as for another thread's. */
  (void) atomic_fetch_add (&n_inside, 1);
  inside_here = TRUE;
  if (atomic_load (&ending))
    sl_step_end ();
}

void
sl_step_end (void)
{
  inside_here = FALSE;
  (void) atomic_fetch_sub (&n_inside, 1);
  while (atomic_load (&ending))
    (void) pause ();
}

void
sl_step_leave (void)
{
  if (inside_here)
    sl_step_end ();
}

gboolean
sl_steps_stop (int milliseconds)
{
  static const struct timespec moment = { .tv_nsec = 1000000 };
  int here = inside_here ? 1 : 0;
  atomic_store (&ending, TRUE);
  for (int i = 0; atomic_load (&n_inside) > here; i++)
    {
      if (milliseconds >= 0 && i >= milliseconds)
        return FALSE;
      (void) nanosleep (&moment, NULL);
    }
  return TRUE;
}

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
