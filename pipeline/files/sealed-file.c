/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/arrow/parquet-door.h"
#include "pipeline/base/error.h"
#include "pipeline/base/xxh3.h"
#include "file-seal.h"

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

/* ---- the sink ---- */

/* The footer comes in three calls: as itself, its length, and a magic. */
#define FOOTER_CALLS 3

#define SL_TYPE_SEALING_SINK (sl_sealing_sink_get_type ())
G_DECLARE_FINAL_TYPE (SlSealingSink, sl_sealing_sink, SL, SEALING_SINK, GFilterOutputStream)

struct _SlSealingSink
{
  GFilterOutputStream parent;
  gboolean has_pieces;
  gboolean ending;     /* the footer is among what comes */
  XXH3_state_t *piece; /* the last one, which is not full; aligned as an object is not */
  GArray *digests;     /* of the pieces */
  guint64 length;      /* bytes in them */
  GQueue waiting;      /* of GBytes: what was written last, which may be the footer */
};

G_DEFINE_FINAL_TYPE (SlSealingSink, sl_sealing_sink, G_TYPE_FILTER_OUTPUT_STREAM)

static void
end_piece (SlSealingSink *sink)
{
  guint64 digest = GUINT64_TO_LE (XXH3_64bits_digest (sink->piece));
  g_array_append_val (sink->digests, digest);
}

static void
add_to_pieces (SlSealingSink *sink, const guint8 *bytes, gsize n)
{
  while (n > 0)
    {
      gsize room = SL_SEAL_PIECE - sink->length % SL_SEAL_PIECE, m = MIN (n, room);
      if (room == SL_SEAL_PIECE)
        XXH3_64bits_reset (sink->piece);
      XXH3_64bits_update (sink->piece, bytes, m);
      sink->length += m;
      bytes += m;
      n -= m;
      if (m == room)
        end_piece (sink);
    }
}

static gboolean
write_on (SlSealingSink *sink, gconstpointer bytes, gsize n, GError **error)
{
  GOutputStream *to = g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM (sink));
  return g_output_stream_write_all (to, bytes, n, NULL, NULL, error);
}

/* Of what is no footer. */
static gboolean
pass (SlSealingSink *sink, gconstpointer bytes, gsize n, GError **error)
{
  if (sink->has_pieces)
    add_to_pieces (sink, bytes, n);
  return write_on (sink, bytes, n, error);
}

static gssize
sl_sealing_sink_write (GOutputStream *stream, const void *buffer, gsize count,
                       GCancellable *cancellable, GError **error)
{
  SlSealingSink *sink = SL_SEALING_SINK (stream);
  if (!sink->ending)
    return pass (sink, buffer, count, error) ? (gssize) count : -1;
  g_queue_push_tail (&sink->waiting, g_bytes_new (buffer, count));
  if (sink->waiting.length <= FOOTER_CALLS)
    return (gssize) count;
  g_autoptr (GBytes) first = g_queue_pop_head (&sink->waiting);
  return pass (sink, g_bytes_get_data (first, NULL), g_bytes_get_size (first), error)
             ? (gssize) count
             : -1;
}

static void
sl_sealing_sink_finalize (GObject *object)
{
  SlSealingSink *sink = SL_SEALING_SINK (object);
  XXH3_freeState (sink->piece);
  g_array_unref (sink->digests);
  g_queue_clear_full (&sink->waiting, (GDestroyNotify) g_bytes_unref);
  G_OBJECT_CLASS (sl_sealing_sink_parent_class)->finalize (object);
}

static void
sl_sealing_sink_class_init (SlSealingSinkClass *class)
{
  G_OUTPUT_STREAM_CLASS (class)->write_fn = sl_sealing_sink_write;
  G_OBJECT_CLASS (class)->finalize = sl_sealing_sink_finalize;
}

static void
sl_sealing_sink_init (SlSealingSink *sink)
{
  sink->piece = XXH3_createState ();
  sink->digests = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_queue_init (&sink->waiting);
}

GOutputStream *
sl_sealing_sink_new (GOutputStream *to, gboolean has_pieces)
{
  SlSealingSink *sink
      = g_object_new (SL_TYPE_SEALING_SINK, "base-stream", to, "close-base-stream", FALSE, NULL);
  sink->has_pieces = has_pieces;
  return G_OUTPUT_STREAM (sink);
}

void
sl_sealing_sink_end (GOutputStream *sink)
{
  SL_SEALING_SINK (sink)->ending = TRUE;
}

static gboolean
has_footer (const SlSealingSink *sink)
{
  guint32 length;
  if (sink->waiting.length != FOOTER_CALLS)
    return FALSE;
  GBytes *footer = sink->waiting.head->data, *said = sink->waiting.head->next->data;
  if (g_bytes_get_size (said) != sizeof length)
    return FALSE;
  memcpy (&length, g_bytes_get_data (said, NULL), sizeof length);
  return GUINT32_FROM_LE (length) == g_bytes_get_size (footer);
}

gboolean
sl_sealing_sink_finish (GOutputStream *stream, GError **error)
{
  SlSealingSink *sink = SL_SEALING_SINK (stream);
  if (!has_footer (sink))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   "the file has not been ended by its footer");
      return FALSE;
    }
  if (sink->length % SL_SEAL_PIECE != 0)
    end_piece (sink);
  const gsize n = sink->digests->len * sizeof (guint64);
  XXH3_state_t state;
  XXH3_64bits_reset (&state);
  for (const GList *part = sink->waiting.head; part != NULL; part = part->next)
    XXH3_64bits_update (&state, g_bytes_get_data (part->data, NULL), g_bytes_get_size (part->data));
  SlSeal seal
      = { GUINT64_TO_LE (XXH3_64bits_digest (&state)), GUINT64_TO_LE (sink->length), 0, "" };
  seal.itself = GUINT64_TO_LE (sl_seal_digest (&seal, sink->digests->data, n));
  memcpy (seal.magic, SL_SEAL_MAGIC, sizeof seal.magic);
  gboolean ok = write_on (sink, sink->digests->data, n, error)
                && write_on (sink, &seal, sizeof seal, error);
  for (const GList *part = sink->waiting.head; ok && part != NULL; part = part->next)
    ok = write_on (sink, g_bytes_get_data (part->data, NULL), g_bytes_get_size (part->data), error);
  return ok;
}
