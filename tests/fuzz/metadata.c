/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A good table that says any text of itself: of its history, its classes, its tags. */
#include "pipeline/files/reader.h"
#include "pipeline/table/schema-keys.h"
#include "fuzz.h"

#include <arrow-glib/arrow-glib.h>

static void
write_with (const char *key, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArrowSchema) schema = NULL;
  g_autoptr (SlReader) reader = sl_reader_open_raw ("votes.arrows", 1, &schema, &error);
  g_autoptr (GArrowRecordBatch) batch = NULL;
  if (reader == NULL || !sl_reader_next_raw (reader, &batch, &error))
    sl_fuzz_fail ("%s", error->message);
  g_autoptr (GHashTable) metadata = garrow_schema_get_metadata (schema);
  g_hash_table_steal (metadata, key);
  g_hash_table_insert (metadata, (gpointer) key, (gpointer) text);
  g_autoptr (GArrowSchema) changed = garrow_schema_with_metadata (schema, metadata);
  g_autoptr (GArrowFileOutputStream) file
      = garrow_file_output_stream_new ("made.arrows", FALSE, &error);
  g_autoptr (GArrowRecordBatchStreamWriter) writer
      = garrow_record_batch_stream_writer_new (GARROW_OUTPUT_STREAM (file), changed, &error);
  if (writer == NULL
      || !garrow_record_batch_writer_write_record_batch (GARROW_RECORD_BATCH_WRITER (writer), batch,
                                                         &error)
      || !garrow_record_batch_writer_close (GARROW_RECORD_BATCH_WRITER (writer), &error))
    sl_fuzz_fail ("%s", error->message);
}

static void
try_with (const char *key, const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  write_with (key, text);
  (void) sl_fuzz_run ("history made.arrows", NULL, 0);
  (void) sl_fuzz_run ("history --full made.arrows", NULL, 0);
  (void) sl_fuzz_run ("history --json made.arrows", NULL, 0);
  (void) sl_fuzz_run ("show made.arrows", NULL, 0);
  if (sl_fuzz_run ("exclude -q -j 1 made.arrows -o out.arrows", NULL, 0) != 0)
    return;
  sl_fuzz_keep ("out.arrows", "made.arrows");
  (void) sl_fuzz_run ("history --json made.arrows", NULL, 0);
}

void
sl_fuzz_history (const guint8 *data, gsize size)
{
  try_with (SL_KEY_PROVENANCE, data, size);
}

void
sl_fuzz_classes (const guint8 *data, gsize size)
{
  try_with (SL_KEY_CLASSES, data, size);
}

void
sl_fuzz_tags (const guint8 *data, gsize size)
{
  try_with (SL_KEY_TAGS, data, size);
}
