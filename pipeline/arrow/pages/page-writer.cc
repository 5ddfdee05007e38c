// SPDX-License-Identifier: GPL-3.0-or-later
// Writes Parquet on several threads. A row group's columns, and the pages of its distributions, are
// tasks that do not ask for one another; their bytes are put together in the columns' order.
#include "page-writer.h"

#include "pipeline/base/parallel.h"
#include "pipeline/arrow/reading-memory.h"
#include "column.h"

#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>

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

class PageWriter : public parquet::arrow::FileWriter
{
public:
  PageWriter (std::shared_ptr<arrow::Schema> schema, std::shared_ptr<arrow::io::OutputStream> sink,
              int64_t group_rows, const char *created_by, int threads)
      : schema_ (std::move (schema)), sink_ (std::move (sink)), group_rows_ (group_rows),
        created_by_ (created_by), threads_ (threads)
  {
  }

  Status
  open ()
  {
    ARROW_RETURN_NOT_OK (describe ());
    parquet::WriterProperties::Builder style (*sl::parquet_style ().flat);
    if (created_by_ != nullptr)
      style.created_by (created_by_);
    footer_ = parquet::FileMetaDataBuilder::Make (model_->schema (), style.build ());
    for (int c = 0, leaf = 0; c < schema_->num_fields (); c++)
      {
        const auto *description = model_->schema ()->Column (leaf);
        auto column = sl::list_column (schema_->field (c), description, group_rows_);
        columns_.push_back (column != nullptr ? std::move (column)
                                              : sl::library_column (schema_->field (c)));
        for (const auto *root = model_->schema ()->GetColumnRoot (leaf);
             leaf < model_->num_columns () && model_->schema ()->GetColumnRoot (leaf) == root;)
          leaf++;
      }
    return sink_->Write ("PAR1", 4);
  }

  Status
  WriteRecordBatch (const arrow::RecordBatch &batch) override
  {
    return guarded ([&] { return write (batch); });
  }

  Status
  Close () override
  {
    return guarded ([&] {
      ARROW_RETURN_NOT_OK (end_group ());
      parquet::WriteFileMetaData (*footer_->Finish (model_->key_value_metadata ()), sink_.get ());
      return Status::OK ();
    });
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return schema_;
  }

  arrow::MemoryPool *
  memory_pool () const override
  {
    return arrow::default_memory_pool ();
  }

  const std::shared_ptr<parquet::FileMetaData>
  metadata () const override
  {
    return model_;
  }

  // It takes batches, and nothing else.
  Status
  WriteTable (const arrow::Table &, int64_t) override
  {
    return batches_alone ();
  }

  Status
  NewRowGroup () override
  {
    return batches_alone ();
  }

  Status
  NewBufferedRowGroup () override
  {
    return batches_alone ();
  }

  Status
  WriteColumnChunk (const arrow::Array &) override
  {
    return batches_alone ();
  }

  Status
  WriteColumnChunk (const std::shared_ptr<arrow::ChunkedArray> &, int64_t, int64_t) override
  {
    return batches_alone ();
  }

  Status
  WriteColumnChunk (const std::shared_ptr<arrow::ChunkedArray> &) override
  {
    return batches_alone ();
  }

  Status
  AddKeyValueMetadata (const std::shared_ptr<const arrow::KeyValueMetadata> &) override
  {
    return batches_alone ();
  }

private:
  static Status
  batches_alone ()
  {
    return Status::NotImplemented ("this writer takes batches alone");
  }

  Status
  write (const arrow::RecordBatch &batch)
  {
    if (rows_ + batch.num_rows () > group_rows_)
      ARROW_RETURN_NOT_OK (end_group ());
    rows_ += batch.num_rows ();
    for (const auto &column : batch.column_data ())
      held_bytes_ += bytes_of (*column);
    held_.push_back (
        arrow::RecordBatch::Make (batch.schema (), batch.num_rows (), batch.columns ()));
    if (rows_ == group_rows_)
      return end_group ();
    return held_bytes_ < std::min (most_held, sl_reading_most () / 4) ? Status::OK ()
                                                                      : step (false);
  }

  // The file's schema and metadata are those of a file without rows, which Arrow writes.
  Status
  describe ()
  {
    auto keep_schema = parquet::ArrowWriterProperties::Builder ().store_schema ()->build ();
    ARROW_ASSIGN_OR_RAISE (auto nowhere, arrow::io::BufferOutputStream::Create ());
    ARROW_ASSIGN_OR_RAISE (auto writer, parquet::arrow::FileWriter::Open (
                                            *schema_, arrow::default_memory_pool (), nowhere,
                                            sl::parquet_style ().flat, keep_schema));
    ARROW_RETURN_NOT_OK (writer->Close ());
    model_ = writer->metadata ();
    return Status::OK ();
  }

  // What is held is encoded and compressed. LAST: the row group ends with it.
  Status
  step (bool last)
  {
    std::vector<Task> tasks;
    for (size_t c = 0; c < columns_.size (); c++)
      {
        sl::Arrays arrays;
        for (const auto &batch : held_)
          arrays.push_back (batch->column (static_cast<int> (c)));
        const int n = columns_[c]->begin_step (std::move (arrays), last);
        // A column that is one task takes longest.
        auto at = n == 1 ? tasks.begin () : tasks.end ();
        for (int i = 0; i < n; i++)
          at = tasks.insert (at, Task{ columns_[c].get (), i, Status::OK () }) + 1;
      }
    held_.clear ();
    held_bytes_ = 0;
    sl_parallel (threads_, static_cast<int> (tasks.size ()), do_task, tasks.data ());
    for (const auto &task : tasks)
      ARROW_RETURN_NOT_OK (task.status);
    return Status::OK ();
  }

  Status
  end_group ()
  {
    if (rows_ == 0)
      return Status::OK ();
    ARROW_RETURN_NOT_OK (step (true));
    std::vector<sl::Chunk> chunks;
    for (const auto &column : columns_)
      ARROW_RETURN_NOT_OK (column->take_chunks (&chunks));
    auto *group = footer_->AppendRowGroup ();
    group->set_num_rows (rows_);
    int64_t bytes = 0;
    for (const auto &chunk : chunks)
      {
        ARROW_RETURN_NOT_OK (write_chunk (chunk, group->NextColumnChunk ()));
        bytes += chunk.n_unpacked;
      }
    // The number is for readers of encrypted files.
    group->Finish (bytes, -1);
    rows_ = 0;
    return Status::OK ();
  }

  Status
  write_chunk (const sl::Chunk &chunk, parquet::ColumnChunkMetaDataBuilder *builder)
  {
    ARROW_ASSIGN_OR_RAISE (const int64_t at, sink_->Tell ());
    for (const auto &bytes : chunk.bytes)
      ARROW_RETURN_NOT_OK (sink_->Write (bytes));
    if (chunk.statistics != nullptr)
      builder->SetStatistics (*chunk.statistics);
    const bool has_dictionary = chunk.dictionary_at >= 0;
    builder->Finish (chunk.n_values, has_dictionary ? at + chunk.dictionary_at : 0, -1,
                     at + chunk.data_at, chunk.n_bytes, chunk.n_unpacked, has_dictionary, false,
                     chunk.dictionary_pages, chunk.data_pages);
    return Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  int64_t group_rows_;
  const char *created_by_;
  int threads_;
  std::shared_ptr<parquet::FileMetaData> model_;
  std::unique_ptr<parquet::FileMetaDataBuilder> footer_;
  std::vector<std::unique_ptr<sl::ParquetColumn> > columns_;
  std::vector<std::shared_ptr<arrow::RecordBatch> > held_;
  int64_t held_bytes_ = 0;
  int64_t rows_ = 0; // of the row group
};
}

arrow::Result<std::unique_ptr<parquet::arrow::FileWriter> >
sl::page_writer (std::shared_ptr<arrow::Schema> schema,
                 std::shared_ptr<arrow::io::OutputStream> sink, int64_t group_rows,
                 const char *created_by, int threads)
{
  auto writer = std::make_unique<PageWriter> (std::move (schema), std::move (sink), group_rows,
                                              created_by, threads);
  ARROW_RETURN_NOT_OK (writer->open ());
  return writer;
}
