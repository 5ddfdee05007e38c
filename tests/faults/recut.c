/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recut N: copies an Arrow stream with N rows to a batch, as other programs may cut one. */
#include <arrow-glib/arrow-glib.h>
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes full batches of SIZE rows from PENDING, and with FLUSH the rest; returns what is left. */
static GArrowTable *
write_full (GArrowTable *pending, GArrowRecordBatchWriter *writer, guint64 size, gboolean flush,
            GError **error)
{
  guint64 n = garrow_table_get_n_rows (pending);
  guint64 whole = flush ? n : n / size * size;
  for (guint64 at = 0; at < whole; at += size)
    {
      g_autoptr (GArrowTable) slice
          = garrow_table_slice (pending, (gint64) at, (gint64) MIN (size, whole - at));
      g_autoptr (GArrowTable) joined = garrow_table_combine_chunks (slice, error);
      g_autoptr (GArrowTableBatchReader) batches
          = joined != NULL ? garrow_table_batch_reader_new (joined) : NULL;
      g_autoptr (GArrowRecordBatch) batch
          = joined != NULL
                ? garrow_record_batch_reader_read_next (GARROW_RECORD_BATCH_READER (batches), error)
                : NULL;
      if (batch == NULL || !garrow_record_batch_writer_write_record_batch (writer, batch, error))
        return NULL;
    }
  return garrow_table_slice (pending, (gint64) whole, (gint64) (n - whole));
}

static gboolean
recut (guint64 size, GError **error)
{
  g_autoptr (GInputStream) in = g_unix_input_stream_new (STDIN_FILENO, FALSE);
  g_autoptr (GOutputStream) out = g_unix_output_stream_new (STDOUT_FILENO, FALSE);
  g_autoptr (GArrowGIOInputStream) source = garrow_gio_input_stream_new (in);
  g_autoptr (GArrowGIOOutputStream) sink = garrow_gio_output_stream_new (out);
  g_autoptr (GArrowRecordBatchStreamReader) stream
      = garrow_record_batch_stream_reader_new (GARROW_INPUT_STREAM (source), error);
  if (stream == NULL)
    return FALSE;
  GArrowRecordBatchReader *reader = GARROW_RECORD_BATCH_READER (stream);
  g_autoptr (GArrowSchema) schema = garrow_record_batch_reader_get_schema (reader);
  g_autoptr (GArrowRecordBatchStreamWriter) stream_writer
      = garrow_record_batch_stream_writer_new (GARROW_OUTPUT_STREAM (sink), schema, error);
  if (stream_writer == NULL)
    return FALSE;
  GArrowRecordBatchWriter *writer = GARROW_RECORD_BATCH_WRITER (stream_writer);
  g_autoptr (GArrowTable) pending = garrow_table_new_record_batches (schema, NULL, 0, error);
  for (gboolean more = TRUE; more && pending != NULL;)
    {
      g_autoptr (GError) problem = NULL;
      g_autoptr (GArrowRecordBatch) batch = garrow_record_batch_reader_read_next (reader, &problem);
      if (problem != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      more = batch != NULL;
      if (more)
        {
          g_autoptr (GArrowTable) one = garrow_table_new_record_batches (schema, &batch, 1, error);
          g_autoptr (GList) others = g_list_append (NULL, one);
          g_autoptr (GArrowTable) both
              = one != NULL ? garrow_table_concatenate (pending, others, NULL, error) : NULL;
          g_set_object (&pending, both);
        }
      if (pending != NULL && (!more || garrow_table_get_n_rows (pending) >= size))
        {
          g_autoptr (GArrowTable) rest = write_full (pending, writer, size, !more, error);
          g_set_object (&pending, rest);
        }
    }
  return pending != NULL && garrow_record_batch_writer_close (writer, error);
}

int
main (int argc, char **argv)
{
  guint64 size = argc == 2 ? (guint64) strtoull (argv[1], NULL, 10) : 0;
  g_autoptr (GError) error = NULL;
  if (size > 0 && recut (size, &error))
    return 0;
  g_printerr ("recut: %s\n", error != NULL ? error->message : "usage: recut N < STREAM > STREAM");
  return 1;
}
