/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "file-seal.h"

#include "pipeline/base/xxh3.h"

#include <string.h>

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
