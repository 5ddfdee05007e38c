// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a few row groups, and the pages of distributions, are tasks that any thread may
// do; their bytes, which do not depend on which one does, are put together in the order of columns.
// A page of distributions says that its lists have one length and lack nothing; the numbers follow.
#include "pages.h"

#include "pipeline/arrow/guarded.h"
#include "pipeline/arrow/reading-memory.h"
#include "pipeline/base/parallel.h"
#include "lists.h"

#include <arrow/array/array_nested.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/util/byte_size.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>

using arrow::Status;
using Chunks = std::shared_ptr<arrow::ChunkedArray>;
using KeyValues = std::shared_ptr<const arrow::KeyValueMetadata>;

namespace
{
// Rows are held until there are so many bytes of them, or as many row groups as there are threads:
// of some tables one column takes most of the time.
const int64_t most_held = int64_t (32) << 20;
const int most_groups = 4;

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

// More than any other page has; one with still more is for Arrow to refuse.
const int64_t most_page_bytes = int64_t (1) << 30;

// Whether FIELD has lists of numbers, and a page holds MOST_ROWS of them.
bool
has_lists (const arrow::Field &field, int64_t most_rows)
{
  if (field.type ()->id () != arrow::Type::FIXED_SIZE_LIST)
    return false;
  const auto &lists = static_cast<const arrow::FixedSizeListType &> (*field.type ());
  const auto number = lists.value_type ()->id ();
  return !field.nullable () && !lists.value_field ()->nullable () && lists.list_size () > 0
         && (number == arrow::Type::DOUBLE || number == arrow::Type::FLOAT)
         && lists.list_size () <= most_page_bytes / lists.value_type ()->byte_width () / most_rows;
}

struct Lists
{
  explicit Lists (const arrow::Array &array)
  {
    const auto &lists = static_cast<const arrow::FixedSizeListArray &> (array);
    const auto &values = *lists.values ()->data ();
    whole = lists.null_count () == 0 && values.GetNullCount () == 0;
    rows = static_cast<gsize> (lists.length ());
    length = static_cast<gsize> (lists.list_type ()->list_size ());
    size = static_cast<gsize> (values.type->byte_width ());
    numbers = values.GetValues<uint8_t> (1, 0)
              + static_cast<gsize> (values.offset + lists.value_offset (0)) * size;
  }

  // Arrow makes shorter pages of them, with a dictionary; or refuses them.
  bool are_for_arrow () const { return !whole || sl_lists_recur (numbers, rows, length, size); }

  bool whole;
  gsize rows, length, size;
  const uint8_t *numbers;
};

// A page with its header, as it lies in the file.
struct Page
{
  std::shared_ptr<arrow::Buffer> bytes;
  int64_t n_values, n_unpacked;
};

arrow::Result<Page>
list_page (const Lists &lists, const parquet::ColumnDescriptor &column)
{
  using parquet::Encoding;
  if (!lists.whole)
    return Status::Invalid ("a list that must be there is missing");
  const gsize n = lists.rows * lists.length, bytes = n * lists.size;
  ARROW_ASSIGN_OR_RAISE (
      auto room, arrow::AllocateBuffer (static_cast<int64_t> (bytes + SL_LIST_LEVELS_MOST (n))));
  guint8 *to = room->mutable_data ();
  const gsize levels = sl_list_levels_write (to, lists.rows, lists.length,
                                             static_cast<guint8> (column.max_definition_level ()));
  std::copy_n (lists.numbers, bytes, to + levels);
  const arrow::Buffer page (to, static_cast<int64_t> (levels + bytes));
  ARROW_ASSIGN_OR_RAISE (auto sink, arrow::io::BufferOutputStream::Create (page.size () / 2));
  auto writer = parquet::PageWriter::Open (sink, parquet::Compression::ZSTD, nullptr, -1, -1,
                                           arrow::default_memory_pool (), false, nullptr, nullptr,
                                           true, nullptr, nullptr, parquet::CodecOptions (1));
  ARROW_ASSIGN_OR_RAISE (std::shared_ptr<arrow::ResizableBuffer> packed,
                         arrow::AllocateResizableBuffer (0));
  writer->Compress (page, packed.get ());
  const int64_t unpacked = writer->WriteDataPage (
      parquet::DataPageV1 (packed, static_cast<int32_t> (n), Encoding::PLAIN, Encoding::RLE,
                           Encoding::RLE, page.size ()));
  ARROW_ASSIGN_OR_RAISE (auto written, sink->Finish ());
  return Page{ written, static_cast<int64_t> (n), unpacked };
}

struct Task
{
  std::function<Status ()> work;
  Status status = {};

  static void run (int i, gpointer tasks)
  {
    auto &task = static_cast<Task *> (tasks)[i];
    task.status = sl::guarded (task.work);
  }
};

// A row group of one column of the table is: rows that are held, add_tasks(), more rows, ..., and
// write() after the last ones. Lists of numbers have a task, and a page, for each array; all others
// are a file in memory, which Arrow writes, and whose pages are taken over.
class Column
{
public:
  Column (std::shared_ptr<arrow::Field> field, const parquet::ColumnDescriptor *description,
          int64_t most_rows)
      : schema_ (arrow::schema ({ field })), description_ (description),
        is_lists_ (has_lists (*field, most_rows))
  {
  }

  void hold (std::shared_ptr<arrow::Array> array) { arrays_.push_back (std::move (array)); }

  // What is to be done with the rows that are held. LAST: the row group ends with them.
  void add_tasks (bool last, std::vector<Task> *tasks)
  {
    if (writer_ == nullptr && pages_.empty ())
      by_arrow_ = !is_lists_ || Lists (*arrays_[0]).are_for_arrow ();
    if (by_arrow_) // it takes longest
      {
        tasks->insert (tasks->begin (), Task{ [this, last] { return write_by_arrow (last); } });
        return;
      }
    for (const auto &array : std::exchange (arrays_, {}))
      tasks->push_back ({ [this, array, page = &pages_.emplace_back ()] () mutable {
        const auto held = std::move (array);
        return list_page (Lists (*held), *description_).Value (page);
      } });
  }

  // The row group, of which *BYTES becomes what it takes before it is compressed.
  Status write (arrow::io::OutputStream *sink, parquet::RowGroupMetaDataBuilder *group,
                int64_t *bytes)
  {
    if (!by_arrow_)
      return write_pages (sink, group, bytes);
    ARROW_ASSIGN_OR_RAISE (auto file, sink_->Finish ());
    const auto metadata = writer_->metadata ();
    const auto from = metadata->RowGroup (0);
    for (int c = 0; c < from->num_columns (); c++)
      {
        const auto chunk = from->ColumnChunk (c);
        const bool has_dictionary = chunk->has_dictionary_page ();
        const int64_t data = chunk->data_page_offset ();
        const int64_t start = has_dictionary ? chunk->dictionary_page_offset () : data;
        std::map<parquet::Encoding::type, int32_t> pages[2]; // of data, of dictionaries
        for (const auto &n : chunk->encoding_stats ())
          pages[n.page_type == parquet::PageType::DICTIONARY_PAGE][n.encoding] += n.count;
        auto *builder = group->NextColumnChunk ();
        if (chunk->is_stats_set ())
          builder->SetStatistics (*chunk->encoded_statistics ());
        ARROW_ASSIGN_OR_RAISE (const int64_t at, sink->Tell ());
        ARROW_RETURN_NOT_OK (
            sink->Write (arrow::SliceBuffer (file, start, chunk->total_compressed_size ())));
        builder->Finish (chunk->num_values (), has_dictionary ? at : 0, -1, at + data - start,
                         chunk->total_compressed_size (), chunk->total_uncompressed_size (),
                         has_dictionary, false, pages[1], pages[0]);
        *bytes += chunk->total_uncompressed_size ();
      }
    return Status::OK ();
  }

private:
  Status write_by_arrow (bool last)
  {
    if (writer_ == nullptr)
      {
        const auto style = make_style (schema_->field (0)->type ()->num_fields () > 0);
        ARROW_ASSIGN_OR_RAISE (sink_, arrow::io::BufferOutputStream::Create ());
        ARROW_ASSIGN_OR_RAISE (writer_, parquet::arrow::FileWriter::Open (
                                            *schema_, arrow::default_memory_pool (), sink_, style));
        ARROW_RETURN_NOT_OK (writer_->NewBufferedRowGroup ());
      }
    for (const auto &array : arrays_)
      ARROW_RETURN_NOT_OK (writer_->WriteRecordBatch (
          *arrow::RecordBatch::Make (schema_, array->length (), { array })));
    arrays_.clear ();
    return last ? writer_->Close () : Status::OK ();
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
    *bytes += n_unpacked;
    return Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  const parquet::ColumnDescriptor *description_;
  bool is_lists_, by_arrow_ = false;
  arrow::ArrayVector arrays_; // that are held
  std::deque<Page> pages_;
  std::shared_ptr<arrow::io::BufferOutputStream> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

struct Group
{
  std::vector<Column> columns;
  int64_t rows = 0;
};

class PageWriter : public parquet::arrow::FileWriter
{
public:
  PageWriter (std::shared_ptr<arrow::Schema> schema, std::shared_ptr<arrow::io::OutputStream> sink,
              int64_t group_rows, int threads)
      : schema_ (std::move (schema)), sink_ (std::move (sink)), group_rows_ (group_rows),
        threads_ (threads), n_groups_ (std::clamp (threads, 1, most_groups))
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
    footer_
        = parquet::FileMetaDataBuilder::Make (model_->schema (), make_style (false, created_by));
    begin_group ();
    return sink_->Write ("PAR1", 4);
  }

  Status WriteRecordBatch (const arrow::RecordBatch &batch) override
  {
    return sl::guarded ([&] { return write (batch); });
  }

  Status Close () override
  {
    return sl::guarded ([&] {
      if (groups_.back ().rows == 0)
        groups_.pop_back ();
      ARROW_RETURN_NOT_OK (step (true));
      parquet::WriteFileMetaData (*footer_->Finish (model_->key_value_metadata ()), sink_.get ());
      return Status::OK ();
    });
  }

  std::shared_ptr<arrow::Schema> schema () const override { return schema_; }
  arrow::MemoryPool *memory_pool () const override { return arrow::default_memory_pool (); }
  const std::shared_ptr<parquet::FileMetaData> metadata () const override { return model_; }

  Status WriteTable (const arrow::Table &, int64_t) override { return others (); }
  Status NewRowGroup () override { return others (); }
  Status NewBufferedRowGroup () override { return others (); }
  Status WriteColumnChunk (const arrow::Array &) override { return others (); }
  Status WriteColumnChunk (const Chunks &, int64_t, int64_t) override { return others (); }
  Status WriteColumnChunk (const Chunks &) override { return others (); }
  Status AddKeyValueMetadata (const KeyValues &) override { return others (); }

private:
  static Status others () { return Status::NotImplemented ("this writer takes batches alone"); }

  void begin_group ()
  {
    const auto *leaves = model_->schema ();
    auto &columns = groups_.emplace_back ().columns;
    for (int leaf = 0; leaf < leaves->num_columns (); leaf++)
      if (leaf == 0 || leaves->GetColumnRoot (leaf) != leaves->GetColumnRoot (leaf - 1))
        columns.emplace_back (schema_->field (static_cast<int> (columns.size ())),
                              leaves->Column (leaf), group_rows_);
  }

  bool holds_most () const
  {
    return held_bytes_ >= std::min (n_groups_ * most_held, sl_reading_most () / 4);
  }

  Status write (const arrow::RecordBatch &batch)
  {
    if (groups_.back ().rows + batch.num_rows () > group_rows_)
      ARROW_RETURN_NOT_OK (end_group ());
    auto &group = groups_.back ();
    group.rows += batch.num_rows ();
    held_bytes_ += arrow::util::TotalBufferSize (batch);
    for (size_t c = 0; c < group.columns.size (); c++)
      group.columns[c].hold (batch.column (static_cast<int> (c)));
    if (group.rows == group_rows_)
      return end_group ();
    return holds_most () ? step (false) : Status::OK ();
  }

  // What is held is encoded and compressed. LAST: the last row group ends with it, as others do.
  Status step (bool last)
  {
    std::vector<Task> tasks;
    for (size_t g = 0; g < groups_.size (); g++)
      for (auto &column : groups_[g].columns)
        column.add_tasks (last || g + 1 < groups_.size (), &tasks);
    held_bytes_ = 0;
    sl_parallel (threads_, static_cast<int> (tasks.size ()), Task::run, tasks.data ());
    for (const auto &task : tasks)
      ARROW_RETURN_NOT_OK (task.status);
    for (; groups_.size () > (last ? 0 : 1); groups_.pop_front ())
      ARROW_RETURN_NOT_OK (write_group (groups_.front ()));
    return Status::OK ();
  }

  Status write_group (Group &from)
  {
    auto *group = footer_->AppendRowGroup ();
    group->set_num_rows (from.rows);
    int64_t bytes = 0;
    for (auto &column : from.columns)
      ARROW_RETURN_NOT_OK (column.write (sink_.get (), group, &bytes));
    group->Finish (bytes, -1); // the number is for readers of encrypted files
    return Status::OK ();
  }

  Status end_group ()
  {
    if (groups_.back ().rows == 0)
      return Status::OK ();
    if (static_cast<int> (groups_.size ()) == n_groups_ || holds_most ())
      ARROW_RETURN_NOT_OK (step (true));
    begin_group ();
    return Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  int64_t group_rows_;
  int threads_, n_groups_;
  std::shared_ptr<parquet::FileMetaData> model_;
  std::unique_ptr<parquet::FileMetaDataBuilder> footer_;
  std::deque<Group> groups_; // the last is being filled
  int64_t held_bytes_ = 0;
};
}

arrow::Result<std::unique_ptr<parquet::arrow::FileWriter> >
sl::page_writer (std::shared_ptr<arrow::Schema> schema,
                 std::shared_ptr<arrow::io::OutputStream> sink, int64_t group_rows,
                 const char *created_by, int threads)
{
  auto writer = std::make_unique<PageWriter> (schema, sink, group_rows, threads);
  ARROW_RETURN_NOT_OK (writer->open (created_by));
  return writer;
}
