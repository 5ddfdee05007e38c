/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/process/signals.h"
#include "pipeline/base/process/stdin-again.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AHEAD_BYTES (1 << 15)

struct _SlInput
{
  GUnixInputStream parent;
  char peeked[8];
  gsize n_peeked, replayed;
  char *ahead; /* read from the system, and not asked for yet */
  gsize ahead_from, ahead_to;
  gboolean at_end;
  char last[SL_STREAM_SPOILT_BYTES]; /* bytes that were read from the system */
  GError *error;
  _Atomic gint64 position; /* read by others than the thread that reads */
  gint64 size;
  GCancellable *cancel;
};

G_DEFINE_FINAL_TYPE (SlInput, sl_input, G_TYPE_UNIX_INPUT_STREAM)

static void
keep_last (SlInput *input, const char *bytes, gsize n)
{
  gsize fresh = MIN (n, sizeof input->last);
  memmove (input->last, input->last + fresh, sizeof input->last - fresh);
  memcpy (input->last + sizeof input->last - fresh, bytes + n - fresh, fresh);
}

static gssize
read_on (SlInput *input, void *buffer, gsize count, GError **error)
{
  g_autoptr (GError) problem = NULL;
  gboolean is_stdin = g_unix_input_stream_get_fd (G_UNIX_INPUT_STREAM (input)) == STDIN_FILENO;
  gssize n = is_stdin ? sl_stdin_again (buffer, count) : 0;
  if (n < 0)
    g_set_error_literal (&problem, G_IO_ERROR, (int) g_io_error_from_errno (errno),
                         g_strerror (errno));
  else if (n == 0)
    n = G_INPUT_STREAM_CLASS (sl_input_parent_class)
            ->read_fn (G_INPUT_STREAM (input), buffer, count, input->cancel, &problem);
  if (n > 0)
    {
      input->position += n;
      keep_last (input, buffer, (gsize) n);
    }
  else if (n == 0 && count > 0)
    input->at_end = TRUE;
  else if (n < 0)
    {
      if (input->error == NULL)
        input->error = g_error_copy (problem);
      g_propagate_error (error, g_steal_pointer (&problem));
    }
  return n;
}

/* Batches of one row are read in pieces of a few bytes: the system is asked for more at once. */
static gssize
read_small (SlInput *input, void *buffer, gsize count, GError **error)
{
  if (input->ahead_from == input->ahead_to)
    {
      if (input->ahead == NULL)
        input->ahead = g_malloc (AHEAD_BYTES);
      gssize n = read_on (input, input->ahead, AHEAD_BYTES, error);
      if (n <= 0)
        return n;
      input->ahead_from = 0;
      input->ahead_to = (gsize) n;
    }
  gsize n = MIN (input->ahead_to - input->ahead_from, count);
  memcpy (buffer, input->ahead + input->ahead_from, n);
  input->ahead_from += n;
  return (gssize) n;
}

static gssize
sl_input_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
               GError **error)
{
  SlInput *input = SL_INPUT (stream);
  gsize left = input->n_peeked - input->replayed;
  gboolean small = input->ahead_from < input->ahead_to || count < AHEAD_BYTES;
  if (left == 0)
    return small ? read_small (input, buffer, count, error) : read_on (input, buffer, count, error);
  gsize n = MIN (left, count);
  memcpy (buffer, input->peeked + input->replayed, n);
  input->replayed += n;
  return (gssize) n;
}

static void
sl_input_finalize (GObject *object)
{
  g_clear_error (&SL_INPUT (object)->error);
  g_clear_object (&SL_INPUT (object)->cancel);
  g_free (SL_INPUT (object)->ahead);
  G_OBJECT_CLASS (sl_input_parent_class)->finalize (object);
}

static void
sl_input_class_init (SlInputClass *class)
{
  G_INPUT_STREAM_CLASS (class)->read_fn = sl_input_read;
  G_OBJECT_CLASS (class)->finalize = sl_input_finalize;
}

static void
sl_input_init (SlInput *input)
{
  input->size = -1;
  input->cancel = g_cancellable_new ();
}

SlInput *
sl_input_open (const char *path, GError **error)
{
  gboolean is_stdin = path == NULL || strcmp (path, "-") == 0;
  int fd = is_stdin ? STDIN_FILENO : sl_named_file_open (path);
  struct stat info;
  if (fd < 0 || fstat (fd, &info) != 0 || (S_ISDIR (info.st_mode) && (errno = EISDIR)))
    {
      sl_error_runtime (error, "cannot be read: %s", g_strerror (errno));
      return NULL;
    }
#ifdef F_SETPIPE_SZ
  /* A pipe of 1 MiB saves most of the switches between two stages; where it is refused, nothing is
   * lost. */
  if (S_ISFIFO (info.st_mode))
    (void) fcntl (fd, F_SETPIPE_SZ, 1 << 20);
#endif
  SlInput *input = g_object_new (SL_TYPE_INPUT, "fd", fd, "close-fd", !is_stdin, NULL);
  if (S_ISREG (info.st_mode))
    input->size = info.st_size;
  return input;
}

const char *
sl_input_peek (SlInput *input, gsize *length, GError **error)
{
  while (input->n_peeked < sizeof input->peeked)
    {
      gssize n = read_on (input, input->peeked + input->n_peeked,
                          sizeof input->peeked - input->n_peeked, error);
      if (n < 0)
        return NULL;
      if (n == 0)
        break;
      input->n_peeked += (gsize) n;
    }
  *length = input->n_peeked;
  return input->peeked;
}

void
sl_input_skip_peeked (SlInput *input)
{
  input->replayed = input->n_peeked;
}

gboolean
sl_input_at_end (SlInput *input)
{
  return input->at_end;
}

gboolean
sl_input_was_spoilt (SlInput *input)
{
  return input->at_end && memcmp (input->last, SL_STREAM_SPOILT, sizeof input->last) == 0;
}

const GError *
sl_input_error (SlInput *input)
{
  return input->error;
}

gint64
sl_input_position (SlInput *input)
{
  return input->position;
}

gint64
sl_input_size (SlInput *input)
{
  return input->size;
}

void
sl_input_cancel (SlInput *input)
{
  g_cancellable_cancel (input->cancel);
}
