/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files are read, not mapped: a mapped file that another program shortens kills the reader. */
#include "made-source.h"
#include "unpacking.h"
#include "zip.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/process/stdin-again.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
fail (SlSource *source, GError **error)
{
  return sl_error_runtime (error, "%s: cannot be read: %s", source->name, g_strerror (errno));
}

gboolean
sl_source_can_reopen (const char *path)
{
  struct stat info;
  int failed = strcmp (path, "-") == 0 ? fstat (STDIN_FILENO, &info) : stat (path, &info);
  g_autofree char *archive = failed != 0 && errno == ENOTDIR ? sl_zip_archive_of (path) : NULL;
  return archive != NULL || (failed == 0 && S_ISREG (info.st_mode));
}

static SlSource *
open_member (const char *path, GError **error)
{
  g_autoptr (SlSource) source = sl_zip_open (path, error);
  if (source != NULL)
    source->path = g_strdup (path);
  return source != NULL && sl_source_unpack (source, error) ? g_steal_pointer (&source) : NULL;
}

SlSource *
sl_source_open (const char *path, GError **error)
{
  g_autoptr (SlSource) source = g_new0 (SlSource, 1);
  gboolean is_stdin = strcmp (path, "-") == 0;
  source->name = is_stdin ? g_strdup ("standard input") : g_filename_display_name (path);
  source->path = g_strdup (path);
  source->fd = is_stdin ? STDIN_FILENO : sl_named_file_open (path);
  source->at = -1;
  struct stat info;
  if (source->fd < 0 && errno == ENOTDIR)
    {
      g_autofree char *archive = sl_zip_archive_of (path);
      if (archive != NULL)
        return open_member (path, error);
      errno = ENOTDIR;
    }
  if (source->fd < 0 || fstat (source->fd, &info) != 0
      || (S_ISDIR (info.st_mode) && (errno = EISDIR)))
    {
      fail (source, error);
      return NULL;
    }
#ifdef F_SETPIPE_SZ
  /* A pipe of 1 MiB saves most of the switches between two programs; where it is refused, nothing
   * is lost. */
  if (S_ISFIFO (info.st_mode))
    (void) fcntl (source->fd, F_SETPIPE_SZ, 1 << 20);
#endif
  if (S_ISREG (info.st_mode))
    source->at = lseek (source->fd, 0, SEEK_CUR);
  if (source->at >= 0)
    source->size = MAX (info.st_size - source->at, 0);
  return sl_source_unpack (source, error) ? g_steal_pointer (&source) : NULL;
}

/* Bytes that were made, and how more are. */
struct _SlMadeBytes
{
  const SlSourceMaker *maker;
  gpointer data;
  GString *text;
  gsize at; /* of TEXT, read so far */
};

SlSource *
sl_source_new_made (const char *name, const SlSourceMaker *maker, gpointer data)
{
  SlSource *source = g_new0 (SlSource, 1);
  source->name = g_strdup (name);
  source->fd = source->at = -1;
  source->made = g_new (struct _SlMadeBytes, 1);
  *source->made = (struct _SlMadeBytes){ maker, data, g_string_new (NULL), 0 };
  return source;
}

gpointer
sl_source_made_by (const SlSource *source, const SlSourceMaker *maker)
{
  return source->made != NULL && source->made->maker == maker ? source->made->data : NULL;
}

static void
made_free (struct _SlMadeBytes *made)
{
  made->maker->free (made->data);
  g_string_free (made->text, TRUE);
  g_free (made);
}

static gboolean
read_made (SlSource *source, char *to, gsize most, gsize *n, GError **error)
{
  struct _SlMadeBytes *made = source->made;
  for (*n = 0; *n < most && !source->at_end;)
    {
      if (made->at == made->text->len)
        {
          g_string_truncate (made->text, 0);
          made->at = 0;
          if (!made->maker->more (made->data, made->text, error))
            return FALSE;
          source->at_end = made->text->len == 0;
          source->taken = made->maker->taken != NULL ? made->maker->taken (made->data) : 0;
        }
      gsize part = MIN (made->text->len - made->at, most - *n);
      memcpy (to + *n, made->text->str + made->at, part);
      made->at += part;
      *n += part;
    }
  return TRUE;
}

void
sl_source_free (SlSource *source)
{
  if (source->fd > STDIN_FILENO)
    (void) close (source->fd);
  g_clear_pointer (&source->unpacking, sl_unpacking_free);
  if (source->made != NULL)
    made_free (source->made);
  g_free (source->name);
  g_free (source->path);
  g_free (source);
}

/* A regular file is read at a place of our own, so that standard input is where it was when it is
 * opened again. */
gboolean
sl_source_read_raw (SlSource *source, char *to, gsize most, gsize *n, GError **error)
{
  if (source->made != NULL)
    return read_made (source, to, most, n, error);
  for (*n = 0; *n < most && !source->at_end;)
    {
      gssize got = source->fd == STDIN_FILENO ? sl_stdin_again (to + *n, most - *n) : 0;
      if (got == 0)
        got = source->at >= 0 ? pread (source->fd, to + *n, most - *n, source->at)
                              : read (source->fd, to + *n, most - *n);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return fail (source, error);
      source->at_end = got == 0;
      source->at += source->at >= 0 ? got : 0;
      source->taken += got;
      *n += (gsize) got;
    }
  return TRUE;
}

static gboolean
read_on (SlSource *source, char *to, gsize most, gsize *n, GError **error)
{
  return source->unpacking != NULL
             ? sl_unpacking_read (source->unpacking, to, most, n, &source->at_end, error)
             : sl_source_read_raw (source, to, most, n, error);
}

gboolean
sl_source_unpack (SlSource *source, GError **error)
{
  if (!sl_source_peek (source, SL_PACKED_BYTES, error))
    return FALSE;
  if (!sl_unpacking_new (source, &source->unpacking, error))
    return FALSE;
  if (source->unpacking != NULL)
    {
      source->n_head = 0;
      source->size = 0;
      source->at_end = FALSE;
    }
  return TRUE;
}

gboolean
sl_source_peek (SlSource *source, gsize n, GError **error)
{
  gsize got = 0;
  g_assert (n <= sizeof source->head);
  if (source->n_head < n
      && !read_on (source, source->head + source->n_head, n - source->n_head, &got, error))
    return FALSE;
  source->n_head += got;
  return TRUE;
}

gboolean
sl_source_begins (SlSource *source, const char *start, gsize n, gboolean *begins, GError **error)
{
  if (!sl_source_peek (source, n, error))
    return FALSE;
  *begins = source->n_head >= n && memcmp (source->head, start, n) == 0;
  return TRUE;
}

gboolean
sl_source_read (SlSource *source, void *to, gsize most, gsize *n, GError **error)
{
  gsize n_head = MIN (source->n_head, most);
  memcpy (to, source->head, n_head);
  source->n_head -= n_head;
  memmove (source->head, source->head + n_head, source->n_head);
  gboolean ok = read_on (source, (char *) to + n_head, most - n_head, n, error);
  *n += n_head;
  source->ended = source->at_end && source->n_head == 0;
  return ok;
}
