/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flips N FILE [FROM]: reads N copies of FILE, each with one bit changed, and half as many with
 * two, in this process. A copy is refused, or says the same as FILE: values, classes, tags,
 * history. Any other is silent damage; the last line says how many there were, and the exit status
 * whether there were any. The bits are spread over the whole file, beginning with FROM of N steps
 * apart, so that runs of other N or FROM change others. */
#include "pipeline/base/error.h"
#include "pipeline/arrow/threads.h"
#include "pipeline/files/reader.h"
#include "pipeline/table/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* All that the table at PATH says; NULL and ERROR where it is refused. */
static char *
read_through (const char *path, GError **error)
{
  static const SlReaderOptions options = { .threads = 1 };
  g_autoptr (SlReader) reader = sl_reader_open (path, &options, error);
  if (reader == NULL)
    return NULL;
  const SlTable *table = sl_reader_table (reader);
  g_autoptr (SlTableDigest) digest = sl_table_digest_new (sl_reader_table (reader));
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    sl_table_digest_add (digest, batch);
  if (!ok)
    return NULL;
  g_autofree char *values = sl_table_digest_text (digest);
  g_autofree char *tags = sl_tags_to_json (&table->tags);
  return g_strdup_printf ("%s %s %s", values, tags, table->provenance);
}

static char *
read_bytes (const char *bytes, gsize size, GError **error)
{
  int fd = memfd_create ("copy", 0);
  if (fd < 0 || write (fd, bytes, size) != (gssize) size)
    g_error ("no memory for a copy");
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  char *said = read_through (path, error);
  (void) close (fd);
  return said;
}

static guint64
place (guint64 bits, guint64 i, double step)
{
  return (guint64) ((double) bits * fmod ((double) i * step, 1));
}

/* Changes a bit, or BOTH. */
static void
flip (char *bytes, guint64 bit, guint64 other, gboolean both)
{
  bytes[bit / 8] = (char) (bytes[bit / 8] ^ 1 << bit % 8);
  if (both)
    bytes[other / 8] = (char) (bytes[other / 8] ^ 1 << other % 8);
}

int
main (int argc, char **argv)
{
  g_autofree char *bytes = NULL;
  gsize size;
  if (argc < 3 || !g_file_get_contents (argv[2], &bytes, &size, NULL))
    {
      fprintf (stderr, "usage: flips N FILE [FROM]\n");
      return 2;
    }
  const guint64 n = g_ascii_strtoull (argv[1], NULL, 10), bits = (guint64) size * 8;
  const guint64 from = argc > 3 ? g_ascii_strtoull (argv[3], NULL, 10) : 0;
  guint64 tried = 0, refused = 0, silent = 0;
  sl_arrow_init ();
  g_autofree char *whole = read_bytes (bytes, size, NULL);
  if (whole == NULL)
    g_error ("%s cannot be read", argv[2]);
  for (guint64 i = 0; i < n; i++)
    {
      /* Odd steps of the golden ratio reach every part of the file, and all bits of a byte. */
      guint64 bit = place (bits, i + from, 0.6180339887498949);
      guint64 other = place (bits, i + from, 0.4142135623730951);
      for (int two = 0; two <= (i % 2 == 0 && other != bit); two++)
        {
          g_autoptr (GError) error = NULL;
          flip (bytes, bit, other, two);
          g_autofree char *said = read_bytes (bytes, size, &error);
          flip (bytes, bit, other, two);
          tried++;
          refused += said == NULL;
          if (said == NULL && !g_error_matches (error, SL_ERROR, SL_ERROR_INPUT))
            g_error ("bit %" G_GUINT64_FORMAT ": %s", bit, error->message);
          if (said == NULL || g_str_equal (said, whole))
            continue;
          printf ("bit %" G_GUINT64_FORMAT " (byte %" G_GUINT64_FORMAT ")", bit, bit / 8);
          if (two)
            printf (" and bit %" G_GUINT64_FORMAT, other);
          printf (": silent\n");
          silent++;
        }
    }
  printf ("%" G_GUINT64_FORMAT " flips, %" G_GUINT64_FORMAT " refused, %" G_GUINT64_FORMAT
          " silent\n",
          tried, refused, silent);
  return silent > 0;
}
