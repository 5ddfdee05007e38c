// SPDX-License-Identifier: GPL-3.0-or-later
// A row group's columns, and the pages of its distributions, are tasks that any thread may do;
// their bytes, which do not depend on which one does, are put together in the order of columns.
#include "page-writer.h"

#include "pipeline/arrow/reading-memory.h"
#include "pipeline/base/parallel.h"
#include "guarded.h"
#include "list-pages.h"

#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_writer.h>

#include <algorithm>
#include <limits>
#include <map>

using arrow::Status;
using Arrays = std::vector<std::shared_ptr<arrow::Array> >;
using Chunks = std::shared_ptr<arrow::ChunkedArray>;
using KeyValues = std::shared_ptr<const arrow::KeyValueMetadata>;
using PageCounts = std::map<parquet::Encoding::type, int32_t>;

namespace
{
// Rows are held until there are so many bytes of them, or until their row group is full.
const int64_t most_held = int64_t (32) << 20;

std::shared_ptr<parquet::WriterProperties>
make_style (bool nested, const char *created_by = nullptr)
{
  parquet::WriterProperties::Builder builder;
  builder.compression (parquet::Compression::ZSTD);
  builder.compression_level (1);
  builder.max_row_group_length (std::numeric_limits<int64_t>::max ());
  builder.enable_page_checksum ();
  builder.disable_write_page_index ();
  builder.set_size_statistics_level (parquet::SizeStatisticsLevel::None);
  if (nested)
    builder.disable_statistics (); // least and largest member of any list: nobody asks for that
  if (created_by != nullptr)
    builder.created_by (created_by);
  return builder.build ();
}

// A row group of one column of the table is: begin(), its tasks, begin() with more rows, ..., and
// write() after the last ones. Lists of numbers have a task, and a page, for each array; all others
// are a file in memory, which Arrow writes, and whose pages are taken over.
class Column
{
public:
  Column (std::shared_ptr<arrow::Field> field, const parquet::ColumnDescriptor *description,
          int64_t most_rows)
      : schema_ (arrow::schema ({ field })), description_ (description),
        is_lists_ (sl::list_number_bytes (*field, *description, most_rows) > 0)
  {
  }

  // So many tasks are to be done with the next rows. LAST: the row group ends with them.
  int begin (Arrays arrays, bool last)
  {
    if (!begun_)
      by_arrow_ = !is_lists_ || !sl::has_list_pages (*arrays[0]);
    begun_ = true;
    last_ = last;
    arrays_ = std::move (arrays);
    first_ = pages_.size ();
    pages_.resize (by_arrow_ ? 0 : first_ + arrays_.size ());
    return by_arrow_ ? 1 : static_cast<int> (arrays_.size ());
  }

  Status do_task (int task)
  {
    if (by_arrow_)
      return write_by_arrow ();
    const auto i = static_cast<size_t> (task);
    const auto array = std::move (arrays_[i]);
    return sl::list_page (*array, description_).Value (&pages_[first_ + i]);
  }

  // The row group, of which *BYTES becomes what it takes before it is compressed.
  Status write (arrow::io::OutputStream *sink, parquet::RowGroupMetaDataBuilder *group,
                int64_t *bytes)
  {
    begun_ = false;
    return by_arrow_ ? take_over (sink, group, bytes) : write_pages (sink, group, bytes);
  }

private:
  Status write_by_arrow ()
  {
    if (writer_ == nullptr)
      {
        auto *pool = arrow::default_memory_pool ();
        ARROW_ASSIGN_OR_RAISE (sink_, arrow::io::BufferOutputStream::Create ());
        ARROW_ASSIGN_OR_RAISE (writer_,
                               parquet::arrow::FileWriter::Open (
                                   *schema_, pool, sink_,
                                   make_style (schema_->field (0)->type ()->num_fields () > 0)));
        ARROW_RETURN_NOT_OK (writer_->NewBufferedRowGroup ());
      }
    for (const auto &array : arrays_)
      ARROW_RETURN_NOT_OK (writer_->WriteRecordBatch (
          *arrow::RecordBatch::Make (schema_, array->length (), { array })));
    arrays_.clear ();
    return last_ ? writer_->Close () : Status::OK ();
  }

  Status take_over (arrow::io::OutputStream *sink, parquet::RowGroupMetaDataBuilder *group,
                    int64_t *bytes)
  {
    ARROW_ASSIGN_OR_RAISE (auto file, sink_->Finish ());
    const auto metadata = writer_->metadata ();
    writer_ = nullptr;
    if (metadata->num_row_groups () != 1)
      return Status::UnknownError ("a row group has not been written");
    const auto from = metadata->RowGroup (0);
    for (int c = 0; c < from->num_columns (); c++)
      {
        const auto chunk = from->ColumnChunk (c);
        const bool has_dictionary = chunk->has_dictionary_page ();
        const int64_t data = chunk->data_page_offset ();
        const int64_t dictionary = has_dictionary ? chunk->dictionary_page_offset () : 0;
        const int64_t start = has_dictionary ? std::min (dictionary, data) : data;
        PageCounts dictionaries, pages;
        for (const auto &n : chunk->encoding_stats ())
          (n.page_type == parquet::PageType::DICTIONARY_PAGE ? dictionaries : pages)[n.encoding]
              += n.count;
        auto *builder = group->NextColumnChunk ();
        if (chunk->is_stats_set ())
          builder->SetStatistics (*chunk->encoded_statistics ());
        ARROW_ASSIGN_OR_RAISE (int64_t at, sink->Tell ());
        at -= start;
        ARROW_RETURN_NOT_OK (
            sink->Write (arrow::SliceBuffer (file, start, chunk->total_compressed_size ())));
        builder->Finish (chunk->num_values (), has_dictionary ? at + dictionary : 0, -1, at + data,
                         chunk->total_compressed_size (), chunk->total_uncompressed_size (),
                         has_dictionary, false, dictionaries, pages);
        *bytes += chunk->total_uncompressed_size ();
      }
    return Status::OK ();
  }

  Status write_pages (arrow::io::OutputStream *sink, parquet::RowGroupMetaDataBuilder *group,
                      int64_t *bytes)
  {
    int64_t n_values = 0, n_bytes = 0, n_unpacked = 0;
    ARROW_ASSIGN_OR_RAISE (const int64_t at, sink->Tell ());
    for (const auto &page : pages_)
      {
        ARROW_RETURN_NOT_OK (sink->Write (page.bytes));
        n_values += page.n_values;
        n_bytes += page.bytes->size ();
        n_unpacked += page.n_unpacked;
      }
    group->NextColumnChunk ()->Finish (
        n_values, 0, -1, at, n_bytes, n_unpacked, false, false, {},
        { { parquet::Encoding::PLAIN, static_cast<int32_t> (pages_.size ()) } });
    pages_.clear ();
    *bytes += n_unpacked;
    return Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  const parquet::ColumnDescriptor *description_;
  bool is_lists_, begun_ = false, by_arrow_ = false, last_ = false;
  Arrays arrays_; // of this step
  std::vector<sl::Page> pages_;
  size_t first_ = 0; // page of this step
  std::shared_ptr<arrow::io::BufferOutputStream> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

struct Task
{
  Column *column;
  int number;
  Status status;
};

void
do_task (int i, gpointer data)
{
  auto &task = static_cast<Task *> (data)[i];
  task.status = sl::guarded ([&] { return task.column->do_task (task.number); });
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

class PageWriter : public parquet::arrow::FileWriter
{
public:
  PageWriter (std::shared_ptr<arrow::Schema> schema, std::shared_ptr<arrow::io::OutputStream> sink,
              int64_t group_rows, int threads)
      : schema_ (std::move (schema)), sink_ (std::move (sink)), group_rows_ (group_rows),
        threads_ (threads)
  {
  }

  // The file's schema and metadata are those of a file without rows, which Arrow writes.
  Status open (const char *created_by)
  {
    ARROW_ASSIGN_OR_RAISE (auto nowhere, arrow::io::BufferOutputStream::Create ());
    ARROW_ASSIGN_OR_RAISE (
        auto writer, parquet::arrow::FileWriter::Open (
                         *schema_, memory_pool (), nowhere, make_style (false),
                         parquet::ArrowWriterProperties::Builder ().store_schema ()->build ()));
    ARROW_RETURN_NOT_OK (writer->Close ());
    model_ = writer->metadata ();
    const auto *columns = model_->schema ();
    footer_ = parquet::FileMetaDataBuilder::Make (columns, make_style (false, created_by));
    for (int leaf = 0; leaf < columns->num_columns (); leaf++)
      if (leaf == 0 || columns->GetColumnRoot (leaf) != columns->GetColumnRoot (leaf - 1))
        columns_.emplace_back (schema_->field (static_cast<int> (columns_.size ())),
                               columns->Column (leaf), group_rows_);
    return sink_->Write ("PAR1", 4);
  }

  Status WriteRecordBatch (const arrow::RecordBatch &batch) override
  {
    return sl::guarded ([&] { return write (batch); });
  }

  Status Close () override
  {
    return sl::guarded ([&] {
      ARROW_RETURN_NOT_OK (end_group ());
      parquet::WriteFileMetaData (*footer_->Finish (model_->key_value_metadata ()), sink_.get ());
      return Status::OK ();
    });
  }

  std::shared_ptr<arrow::Schema> schema () const override { return schema_; }
  arrow::MemoryPool *memory_pool () const override { return arrow::default_memory_pool (); }
  const std::shared_ptr<parquet::FileMetaData> metadata () const override { return model_; }

  // It takes batches, and nothing else.
  Status WriteTable (const arrow::Table &, int64_t) override { return others (); }
  Status NewRowGroup () override { return others (); }
  Status NewBufferedRowGroup () override { return others (); }
  Status WriteColumnChunk (const arrow::Array &) override { return others (); }
  Status WriteColumnChunk (const Chunks &, int64_t, int64_t) override { return others (); }
  Status WriteColumnChunk (const Chunks &) override { return others (); }
  Status AddKeyValueMetadata (const KeyValues &) override { return others (); }

private:
  static Status others () { return Status::NotImplemented ("this writer takes batches alone"); }

  Status write (const arrow::RecordBatch &batch)
  {
    if (rows_ + batch.num_rows () > group_rows_)
      ARROW_RETURN_NOT_OK (end_group ());
    rows_ += batch.num_rows ();
    held_.push_back (batch.columns ());
    for (const auto &column : batch.column_data ())
      held_bytes_ += bytes_of (*column);
    if (rows_ == group_rows_)
      return end_group ();
    return held_bytes_ < std::min (most_held, sl_reading_most () / 4) ? Status::OK ()
                                                                      : step (false);
  }

  // What is held is encoded and compressed. LAST: the row group ends with it.
  Status step (bool last)
  {
    std::vector<Task> tasks;
    for (size_t c = 0; c < columns_.size (); c++)
      {
        Arrays arrays;
        for (const auto &batch : held_)
          arrays.push_back (batch[c]);
        const int n = columns_[c].begin (std::move (arrays), last);
        // A column that is one task takes longest.
        auto at = n == 1 ? tasks.begin () : tasks.end ();
        for (int i = 0; i < n; i++)
          at = tasks.insert (at, Task{ &columns_[c], i, Status::OK () }) + 1;
      }
    held_.clear ();
    held_bytes_ = 0;
    sl_parallel (threads_, static_cast<int> (tasks.size ()), do_task, tasks.data ());
    for (const auto &task : tasks)
      ARROW_RETURN_NOT_OK (task.status);
    return Status::OK ();
  }

  Status end_group ()
  {
    if (rows_ == 0)
      return Status::OK ();
    ARROW_RETURN_NOT_OK (step (true));
    auto *group = footer_->AppendRowGroup ();
    group->set_num_rows (rows_);
    int64_t bytes = 0;
    for (auto &column : columns_)
      ARROW_RETURN_NOT_OK (column.write (sink_.get (), group, &bytes));
    group->Finish (bytes, -1); // the number is for readers of encrypted files
    rows_ = 0;
    return Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  int64_t group_rows_;
  int threads_;
  std::shared_ptr<parquet::FileMetaData> model_;
  std::unique_ptr<parquet::FileMetaDataBuilder> footer_;
  std::vector<Column> columns_;
  std::vector<Arrays> held_; // the columns of each batch
  int64_t held_bytes_ = 0;
  int64_t rows_ = 0; // of the row group
};
}

arrow::Result<std::unique_ptr<parquet::arrow::FileWriter> >
sl::page_writer (std::shared_ptr<arrow::Schema> schema,
                 std::shared_ptr<arrow::io::OutputStream> sink, int64_t group_rows,
                 const char *created_by, int threads)
{
  auto writer
      = std::make_unique<PageWriter> (std::move (schema), std::move (sink), group_rows, threads);
  ARROW_RETURN_NOT_OK (writer->open (created_by));
  return writer;
}
