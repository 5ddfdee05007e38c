// SPDX-License-Identifier: GPL-3.0-or-later
// Writes Parquet on several threads. A row group's columns, and the pages of its distributions, are
// tasks that do not ask for one another; their bytes are put together in the columns' order.
#include "pipeline/files/arrow-cxx.h"

#include "pipeline/base/parallel.h"
#include "pipeline/table/reading-memory.h"
#include "parquet-column.h"

#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <new>

using arrow::Status;

namespace
{
// Rows are held until there are so many bytes of them, or until their row group is full.
const int64_t most_held = int64_t (32) << 20;

// STEP, which may throw, as C++ and Parquet's library do.
template <typename Step>
Status
guarded (Step step)
{
  try
    {
      return step ();
    }
  catch (const std::bad_alloc &)
    {
      return Status::OutOfMemory ("not enough memory");
    }
  catch (const std::exception &e)
    {
      return Status::UnknownError (e.what ());
    }
}

int64_t
bytes_of (const arrow::ArrayData &data)
{
  int64_t bytes = 0;
  for (const auto &buffer : data.buffers)
    bytes += buffer != nullptr ? buffer->size () : 0;
  for (const auto &child : data.child_data)
    bytes += bytes_of (*child);
  return bytes;
}

struct Task
{
  sl::ParquetColumn *column;
  int number;
  Status status;
};

void
do_task (int i, gpointer data)
{
  auto &task = static_cast<Task *> (data)[i];
  task.status = guarded ([&] { return task.column->do_task (task.number); });
}
}

struct _SlParquetWriter
{
  Status
  open (const std::shared_ptr<arrow::Schema> &schema)
  {
    ARROW_RETURN_NOT_OK (describe (schema));
    metadata = parquet::FileMetaDataBuilder::Make (model->schema (), sl::parquet_style ().flat);
    for (int c = 0, leaf = 0; c < schema->num_fields (); c++)
      {
        const auto *description = model->schema ()->Column (leaf);
        auto column = sl::list_column (schema->field (c), description, group_rows);
        columns.push_back (column != nullptr ? std::move (column)
                                             : sl::library_column (schema->field (c)));
        for (const auto *root = model->schema ()->GetColumnRoot (leaf);
             leaf < model->num_columns () && model->schema ()->GetColumnRoot (leaf) == root;)
          leaf++;
      }
    return sink->Write ("PAR1", 4);
  }

  Status
  write (std::shared_ptr<arrow::RecordBatch> batch)
  {
    if (rows + batch->num_rows () > group_rows)
      ARROW_RETURN_NOT_OK (end_group ());
    rows += batch->num_rows ();
    for (const auto &column : batch->column_data ())
      held_bytes += bytes_of (*column);
    held.push_back (std::move (batch));
    if (rows == group_rows)
      return end_group ();
    return held_bytes < std::min (most_held, sl_reading_most () / 4) ? Status::OK () : step (false);
  }

  Status
  close ()
  {
    ARROW_RETURN_NOT_OK (end_group ());
    auto footer = metadata->Finish (model->key_value_metadata ());
    parquet::WriteFileMetaData (*footer, sink.get ());
    return Status::OK ();
  }

  std::shared_ptr<arrow::io::OutputStream> sink;
  int64_t group_rows;
  int threads;

private:
  // The file's schema and metadata are those of a file without rows, which Arrow writes.
  Status
  describe (const std::shared_ptr<arrow::Schema> &schema)
  {
    auto keep_schema = parquet::ArrowWriterProperties::Builder ().store_schema ()->build ();
    ARROW_ASSIGN_OR_RAISE (auto nowhere, arrow::io::BufferOutputStream::Create ());
    ARROW_ASSIGN_OR_RAISE (auto writer, parquet::arrow::FileWriter::Open (
                                            *schema, arrow::default_memory_pool (), nowhere,
                                            sl::parquet_style ().flat, keep_schema));
    ARROW_RETURN_NOT_OK (writer->Close ());
    model = writer->metadata ();
    return Status::OK ();
  }

  // What is held is encoded and compressed. LAST: the row group ends with it.
  Status
  step (bool last)
  {
    std::vector<Task> tasks;
    for (size_t c = 0; c < columns.size (); c++)
      {
        sl::Arrays arrays;
        for (const auto &batch : held)
          arrays.push_back (batch->column (static_cast<int> (c)));
        const int n = columns[c]->begin_step (std::move (arrays), last);
        // A column that is one task takes longest.
        auto at = n == 1 ? tasks.begin () : tasks.end ();
        for (int i = 0; i < n; i++)
          at = tasks.insert (at, Task{ columns[c].get (), i, Status::OK () }) + 1;
      }
    held.clear ();
    held_bytes = 0;
    sl_parallel (threads, static_cast<int> (tasks.size ()), do_task, tasks.data ());
    for (const auto &task : tasks)
      ARROW_RETURN_NOT_OK (task.status);
    return Status::OK ();
  }

  Status
  end_group ()
  {
    if (rows == 0)
      return Status::OK ();
    ARROW_RETURN_NOT_OK (step (true));
    std::vector<sl::Chunk> chunks;
    for (const auto &column : columns)
      ARROW_RETURN_NOT_OK (column->take_chunks (&chunks));
    auto *group = metadata->AppendRowGroup ();
    group->set_num_rows (rows);
    int64_t bytes = 0;
    for (const auto &chunk : chunks)
      {
        ARROW_RETURN_NOT_OK (write_chunk (chunk, group->NextColumnChunk ()));
        bytes += chunk.n_unpacked;
      }
    // The number is for readers of encrypted files.
    group->Finish (bytes, -1);
    rows = 0;
    return Status::OK ();
  }

  Status
  write_chunk (const sl::Chunk &chunk, parquet::ColumnChunkMetaDataBuilder *builder)
  {
    ARROW_ASSIGN_OR_RAISE (const int64_t at, sink->Tell ());
    for (const auto &bytes : chunk.bytes)
      ARROW_RETURN_NOT_OK (sink->Write (bytes));
    if (chunk.statistics != nullptr)
      builder->SetStatistics (*chunk.statistics);
    const bool has_dictionary = chunk.dictionary_at >= 0;
    builder->Finish (chunk.n_values, has_dictionary ? at + chunk.dictionary_at : 0, -1,
                     at + chunk.data_at, chunk.n_bytes, chunk.n_unpacked, has_dictionary, false,
                     chunk.dictionary_pages, chunk.data_pages);
    return Status::OK ();
  }

  std::shared_ptr<parquet::FileMetaData> model;
  std::unique_ptr<parquet::FileMetaDataBuilder> metadata;
  std::vector<std::unique_ptr<sl::ParquetColumn> > columns;
  std::vector<std::shared_ptr<arrow::RecordBatch> > held;
  int64_t held_bytes = 0;
  int64_t rows = 0; // of the row group
};

SlParquetWriter *
sl_parquet_writer_new (GArrowSchema *schema, GArrowOutputStream *sink, gint64 row_group_rows,
                       int threads, GError **error)
{
  auto *writer = new SlParquetWriter ();
  writer->sink = garrow_output_stream_get_raw (sink);
  writer->group_rows = row_group_rows;
  writer->threads = threads;
  auto status = guarded ([&] { return writer->open (garrow_schema_get_raw (schema)); });
  if (garrow::check (error, status, "parquet"))
    return writer;
  delete writer;
  return nullptr;
}

void
sl_parquet_writer_free (SlParquetWriter *writer)
{
  delete writer;
}

gboolean
sl_parquet_writer_write (SlParquetWriter *writer, GArrowRecordBatch *batch, GError **error)
{
  auto status = guarded ([&] { return writer->write (garrow_record_batch_get_raw (batch)); });
  return garrow::check (error, status, "parquet");
}

gboolean
sl_parquet_writer_close (SlParquetWriter *writer, GError **error)
{
  return garrow::check (error, guarded ([&] { return writer->close (); }), "parquet");
}
