/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "file-seal.h"

#include "pipeline/base/error.h"
#include "pipeline/base/xxh3.h"
#include "pipeline/arrow/parquet-door.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SL_TYPE_SEALED_FILE (sl_sealed_file_get_type ())
G_DECLARE_FINAL_TYPE (SlSealedFile, sl_sealed_file, SL, SEALED_FILE, GInputStream)

struct _SlSealedFile
{
  GInputStream parent;
  SlInput *input; /* keeps the file open */
  int fd;
  gint64 size, position;
  gint64 length; /* bytes at the file's beginning that have digests, a piece each */
  guint64 *digests;
  gint64 held; /* the piece that is in memory; -1: none */
  guint8 *piece;
  GError *error; /* the system's first */
};

static void sl_sealed_file_seekable (GSeekableIface *iface);
G_DEFINE_FINAL_TYPE_WITH_CODE (SlSealedFile, sl_sealed_file, G_TYPE_INPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_SEEKABLE, sl_sealed_file_seekable))

static gboolean
damaged (GError **error)
{
  return sl_error_bad_input (error, SL_SEAL_BROKEN);
}

gboolean
sl_seal_is_there (const SlSeal *seal)
{
  return memcmp (seal->magic, SL_SEAL_MAGIC, sizeof seal->magic) == 0;
}

guint64
sl_seal_digest (const SlSeal *seal, gconstpointer digests, gsize n)
{
  XXH3_state_t state;
  XXH3_64bits_reset (&state);
  XXH3_64bits_update (&state, digests, n);
  XXH3_64bits_update (&state, seal, offsetof (SlSeal, itself));
  return XXH3_64bits_digest (&state);
}

/* TO <- N bytes from POSITION on, which the file has. */
static gboolean
read_at (SlSealedFile *file, gint64 position, gpointer to, gsize n, GError **error)
{
  for (gsize done = 0; done < n;)
    {
      gssize more = pread (file->fd, (guint8 *) to + done, n - done, position + (gint64) done);
      if (more < 0 && errno == EINTR)
        continue;
      if (more == 0)
        return damaged (error);
      if (more < 0)
        {
          sl_error_runtime (error, "cannot be read: %s", g_strerror (errno));
          if (file->error == NULL && error != NULL)
            g_atomic_pointer_set (&file->error, g_error_copy (*error));
          return FALSE;
        }
      done += (gsize) more;
    }
  return TRUE;
}

static gboolean
read_piece (SlSealedFile *file, gint64 piece, guint8 *to, gsize n, GError **error)
{
  return read_at (file, piece * SL_SEAL_PIECE, to, n, error)
         && (XXH3_64bits (to, n) == GUINT64_FROM_LE (file->digests[piece]) || damaged (error));
}

/* Reads no further than to the end of a piece; a whole one right to where it is wanted. */
static gssize
sl_sealed_file_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
                     GError **error)
{
  SlSealedFile *file = SL_SEALED_FILE (stream);
  gsize n = (gsize) CLAMP (file->size - file->position, 0, (gint64) MIN (count, G_MAXINT32));
  if (file->position >= file->length)
    {
      if (!read_at (file, file->position, buffer, n, error))
        return -1;
      file->position += (gint64) n;
      return (gssize) n;
    }
  const gint64 piece = file->position / SL_SEAL_PIECE, at = file->position % SL_SEAL_PIECE;
  const gint64 in_piece = MIN (SL_SEAL_PIECE, file->length - piece * SL_SEAL_PIECE);
  n = MIN (n, (gsize) (in_piece - at));
  if (piece != file->held && (gint64) n == in_piece)
    {
      if (!read_piece (file, piece, buffer, n, error))
        return -1;
    }
  else
    {
      const gint64 before = file->held;
      file->held = -1;
      if (piece != before && !read_piece (file, piece, file->piece, (gsize) in_piece, error))
        return -1;
      file->held = piece;
      memcpy (buffer, file->piece + at, n);
    }
  file->position += (gint64) n;
  return (gssize) n;
}

static goffset
sl_sealed_file_tell (GSeekable *seekable)
{
  return SL_SEALED_FILE (seekable)->position;
}

static gboolean
sl_sealed_file_can_seek (GSeekable *seekable)
{
  return TRUE;
}

static gboolean
sl_sealed_file_seek (GSeekable *seekable, goffset offset, GSeekType type, GCancellable *cancellable,
                     GError **error)
{
  SlSealedFile *file = SL_SEALED_FILE (seekable);
  gint64 from = type == G_SEEK_END ? file->size : type == G_SEEK_CUR ? file->position : 0;
  if (offset > G_MAXINT64 - from || from + offset < 0)
    return damaged (error);
  file->position = from + offset;
  return TRUE;
}

static gboolean
sl_sealed_file_can_truncate (GSeekable *seekable)
{
  return FALSE;
}

static void
sl_sealed_file_seekable (GSeekableIface *iface)
{
  iface->tell = sl_sealed_file_tell;
  iface->can_seek = sl_sealed_file_can_seek;
  iface->seek = sl_sealed_file_seek;
  iface->can_truncate = sl_sealed_file_can_truncate;
}

static void
sl_sealed_file_finalize (GObject *object)
{
  SlSealedFile *file = SL_SEALED_FILE (object);
  g_clear_object (&file->input);
  g_clear_error (&file->error);
  g_free (file->digests);
  g_free (file->piece);
  G_OBJECT_CLASS (sl_sealed_file_parent_class)->finalize (object);
}

static void
sl_sealed_file_class_init (SlSealedFileClass *class)
{
  G_INPUT_STREAM_CLASS (class)->read_fn = sl_sealed_file_read;
  G_OBJECT_CLASS (class)->finalize = sl_sealed_file_finalize;
}

static void
sl_sealed_file_init (SlSealedFile *file)
{
  file->held = -1;
}

/* The pieces' digests, which end at END, if they are those that were written. */
static gboolean
read_digests (SlSealedFile *file, const SlSeal *seal, gint64 end, GError **error)
{
  const guint64 length = GUINT64_FROM_LE (seal->length);
  const guint64 pieces = length / SL_SEAL_PIECE + (length % SL_SEAL_PIECE != 0);
  if (pieces > (guint64) end / sizeof (guint64))
    return damaged (error);
  const gsize n = pieces * sizeof (guint64);
  file->digests = g_malloc (n);
  if (!read_at (file, end - (gint64) n, file->digests, n, error))
    return FALSE;
  if (sl_seal_digest (seal, file->digests, n) != GUINT64_FROM_LE (seal->itself))
    return damaged (error);
  /* Of two files run together this is the second one. */
  if (length != (guint64) end - n)
    return sl_error_bad_input (error, SL_PARQUET_TWO);
  file->length = (gint64) length;
  file->piece = g_malloc (SL_SEAL_PIECE);
  return TRUE;
}

/* *AT: where SEAL is, which lies before the footer; -1: there is none. */
static gboolean
find_seal (SlSealedFile *file, SlSeal *seal, gint64 *at, GError **error)
{
  guint32 length;
  *at = -1;
  guint8 end[10];
  if (file->size < (gint64) sizeof end)
    return TRUE;
  if (!read_at (file, file->size - (gint64) sizeof end, end, sizeof end, error))
    return FALSE;
  /* The footer's length, and the magic of an Arrow file or of Parquet. */
  const gint64 after = memcmp (end + 4, "ARROW1", 6) == 0 ? 10 : 8;
  memcpy (&length, end + sizeof end - after, sizeof length);
  const gint64 footer = file->size - after - GUINT32_FROM_LE (length);
  if (footer < (gint64) sizeof *seal)
    return TRUE;
  if (!read_at (file, footer - (gint64) sizeof *seal, seal, sizeof *seal, error))
    return FALSE;
  if (!sl_seal_is_there (seal))
    return TRUE;
  const gsize n = (gsize) (file->size - footer);
  g_autofree guint8 *rest = g_malloc (n);
  if (!read_at (file, footer, rest, n, error))
    return FALSE;
  *at = footer - (gint64) sizeof *seal;
  return XXH3_64bits (rest, n) == GUINT64_FROM_LE (seal->footer) || damaged (error);
}

GInputStream *
sl_sealed_file_new (SlInput *input, gboolean *is_sealed, GError **error)
{
  SlSeal seal;
  gint64 at;
  SlSealedFile *file = g_object_new (SL_TYPE_SEALED_FILE, NULL);
  file->input = g_object_ref (input);
  file->fd = g_unix_input_stream_get_fd (G_UNIX_INPUT_STREAM (input));
  file->size = sl_input_size (input);
  gboolean ok
      = find_seal (file, &seal, &at, error) && (at < 0 || read_digests (file, &seal, at, error));
  *is_sealed = at >= 0;
  if (!ok)
    g_clear_object (&file);
  return (GInputStream *) file;
}

const GError *
sl_sealed_file_error (GInputStream *file)
{
  return g_atomic_pointer_get (&SL_SEALED_FILE (file)->error);
}
