/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/signals.h"
#include "content-digest.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPARED (1 << 18) /* bytes of a file at a time */

/* A GUnixOutputStream that keeps its first error: Arrow wraps errors, and a close after a failed
 * write succeeds. */
#define SL_TYPE_SINK (sl_sink_get_type ())
G_DECLARE_FINAL_TYPE (SlSink, sl_sink, SL, SINK, GUnixOutputStream)

struct _SlSink
{
  GUnixOutputStream parent;
  GError *error;
  int copy; /* what is written goes there, too; -1: nowhere */
};

G_DEFINE_FINAL_TYPE (SlSink, sl_sink, G_TYPE_UNIX_OUTPUT_STREAM)

static void
close_copy (SlSink *sink)
{
  if (sink->copy >= 0)
    (void) close (sink->copy);
  sink->copy = -1;
}

static gssize
sl_sink_write (GOutputStream *stream, const void *buffer, gsize count, GCancellable *cancellable,
               GError **error)
{
  SlSink *sink = SL_SINK (stream);
  if (sink->error == NULL)
    {
      sl_step_begin ();
      gssize n = G_OUTPUT_STREAM_CLASS (sl_sink_parent_class)
                     ->write_fn (stream, buffer, count, cancellable, &sink->error);
      sl_step_end ();
      if (n > 0 && sink->copy >= 0 && !sl_write_whole (sink->copy, buffer, (gsize) n))
        close_copy (sink);
      if (n >= 0)
        return n;
    }
  if (error != NULL)
    *error = g_error_copy (sink->error);
  return -1;
}

static void
sl_sink_finalize (GObject *object)
{
  g_clear_error (&SL_SINK (object)->error);
  close_copy (SL_SINK (object));
  G_OBJECT_CLASS (sl_sink_parent_class)->finalize (object);
}

static void
sl_sink_class_init (SlSinkClass *class)
{
  G_OUTPUT_STREAM_CLASS (class)->write_fn = sl_sink_write;
  G_OBJECT_CLASS (class)->finalize = sl_sink_finalize;
}

static void
sl_sink_init (SlSink *sink)
{
  sink->copy = -1;
}

struct _SlOutput
{
  char *name;             /* for messages */
  char *path;             /* where it goes; NULL: written in place */
  SlTemporary *temporary; /* the file's name until then; NULL while it has none */
  int fd;
  SlSink *sink;
  gboolean keep_same; /* a file that holds the same is left as it is */
  gboolean is_same;   /* it does */
};

void
sl_output_init (void)
{
  /* A file opened on a closed descriptor 1 would get what is meant for standard output. Opened the
   * wrong way round, these give an error where they are used. */
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl (fd, F_GETFD) < 0 && errno == EBADF)
      (void) open ("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  sl_signals_init ();
}

static gboolean
fail_errno (const char *name, const char *what, GError **error)
{
  int number = errno;
  return sl_error_runtime (error, "%s: %s: %s", name, what, g_strerror (number));
}

/* Creates an empty file beside PATH under a name that was free. */
static SlTemporary *
beside (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name
      = g_strdup_printf (".%.200s.%08x%08x.tmp", base, g_random_int (), g_random_int ());
  g_autofree char *temporary = g_build_filename (folder, name, NULL);
  return sl_temporary_remember (temporary);
}

/* Opens a file without a name in PATH's folder, which vanishes by itself; where the file system has
 * no such thing, or there is no /proc by which it could get a name, one with a temporary name. */
static gboolean
open_unnamed (SlOutput *output, mode_t mode, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (output->path);
  gboolean can_name = access ("/proc/self/fd", F_OK) == 0;
  output->fd = can_name ? open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;
  if (output->fd >= 0)
    return TRUE;
  if (can_name && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
    return fail_errno (output->name, "cannot be written", error);
  output->temporary = beside (output->path);
  sl_step_begin ();
  output->fd
      = open (sl_temporary_path (output->temporary), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  sl_step_end ();
  if (output->fd >= 0)
    return TRUE;
  g_clear_pointer (&output->temporary, sl_temporary_forget);
  return fail_errno (output->name, "cannot be written", error);
}

char *
sl_output_target (const char *path)
{
  g_autofree char *name = g_strdup (path);
  for (int i = 0; i < 40; i++)
    {
      g_autofree char *target = g_file_read_link (name, NULL);
      if (target == NULL)
        return g_steal_pointer (&name);
      g_autofree char *folder = g_path_get_dirname (name);
      g_free (name);
      name = g_path_is_absolute (target) ? g_steal_pointer (&target)
                                         : g_build_filename (folder, target, NULL);
    }
  errno = ELOOP;
  return NULL;
}

static gboolean
open_path (SlOutput *output, const char *path, GError **error)
{
  struct stat info;
  gboolean exists = stat (path, &info) == 0;
  if (exists && S_ISDIR (info.st_mode))
    {
      errno = EISDIR;
      return fail_errno (output->name, "cannot be written", error);
    }
  if (exists && !S_ISREG (info.st_mode))
    {
      output->fd = open (path, O_WRONLY | O_CLOEXEC);
      return output->fd >= 0 || fail_errno (output->name, "cannot be written", error);
    }
  /* The links are kept. */
  output->path = sl_output_target (path);
  if (output->path == NULL || (exists && eaccess (output->path, W_OK) != 0))
    return fail_errno (output->name, "cannot be written", error);
  if (!open_unnamed (output, 0666, error))
    return FALSE;
  /* What is replaced keeps its owner, where that may be set, and its permissions; a file system
   * without them loses nothing. */
  if (exists && fchown (output->fd, info.st_uid, info.st_gid) != 0)
    (void) !fchown (output->fd, (uid_t) -1, info.st_gid);
  if (exists)
    (void) !fchmod (output->fd, info.st_mode & 07777);
  return TRUE;
}

SlOutput *
sl_output_new (const char *path, GError **error)
{
  g_autoptr (SlOutput) output = g_new0 (SlOutput, 1);
  gboolean is_stdout = path == NULL || strcmp (path, "-") == 0;
  output->name = is_stdout ? g_strdup ("standard output") : g_filename_display_name (path);
  output->fd = is_stdout ? STDOUT_FILENO : -1;
  if (!is_stdout && !open_path (output, path, error))
    return NULL;
#ifdef F_SETPIPE_SZ
  struct stat info;
  if (fstat (output->fd, &info) == 0 && S_ISFIFO (info.st_mode))
    (void) fcntl (output->fd, F_SETPIPE_SZ, 1 << 20);
#endif
  output->sink = g_object_new (SL_TYPE_SINK, "fd", output->fd, "close-fd", FALSE, NULL);
  return g_steal_pointer (&output);
}

gboolean
sl_output_check (const char *path, GError **error)
{
  struct stat info;
  gboolean special = stat (path, &info) == 0 && !S_ISREG (info.st_mode) && !S_ISDIR (info.st_mode);
  if (special || strcmp (path, "-") == 0)
    return TRUE;
  g_autoptr (SlOutput) trial = sl_output_new (path, error);
  return trial != NULL;
}

void
sl_output_free (SlOutput *output)
{
  if (output == NULL)
    return;
  g_clear_object (&output->sink);
  if (output->fd > STDERR_FILENO)
    (void) close (output->fd);
  if (output->temporary != NULL)
    (void) unlink (sl_temporary_path (output->temporary));
  sl_temporary_forget (output->temporary);
  g_free (output->path);
  g_free (output->name);
  g_free (output);
}

const char *
sl_output_name (SlOutput *output)
{
  return output->name;
}

void
sl_output_keep_same (SlOutput *output)
{
  output->keep_same = TRUE;
}

gboolean
sl_output_keep_copy (SlOutput *output, const char *folder)
{
  if (output->path != NULL)
    return TRUE;
  close_copy (output->sink);
  output->sink->copy = sl_open_unnamed (folder);
  return output->sink->copy >= 0;
}

int
sl_output_copy (const SlOutput *output)
{
  return output->path != NULL ? output->fd : output->sink->copy;
}

gboolean
sl_output_is_terminal (SlOutput *output)
{
  return isatty (output->fd);
}

int
sl_output_in_place (SlOutput *output)
{
  return output->path == NULL ? output->fd : -1;
}

GOutputStream *
sl_output_stream (SlOutput *output)
{
  return G_OUTPUT_STREAM (output->sink);
}

gboolean
sl_output_fail (SlOutput *output, const GError *problem, GError **error)
{
  const GError *first = output->sink->error != NULL ? output->sink->error : problem;
  return sl_error_runtime (error, "%s: %s", output->name,
                           first != NULL ? first->message : "cannot be written");
}

gboolean
sl_output_is_broken_pipe (SlOutput *output)
{
  return g_error_matches (output->sink->error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
}

gboolean
sl_output_write (SlOutput *output, const void *bytes, gsize length, GError **error)
{
  g_autoptr (GError) problem = NULL;
  return g_output_stream_write_all (sl_output_stream (output), bytes, length, NULL, NULL, &problem)
         || sl_output_fail (output, problem, error);
}

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
  g_autofree char *bytes = g_malloc (COMPARED), *others = g_malloc (COMPARED);
  for (gint64 at = 0; at < size; at += COMPARED)
    {
      gsize n = (gsize) MIN (size - at, COMPARED);
      if (!read_at (fd, bytes, n, at) || !read_at (other, others, n, at)
          || memcmp (bytes, others, n) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Whether the regular file PATH holds the bytes of FD, all of them and no more. FALSE where it
 * cannot be read, or is no such file. */
static gboolean
same_content (int fd, const char *path)
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

gboolean
sl_output_finish (SlOutput *output, GError **error)
{
  if (output->sink->error != NULL)
    return sl_output_fail (output, NULL, error);
  output->is_same
      = output->keep_same && output->path != NULL && same_content (output->fd, output->path);
  if (output->is_same)
    return TRUE;
  /* Pipes and terminals cannot be synced, and need not be. */
  if (output->path != NULL && fsync (output->fd) != 0)
    return fail_errno (output->name, "cannot be written", error);
  if (output->fd == STDOUT_FILENO && fsync (output->fd) != 0 && errno != EINVAL && errno != EROFS
      && errno != ENOTSUP && errno != EBADF)
    return fail_errno (output->name, "cannot be written", error);
  return TRUE;
}

gboolean
sl_output_commit (SlOutput *output, GError **error)
{
  if (output->path == NULL || output->is_same)
    return TRUE;
  g_autofree char *folder = g_path_get_dirname (output->path);
  if (output->temporary == NULL)
    {
      g_autofree char *self = g_strdup_printf ("/proc/self/fd/%d", output->fd);
      output->temporary = beside (output->path);
      const char *name = sl_temporary_path (output->temporary);
      sl_step_begin ();
      int linked = linkat (AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
      sl_step_end ();
      if (linked != 0)
        return fail_errno (output->name, "cannot be written", error);
    }
  sl_step_begin ();
  int renamed = rename (sl_temporary_path (output->temporary), output->path);
  sl_step_end ();
  if (renamed != 0)
    return fail_errno (output->name, "cannot be written", error);
  g_clear_pointer (&output->temporary, sl_temporary_forget);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0)
    {
      (void) fsync (fd);
      (void) close (fd);
    }
  return TRUE;
}

void
sl_output_end_by_pipe (void)
{
  sl_end_by_signal (SIGPIPE);
}
