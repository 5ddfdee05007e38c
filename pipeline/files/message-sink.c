/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "message-sink.h"

#include "pipeline/arrow/digest-chain.h"

#include <string.h>

/* Wherever a stream ends, it lacks no byte of its last message or so many that the eight that spoil
 * it (pipeline/base/process/signals.h) do not complete the message: a pipe takes the last part of a
 * message at once or not at all, as POSIX says of up to PIPE_BUF bytes, 4,096. */
#define LAST_PART 64
#define AT_ONCE 4096

#define PREFIX 8       /* of a message: four bytes of ones, and the length of its metadata */
#define MAGIC 8        /* that a file begins with */
#define RECORD_BATCH 3 /* what a message may be, in its metadata */

#define SL_TYPE_MESSAGE_SINK (sl_message_sink_get_type ())
G_DECLARE_FINAL_TYPE (SlMessageSink, sl_message_sink, SL, MESSAGE_SINK, GFilterOutputStream)

struct _SlMessageSink
{
  GFilterOutputStream parent;
  GByteArray *held;    /* what there is of the message */
  gsize wanted;        /* of it, to know more of it, or to have it */
  gsize metadata;      /* its length; 0: not known yet */
  XXH3_state_t *chain; /* of the messages before it; aligned as an object is not */
  gsize magic;         /* bytes before the first message, which are still to come */
  gboolean ended;      /* what comes next is a file's footer */
};

G_DEFINE_FINAL_TYPE (SlMessageSink, sl_message_sink, G_TYPE_FILTER_OUTPUT_STREAM)

static guint64
number_at (const guint8 *at, int bytes)
{
  guint64 number = 0;
  for (int i = bytes; i-- > 0;)
    number = number << 8 | at[i];
  return number;
}

/* The field SLOT, a number of so many BYTES, of the table that METADATA, a flatbuffer, begins with:
 * https://flatbuffers.dev/internals/, and Message in Arrow's format/Message.fbs. */
static guint64
field (const guint8 *metadata, int slot, int bytes)
{
  const guint8 *table = metadata + number_at (metadata, 4);
  const guint8 *slots = table - (gint32) number_at (table, 4);
  const gsize at = 4 + 2 * (gsize) slot;
  guint64 place = at < number_at (slots, 2) ? number_at (slots + at, 2) : 0;
  return place != 0 ? number_at (table + place, bytes) : 0;
}

static gboolean
write_on (SlMessageSink *sink, gconstpointer bytes, gsize n, GError **error)
{
  GOutputStream *to = g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM (sink));
  return n == 0 || g_output_stream_write_all (to, bytes, n, NULL, NULL, error);
}

/* Writes the message that is held. */
static gboolean
write_message (SlMessageSink *sink, GError **error)
{
  guint8 *metadata = sink->held->data + PREFIX, *body = metadata + sink->metadata;
  const gsize n = sink->held->len;
  guint8 *digits = NULL;
  if (field (metadata, 1, 1) == RECORD_BATCH)
    digits = memmem (metadata, sink->metadata, SL_NO_DIGITS, SL_DIGEST_DIGITS);
  sl_digest_chain_add (sink->chain, metadata, sink->metadata, digits);
  XXH3_128bits_update (sink->chain, body, n - PREFIX - sink->metadata);
  if (digits != NULL)
    {
      char text[SL_DIGEST_DIGITS + 1];
      sl_digest_chain_text (sink->chain, text);
      memcpy (digits, text, SL_DIGEST_DIGITS);
    }
  const gsize first = n <= AT_ONCE ? 0 : n - LAST_PART;
  return write_on (sink, sink->held->data, first, error)
         && write_on (sink, sink->held->data + first, n - first, error);
}

/* What is held is as much as was wanted. */
static gboolean
go_on (SlMessageSink *sink, GError **error)
{
  const guint8 *held = sink->held->data;
  if (sink->held->len == PREFIX)
    {
      sink->metadata = number_at (held + 4, 4);
      sink->wanted = PREFIX + sink->metadata;
      sink->ended = sink->metadata == 0;
      return !sink->ended || write_on (sink, held, PREFIX, error);
    }
  if (sink->held->len == PREFIX + sink->metadata)
    sink->wanted += field (held + PREFIX, 3, 8);
  if (sink->held->len < sink->wanted)
    return TRUE;
  if (!write_message (sink, error))
    return FALSE;
  g_byte_array_set_size (sink->held, 0);
  sink->wanted = PREFIX;
  return TRUE;
}

static gssize
sl_message_sink_write (GOutputStream *stream, const void *buffer, gsize count,
                       GCancellable *cancellable, GError **error)
{
  SlMessageSink *sink = SL_MESSAGE_SINK (stream);
  const guint8 *bytes = buffer;
  if (sink->ended || sink->magic > 0)
    {
      sink->magic -= MIN (sink->magic, count);
      return write_on (sink, bytes, count, error) ? (gssize) count : -1;
    }
  for (gsize left = count; left > 0;)
    {
      gsize n = MIN (left, sink->wanted - sink->held->len);
      g_byte_array_append (sink->held, bytes, (guint) n);
      bytes += n;
      left -= n;
      if (sink->held->len == sink->wanted && !go_on (sink, error))
        return -1;
    }
  return (gssize) count;
}

static void
sl_message_sink_finalize (GObject *object)
{
  XXH3_freeState (SL_MESSAGE_SINK (object)->chain);
  g_byte_array_unref (SL_MESSAGE_SINK (object)->held);
  G_OBJECT_CLASS (sl_message_sink_parent_class)->finalize (object);
}

static void
sl_message_sink_class_init (SlMessageSinkClass *class)
{
  G_OUTPUT_STREAM_CLASS (class)->write_fn = sl_message_sink_write;
  G_OBJECT_CLASS (class)->finalize = sl_message_sink_finalize;
}

static void
sl_message_sink_init (SlMessageSink *sink)
{
  sink->held = g_byte_array_new ();
  sink->wanted = PREFIX;
  sink->chain = XXH3_createState ();
  (void) XXH3_128bits_reset (sink->chain);
}

GOutputStream *
sl_message_sink_new (GOutputStream *to, gboolean is_file)
{
  SlMessageSink *sink
      = g_object_new (SL_TYPE_MESSAGE_SINK, "base-stream", to, "close-base-stream", FALSE, NULL);
  sink->magic = is_file ? MAGIC : 0;
  return G_OUTPUT_STREAM (sink);
}
