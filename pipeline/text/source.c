/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files are read, not mapped: a mapped file that another program shortens kills the reader. */
#include "source.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/process/stdin-again.h"
#include "made-source.h"
#include "zip.h"

#include <arrow-glib/arrow-glib.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is packed by gzip, zstd, bzip2 or lz4, unpacked by Arrow as it is read ---- */

/* How many first bytes tell what packed a source. */
#define SL_PACKED_BYTES 6

typedef struct _SlUnpacking SlUnpacking;

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

/* Reads the source's own bytes, packed or not. */
static gboolean read_raw (SlSource *source, char *to, gsize most, gsize *n, GError **error);

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
  if (n == 0 && !read_raw (packed->source, buffer, count, &n, &packed->error))
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

static void
unpacking_free (SlUnpacking *unpacking)
{
  g_clear_object (&unpacking->unpacked);
  g_clear_object (&unpacking->bytes);
  g_clear_object (&unpacking->packed);
  g_free (unpacking);
}

/* SOURCE has its first SL_PACKED_BYTES bytes in its head. *UNPACKING stays NULL where nothing is
 * packed; FALSE and ERROR for what no codec unpacks. SOURCE must be there as long. */
static gboolean
unpacking_new (SlSource *source, SlUnpacking **unpacking, GError **error)
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

/* Reads MOST bytes; fewer where the packed source ends, which *ENDED tells then. Arrow reads
 * several packed files one behind the other as one. */
static gboolean
unpacking_read (SlUnpacking *unpacking, char *to, gsize most, gsize *n, gboolean *ended,
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

/* ---- the source ---- */

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
  g_clear_pointer (&source->unpacking, unpacking_free);
  if (source->made != NULL)
    made_free (source->made);
  g_free (source->name);
  g_free (source->path);
  g_free (source);
}

/* A regular file is read at a place of our own, so that standard input is where it was when it is
 * opened again. */
static gboolean
read_raw (SlSource *source, char *to, gsize most, gsize *n, GError **error)
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
             ? unpacking_read (source->unpacking, to, most, n, &source->at_end, error)
             : read_raw (source, to, most, n, error);
}

gboolean
sl_source_unpack (SlSource *source, GError **error)
{
  if (!sl_source_peek (source, SL_PACKED_BYTES, error))
    return FALSE;
  if (!unpacking_new (source, &source->unpacking, error))
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
