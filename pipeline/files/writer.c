/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "writer.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/signals.h"
#include "pipeline/display/readable-table.h"
#include "pipeline/display/terminal.h"
#include "pipeline/table/carray.h"
#include "pipeline/table/rechunk.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/wide-labels.h"
#include "pipeline/arrow/parquet-door.h"
#include "pipeline/arrow/stream-door.h"
#include "file-seal.h"
#include "folder-out.h"
#include "message-sink.h"
#include "text/csv-json-out.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

/* The size of a Parquet row group, in batches of about 2 MiB each. About 32 MiB are enough for a
 * group to compress well, and few enough for a reader to hold. */
#define ROW_GROUP_BATCHES 16

/* Rows of a table that is printed on a terminal because nothing else was asked for. */
#define TERMINAL_ROWS 20

const char *const sl_format_names[]
    = { "auto", "arrows", "arrow", "parquet", "csv", "jsonl", "table", NULL };

struct _SlWriter
{
  SlFolderOut *folder; /* in place of all else */
  SlOutput *output;
  SlFormat format;
  gboolean wide; /* distributions have a column a class */
  gboolean undigested;
  gboolean preview; /* a table on a terminal that was not asked for: only its first rows */
  int threads;
  SlTable *table;
  GArrowSchema *schema;
  SlRechunk chunks;
  GOutputStream *seal;      /* over the output, of what is sealed */
  GOutputStream *messages;  /* over that, of Arrow */
  GArrowOutputStream *sink; /* over the output; kept, as it closes the output when it goes */
  GArrowRecordBatchWriter *arrow;
  GArrowRecordBatch *nothing; /* of the table's rows, in its form */
  GParquetArrowFileWriter *parquet;
  SlOpenStream *stream; /* that is spoilt if it is not finished; NULL: what is written is none */
  SlRender *render;
  GString *text;
  gint64 rows;
  GError *error; /* the first */
};

static const struct
{
  const char *extension;
  SlFormat format;
} extensions[] = {
  { ".parquet", SL_FORMAT_PARQUET }, { ".arrow", SL_FORMAT_ARROW }, { ".feather", SL_FORMAT_ARROW },
  { ".arrows", SL_FORMAT_ARROWS },   { ".csv", SL_FORMAT_CSV },     { ".jsonl", SL_FORMAT_JSONL },
};

SlFormat
sl_format_of_path (const char *path)
{
  for (gsize i = 0; path != NULL && i < G_N_ELEMENTS (extensions); i++)
    if (g_str_has_suffix (path, extensions[i].extension))
      return extensions[i].format;
  return SL_FORMAT_AUTO;
}

const char *
sl_format_extension (SlFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (extensions); i++)
    if (extensions[i].format == format)
      return extensions[i].extension;
  return NULL;
}

/* Standard output that was led into a file whose name promises something else than a stream. */
static gboolean
check_redirection (const SlWriter *writer, GError **error)
{
  g_autofree char *file = g_file_read_link ("/proc/self/fd/1", NULL);
  SlFormat promised = sl_format_of_path (file);
  if (writer->format != SL_FORMAT_ARROWS || promised == SL_FORMAT_AUTO
      || promised == SL_FORMAT_ARROWS)
    return TRUE;
  g_autofree char *shown = g_filename_display_basename (file);
  return sl_error_usage (
      error,
      "standard output is %s, and would get an Arrow stream: `-o %s` in place of `>` writes what "
      "it is called; --format chooses",
      shown, shown);
}

static gboolean
choose_format (SlWriter *writer, const char *path, GError **error)
{
  if (writer->format == SL_FORMAT_AUTO)
    writer->format = sl_format_of_path (path);
  if (writer->format != SL_FORMAT_AUTO)
    return TRUE;
  writer->preview = sl_output_is_terminal (writer->output);
  writer->format = writer->preview ? SL_FORMAT_TABLE : SL_FORMAT_ARROWS;
  if (path == NULL || strcmp (path, "-") == 0)
    return check_redirection (writer, error);
  g_autofree char *base = g_path_get_basename (path);
  if (g_str_has_prefix (path, "/dev/") || strchr (base, '.') == NULL)
    return TRUE;
  return sl_error_usage (
      error,
      "%s: no format goes by that extension; use .parquet, .arrow, .arrows, .csv or "
      ".jsonl, or --format",
      sl_output_name (writer->output));
}

SlWriter *
sl_writer_new (const char *path, SlFormat format, int threads, GError **error)
{
  g_autoptr (SlWriter) writer = g_new0 (SlWriter, 1);
  writer->format = format;
  writer->threads = threads;
  writer->output = sl_output_new (path, error);
  if (writer->output == NULL || !choose_format (writer, path, error))
    return NULL;
  return g_steal_pointer (&writer);
}

SlWriter *
sl_writer_new_folder (const SlFolderForm *form, GError **error)
{
  SlFolderForm own = *form;
  if (own.format == SL_FORMAT_AUTO)
    own.format = SL_FORMAT_PARQUET;
  if (sl_format_extension (own.format) == NULL)
    {
      sl_error_usage (error,
                      "%s: a folder has files of parquet, arrow, arrows, csv or jsonl, not %s",
                      own.path, sl_format_names[own.format]);
      return NULL;
    }
  SlWriter *writer = g_new0 (SlWriter, 1);
  writer->format = own.format;
  writer->folder = sl_folder_out_new (&own);
  return writer;
}

void
sl_writer_free (SlWriter *writer)
{
  if (writer == NULL)
    return;
  g_clear_pointer (&writer->folder, sl_folder_out_free);
  sl_open_stream_spoil (writer->stream, -1);
  sl_rechunk_clear (&writer->chunks);
  g_clear_object (&writer->arrow);
  g_clear_object (&writer->nothing);
  g_clear_object (&writer->parquet);
  g_clear_object (&writer->sink);
  g_clear_object (&writer->messages);
  g_clear_object (&writer->seal);
  g_clear_object (&writer->schema);
  g_clear_pointer (&writer->render, sl_render_free);
  g_clear_pointer (&writer->table, sl_table_unref);
  g_clear_pointer (&writer->output, sl_output_free);
  g_clear_error (&writer->error);
  if (writer->text != NULL)
    g_string_free (writer->text, TRUE);
  g_free (writer);
}

SlOutput *
sl_writer_output (SlWriter *writer)
{
  return writer->output;
}

/* Ends a call: keeps the first failure, and gives it again on every later call. */
static gboolean
settle (SlWriter *writer, GError *problem, GError **error)
{
  if (problem != NULL && writer->error == NULL)
    {
      if (problem->domain == SL_ERROR || writer->output == NULL)
        writer->error = g_error_copy (problem);
      else
        sl_output_fail (writer->output, problem, &writer->error);
    }
  if (writer->error != NULL)
    g_propagate_error (error, g_error_copy (writer->error));
  return writer->error == NULL;
}

static gboolean
flush_text (SlWriter *writer, GError **error)
{
  if (!sl_output_write (writer->output, writer->text->str, writer->text->len, error))
    return FALSE;
  g_string_truncate (writer->text, 0);
  return TRUE;
}

static void
start_text (SlWriter *writer)
{
  writer->text = g_string_new (NULL);
  if (writer->format == SL_FORMAT_CSV)
    sl_csv_append_header (writer->text, writer->table);
  if (writer->format == SL_FORMAT_TABLE)
    writer->render = sl_render_new (writer->table, sl_display_columns (),
                                    sl_output_is_terminal (writer->output) && sl_display_color (),
                                    writer->preview ? TERMINAL_ROWS : 0);
}

static gboolean
is_sealed (const SlWriter *writer)
{
  return !writer->undigested
         && (writer->format == SL_FORMAT_ARROW || writer->format == SL_FORMAT_PARQUET);
}

static void
start_arrow (SlWriter *writer, GError **error)
{
  GOutputStream *bytes = sl_output_stream (writer->output);
  if (writer->format == SL_FORMAT_ARROWS && sl_output_in_place (writer->output) >= 0)
    writer->stream = sl_open_stream_remember (sl_output_in_place (writer->output));
  if (is_sealed (writer))
    bytes = writer->seal = sl_sealing_sink_new (bytes, writer->format == SL_FORMAT_PARQUET);
  if (writer->format != SL_FORMAT_PARQUET)
    bytes = writer->messages = sl_message_sink_new (bytes, writer->format == SL_FORMAT_ARROW);
  writer->sink = GARROW_OUTPUT_STREAM (garrow_gio_output_stream_new (bytes));
  if (writer->format != SL_FORMAT_PARQUET)
    writer->arrow
        = sl_stream_door_to (writer->schema, writer->sink, writer->format == SL_FORMAT_ARROW,
                             !writer->undigested, error);
  else
    writer->parquet = sl_parquet_door_to (writer->schema, writer->sink,
                                          ROW_GROUP_BATCHES * sl_table_batch_rows (writer->table),
                                          is_sealed (writer), writer->threads, error);
}

void
sl_writer_keep_same (SlWriter *writer)
{
  if (writer->folder != NULL)
    sl_folder_out_form (writer->folder)->keep_same = TRUE;
  else
    sl_output_keep_same (writer->output);
}

void
sl_writer_leave_undigested (SlWriter *writer)
{
  if (writer->folder != NULL)
    sl_folder_out_form (writer->folder)->undigested = TRUE;
  writer->undigested = TRUE;
}

gboolean
sl_writer_widen (SlWriter *writer)
{
  writer->wide = writer->format < SL_FORMAT_CSV;
  if (writer->folder != NULL)
    sl_folder_out_form (writer->folder)->wide = writer->wide;
  return writer->format <= SL_FORMAT_CSV;
}

gboolean
sl_writer_start (SlWriter *writer, SlTable *table, GError **error)
{
  g_assert (writer->table == NULL);
  writer->table = sl_table_ref (table);
  if (writer->folder != NULL)
    {
      g_autoptr (GError) wrong = NULL;
      (void) sl_folder_out_start (writer->folder, table, &wrong);
      return settle (writer, wrong, error);
    }
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  writer->schema = writer->wide ? sl_wide_schema (table, schema) : g_steal_pointer (&schema);
  sl_rechunk_init (&writer->chunks, sl_table_batch_rows (table));
  g_autoptr (GError) problem = NULL;
  if (writer->format >= SL_FORMAT_CSV)
    start_text (writer);
  else
    start_arrow (writer, &problem);
  return settle (writer, problem, error);
}

/* Text is gathered to about this much before it is written. */
#define TEXT_BYTES (1 << 20)

static gboolean
write_text (SlWriter *writer, GArrowRecordBatch *arrow, GError **error)
{
  g_autoptr (SlBatch) batch = sl_batch_new (writer->table, arrow, writer->rows, error);
  if (batch == NULL)
    return FALSE;
  if (writer->format == SL_FORMAT_TABLE)
    sl_render_batch (writer->render, batch, writer->text);
  else
    for (gint64 row = 0; row < batch->n_rows; row++)
      {
        if (writer->format == SL_FORMAT_CSV)
          sl_csv_append (writer->text, batch, row);
        else
          sl_jsonl_append (writer->text, batch, row);
        if (writer->text->len > TEXT_BYTES && !flush_text (writer, error))
          return FALSE;
      }
  return flush_text (writer, error);
}

/* What is in lists ends where the last list does, however many rows were read together. */
static void
fit (const struct ArrowSchema *type, struct ArrowArray *array)
{
  const gint64 end = array->offset + array->length;
  for (gint64 i = 0; i < array->n_children; i++)
    {
      struct ArrowArray *inside = array->children[i];
      const gint32 *offsets = array->n_buffers > 1 ? array->buffers[1] : NULL;
      gint64 n = g_str_has_prefix (type->format, "+w:")
                     ? end * g_ascii_strtoll (type->format + strlen ("+w:"), NULL, 10)
                 : offsets != NULL ? offsets[end]
                                   : end;
      if (inside->null_count != 0 && n != inside->length)
        inside->null_count = -1;
      inside->length = n;
      fit (type->children[i], inside);
    }
}

/* The same rows in buffers that end where the rows end. Of a longer buffer Arrow writes a few bytes
 * more, so the output would depend on how the rows were read. The C data interface gives every
 * buffer exactly the length of its rows. */
static GArrowRecordBatch *
trim (GArrowRecordBatch *batch, GError **error)
{
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (batch);
  g_autofree gpointer rows = NULL, types = NULL;
  if (!garrow_record_batch_export (batch, &rows, &types, error))
    return NULL;
  fit (types, rows);
  ((struct ArrowSchema *) types)->release (types);
  GArrowRecordBatch *trimmed = garrow_record_batch_import (rows, schema, error);
  sl_carray_release (rows);
  return trimmed;
}

static GArrowRecordBatch *
widen (const SlWriter *writer, GArrowRecordBatch *arrow, GError **error)
{
  g_autoptr (SlBatch) batch = sl_batch_new (writer->table, arrow, writer->rows, error);
  return batch != NULL ? sl_wide_batch (batch, writer->schema, error) : NULL;
}

/* LAST: ROWS is none, with the dictionaries that the table has, which may come only once. */
static gboolean
write_arrow (SlWriter *writer, GArrowRecordBatch *rows, gboolean last, GError **error)
{
  if (writer->undigested)
    return last || garrow_record_batch_writer_write_record_batch (writer->arrow, rows, error);
  if (!last && writer->nothing == NULL)
    {
      g_autoptr (GArrowRecordBatch) none = garrow_record_batch_slice (rows, 0, 0);
      if ((writer->nothing = trim (none, error)) == NULL)
        return FALSE;
    }
  return sl_stream_door_write (writer->arrow, writer->schema, rows, last, error);
}

static gboolean
write_rows (SlWriter *writer, GArrowRecordBatch *arrow, GError **error)
{
  if (writer->format >= SL_FORMAT_CSV)
    return write_text (writer, arrow, error);
  g_autoptr (GArrowRecordBatch) wide = NULL;
  if (writer->wide && (wide = widen (writer, arrow, error)) == NULL)
    return FALSE;
  g_autoptr (GArrowRecordBatch) trimmed = trim (wide != NULL ? wide : arrow, error);
  if (trimmed == NULL)
    return FALSE;
  sl_open_stream_begin (writer->stream);
  gboolean ok
      = writer->arrow != NULL
            ? write_arrow (writer, trimmed, FALSE, error)
            : gparquet_arrow_file_writer_write_record_batch (writer->parquet, trimmed, error);
  if (ok)
    sl_open_stream_mark (writer->stream);
  return ok;
}

static gboolean
write_chunks (SlWriter *writer, gboolean flush, GError **error)
{
  for (;;)
    {
      g_autoptr (GArrowRecordBatch) arrow = NULL;
      if (!sl_rechunk_pop (&writer->chunks, flush, &arrow, error))
        return FALSE;
      if (arrow == NULL)
        return TRUE;
      if (!write_rows (writer, arrow, error))
        return FALSE;
      writer->rows += garrow_record_batch_get_n_rows (arrow);
    }
}

gboolean
sl_writer_write (SlWriter *writer, SlBatch *batch, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (SlBatch) rows
      = writer->error == NULL ? sl_tag_columns_fill (batch, writer->table, &problem) : NULL;
  if (rows != NULL && writer->folder != NULL)
    {
      writer->rows += rows->n_rows;
      (void) sl_folder_out_write (writer->folder, rows, &problem);
    }
  else if (rows != NULL)
    {
      sl_rechunk_push (&writer->chunks, rows->arrow);
      write_chunks (writer, FALSE, &problem);
    }
  return settle (writer, problem, error);
}

gboolean
sl_writer_write_built (SlWriter *writer, SlBuilder *builder, gboolean flush, GError **error)
{
  if (sl_builder_rows (builder) == 0 || (!flush && sl_builder_room (builder) > 0))
    return writer->error == NULL || settle (writer, NULL, error);
  g_autoptr (SlBatch) batch = sl_builder_take (builder, error);
  return batch != NULL && sl_writer_write (writer, batch, error);
}

static void
end_table (SlWriter *writer, GError **error)
{
  if (!write_chunks (writer, TRUE, error))
    return;
  if (writer->render != NULL)
    sl_render_end (writer->render, writer->text);
  sl_open_stream_begin (writer->stream);
  if (writer->seal != NULL)
    sl_sealing_sink_end (writer->seal);
  gboolean ended = writer->text != NULL ? flush_text (writer, error)
                   : writer->arrow != NULL
                       ? write_arrow (writer, writer->nothing, TRUE, error)
                             && garrow_record_batch_writer_close (writer->arrow, error)
                       : gparquet_arrow_file_writer_close (writer->parquet, error);
  if (ended && writer->seal != NULL)
    ended = sl_sealing_sink_finish (writer->seal, error);
  if (ended && sl_output_finish (writer->output, error))
    sl_open_stream_forget (writer->stream);
}

gboolean
sl_writer_finish (SlWriter *writer, GError **error)
{
  g_autoptr (GError) problem = NULL;
  if (writer->error == NULL && writer->folder != NULL)
    (void) sl_folder_out_finish (writer->folder, &problem);
  else if (writer->error == NULL)
    end_table (writer, &problem);
  return settle (writer, problem, error);
}

gboolean
sl_writer_commit (SlWriter *writer, GError **error)
{
  g_autoptr (GError) problem = NULL;
  if (writer->error == NULL && writer->folder != NULL)
    (void) sl_folder_out_commit (writer->folder, &problem);
  else if (writer->error == NULL)
    sl_output_commit (writer->output, &problem);
  return settle (writer, problem, error);
}

gint64
sl_writer_rows (const SlWriter *writer)
{
  return writer->rows;
}

gboolean
sl_writer_is_broken_pipe (SlWriter *writer)
{
  return writer->output != NULL && sl_output_is_broken_pipe (writer->output);
}
