/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unpacking.h"

#include "pipeline/base/error.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

static const struct
{
  const char *start;
  gsize n;
  GArrowCompressionType type;
  const char *name, *cat; /* a program that unpacks it */
} packers[] = {
  { "\x1f\x8b", 2, GARROW_COMPRESSION_TYPE_GZIP, "gzip", "zcat" },
  { "\x28\xb5\x2f\xfd", 4, GARROW_COMPRESSION_TYPE_ZSTD, "zstd", "zstdcat" },
  { "BZh", 3, GARROW_COMPRESSION_TYPE_BZ2, "bzip2", "bzcat" },
  { "\x04\x22\x4d\x18", 4, GARROW_COMPRESSION_TYPE_UNCOMPRESSED, "lz4", "lz4cat" },
  { "\xfd\x37zXZ\0", 6, GARROW_COMPRESSION_TYPE_UNCOMPRESSED, "xz", "xzcat" },
};

/* The packed bytes of a source, as Arrow reads them: its head, then the rest. */
#define SL_TYPE_PACKED (sl_packed_get_type ())
G_DECLARE_FINAL_TYPE (SlPacked, sl_packed, SL, PACKED, GInputStream)

struct _SlPacked
{
  GInputStream parent;
  SlSource *source;
  char head[SL_PACKED_BYTES];
  gsize at, n_head;
  GError *error; /* the source's own */
};

G_DEFINE_FINAL_TYPE (SlPacked, sl_packed, G_TYPE_INPUT_STREAM)

static gssize
sl_packed_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
                GError **error)
{
  SlPacked *packed = SL_PACKED (stream);
  gsize n = MIN (packed->n_head - packed->at, count);
  memcpy (buffer, packed->head + packed->at, n);
  packed->at += n;
  if (n == 0 && !sl_source_read_raw (packed->source, buffer, count, &n, &packed->error))
    {
      g_propagate_error (error, g_error_copy (packed->error));
      return -1;
    }
  return (gssize) n;
}

static void
sl_packed_finalize (GObject *object)
{
  g_clear_error (&SL_PACKED (object)->error);
  G_OBJECT_CLASS (sl_packed_parent_class)->finalize (object);
}

static void
sl_packed_class_init (SlPackedClass *class)
{
  G_INPUT_STREAM_CLASS (class)->read_fn = sl_packed_read;
  G_OBJECT_CLASS (class)->finalize = sl_packed_finalize;
}

static void
sl_packed_init (SlPacked *packed)
{
}

struct _SlUnpacking
{
  const char *packer;
  SlPacked *packed;
  GArrowGIOInputStream *bytes; /* over it */
  GArrowCompressedInputStream *unpacked;
};

void
sl_unpacking_free (SlUnpacking *unpacking)
{
  g_clear_object (&unpacking->unpacked);
  g_clear_object (&unpacking->bytes);
  g_clear_object (&unpacking->packed);
  g_free (unpacking);
}

gboolean
sl_unpacking_new (SlSource *source, SlUnpacking **unpacking, GError **error)
{
  gsize i = 0;
  while (i < G_N_ELEMENTS (packers)
         && (source->n_head < packers[i].n
             || memcmp (source->head, packers[i].start, packers[i].n) != 0))
    i++;
  if (i == G_N_ELEMENTS (packers))
    return TRUE;
  g_autoptr (GArrowCodec) codec = packers[i].type != GARROW_COMPRESSION_TYPE_UNCOMPRESSED
                                      ? garrow_codec_new (packers[i].type, NULL)
                                      : NULL;
  if (codec == NULL)
    return sl_error_bad_input (
        error, "%s: is compressed by %s, which is not read: pipe it in with `%s FILE | softlabel`",
        source->name, packers[i].name, packers[i].cat);
  SlUnpacking *own = *unpacking = g_new0 (SlUnpacking, 1);
  own->packer = packers[i].name;
  own->packed = g_object_new (SL_TYPE_PACKED, NULL);
  own->packed->source = source;
  own->packed->n_head = MIN (source->n_head, sizeof own->packed->head);
  memcpy (own->packed->head, source->head, own->packed->n_head);
  own->bytes = garrow_gio_input_stream_new (G_INPUT_STREAM (own->packed));
  own->unpacked
      = garrow_compressed_input_stream_new (codec, GARROW_INPUT_STREAM (own->bytes), error);
  return own->unpacked != NULL;
}

/* Arrow reads several packed files one behind the other as one. */
gboolean
sl_unpacking_read (SlUnpacking *unpacking, char *to, gsize most, gsize *n, gboolean *ended,
                   GError **error)
{
  g_autoptr (GError) problem = NULL;
  const char *name = unpacking->packed->source->name;
  for (*n = 0; *n < most && !*ended;)
    {
      gssize got = g_input_stream_read (G_INPUT_STREAM (unpacking->unpacked), to + *n, most - *n,
                                        NULL, &problem);
      *ended = got <= 0;
      *n += (gsize) MAX (got, 0);
    }
  if (problem == NULL)
    return TRUE;
  if (unpacking->packed->error != NULL)
    {
      g_propagate_error (error, g_error_copy (unpacking->packed->error));
      return FALSE;
    }
  return sl_error_bad_input (error,
                             strstr (problem->message, "Truncated") != NULL
                                 ? "%s: is cut short: its %s has no end"
                                 : "%s: is damaged: not all of it is %s",
                             name, unpacking->packer);
}
