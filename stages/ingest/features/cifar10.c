/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cifar10: the binary version of CIFAR-10 (Krizhevsky 2009). A record is a byte with the class, and
 * 3 x 32 x 32 bytes: planes of red, green and blue. An item is its number in the files, one behind
 * the other; of test_batch.bin alone that is the number that CIFAR-10H and CIFAR-10S go by. */
#include "cifar10-classes.h"
#include "examples-out.h"
#include "stages/ingest/formats.h"

#define PIXELS (3 * 32 * 32)
#define RECORD (1 + PIXELS)
#define RECORDS 256 /* read at a time */
/* A record of CIFAR-100 has two classes. */
#define RECORD_100 (2 + PIXELS)

/* A file whose size is known and not right is refused before anything is made of it. */
static gboolean
check_size (const SlSource *source, GError **error)
{
  if (source->size % RECORD == 0)
    return TRUE;
  const char *is = source->size % RECORD_100 == 0 ? "is it CIFAR-100?"
                                                  : "was it cut short, or is it the version for "
                                                    "Python, which is not binary?";
  return sl_error_bad_input (
      error, "%s: %" G_GINT64_FORMAT " bytes are no whole number of records of %d bytes; %s",
      source->name, source->size, RECORD, is);
}

static gboolean
add_record (SlExamplesOut *out, const SlSource *source, const guint8 *record, GError **error)
{
  gint32 n_classes = out->ingest->table->n_classes;
  SlExample example = { source->name, out->n, NULL, out->n, record + 1, record[0] };
  if (example.gold < n_classes)
    return sl_examples_add (out, &example, error);
  return sl_error_bad_input (
      error, "%s: record %" G_GINT64_FORMAT " is of class %d; there are %d%s", source->name, out->n,
      example.gold, n_classes,
      out->ingest->options->classes == NULL && out->ingest->options->classes_from == NULL
          ? ": is it CIFAR-10 in its binary version?"
          : " (--classes)");
}

static gboolean
read_records (SlExamplesOut *out, SlSource *source, GError **error)
{
  SlIngest *ingest = out->ingest;
  g_autofree guint8 *bytes = g_malloc (RECORD * RECORDS);
  for (gsize got = RECORD * RECORDS; got == RECORD * RECORDS;)
    {
      if (!sl_source_read (source, bytes, RECORD * RECORDS, &got, error))
        return FALSE;
      for (gsize i = 0; i < got / RECORD; i++)
        if (!add_record (out, source, bytes + i * RECORD, error))
          return FALSE;
      if (got % RECORD != 0)
        return sl_error_bad_input (
            error, "%s: ends in the middle of record %" G_GINT64_FORMAT " (records have %d bytes)",
            source->name, out->n, RECORD);
      ingest->bytes_done += (gint64) got;
      sl_run_progress (ingest->run, out->n, ingest->bytes_done, ingest->bytes_whole);
    }
  return TRUE;
}

static gboolean
read_file (SlExamplesOut *out, const char *path, GError **error)
{
  static const gint64 dim[] = { 3, 32, 32 };
  g_autoptr (SlSource) source = sl_source_open (path, error);
  return source != NULL && check_size (source, error)
         && sl_examples_start (out, source->name, SL_NUMBER_UINT8, 3, dim, TRUE, error)
         && read_records (out, source, error);
}

/* Human labels go by numbers of the test set. */
static void
warn_of_test_set (SlExamplesOut *out, const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  if (out->n > 0 && g_str_has_prefix (base, "test_batch"))
    sl_run_warn (out->ingest->run,
                 "%s: its items are numbered from %" G_GINT64_FORMAT
                 ", behind those of the files before it; CIFAR-10H and CIFAR-10S number the test "
                 "set from 0",
                 path, out->n);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  g_auto (SlExamplesOut) out;
  if (!sl_examples_init (&out, ingest, error))
    return FALSE;
  if (ingest->classes == NULL)
    ingest->classes = g_strdupv ((char **) sl_cifar10_classes);
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      warn_of_test_set (&out, ingest->files[i]);
      if (!read_file (&out, ingest->files[i], error))
        return FALSE;
    }
  return sl_examples_end (&out, error);
}

const SlIngestFormat sl_ingest_cifar10 = {
  .run = run,
};
