/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Arrow GLib does not offer. */
#include "arrow-cxx.h"

#include "pipeline/base/shortage.h"
#include "pipeline/table/reading-memory.h"
#include "file-seal.h"
#include "parquet-groups.h"

#include <arrow/array/array_nested.h>
#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <system_error>

static void
end ()
{
  try
    {
      std::rethrow_exception (std::current_exception ());
    }
  catch (const std::bad_alloc &)
    {
      sl_shortage_end ("not enough memory");
    }
  catch (const std::system_error &)
    {
      sl_shortage_end ("no further thread can be started (-j 1 needs fewer)");
    }
  catch (const std::exception &e)
    {
      sl_shortage_end (e.what ());
    }
  catch (...)
    {
      sl_shortage_end ("a library has failed");
    }
}

void
sl_arrow_init (void)
{
  std::set_terminate (end);
}

void
sl_arrow_set_threads (int threads)
{
  (void) arrow::SetCpuThreadPoolCapacity (threads);
}

/* Two Parquet files run together read as the second one's footer over the first one's data. The
 * second file's leading magic then stands where its footer is further from the start than its own
 * table of contents says. */
static arrow::Status
check_alone (arrow::io::RandomAccessFile *file, const parquet::FileMetaData &metadata)
{
  ARROW_ASSIGN_OR_RAISE (int64_t size, file->GetSize ());
  int64_t footer = size - 8 - static_cast<int64_t> (metadata.size ());
  int64_t end = 4;
  for (int g = 0; g < metadata.num_row_groups (); g++)
    {
      auto group = metadata.RowGroup (g);
      for (int c = 0; c < group->num_columns (); c++)
        {
          auto chunk = group->ColumnChunk (c);
          int64_t start = chunk->data_page_offset ();
          if (chunk->has_dictionary_page ())
            start = std::min (start, chunk->dictionary_page_offset ());
          end = std::max (end, start + chunk->total_compressed_size ());
          if (auto index = chunk->GetColumnIndexLocation ())
            end = std::max (end, index->offset + index->length);
          if (auto index = chunk->GetOffsetIndexLocation ())
            end = std::max (end, index->offset + index->length);
        }
    }
  int64_t gap = footer - end;
  if (gap < 12)
    return arrow::Status::OK ();
  ARROW_ASSIGN_OR_RAISE (auto bytes, file->ReadAt (gap, 4));
  if (bytes->size () == 4 && memcmp (bytes->data (), "PAR1", 4) == 0)
    return arrow::Status::Invalid (SL_PARQUET_TWO);
  return arrow::Status::OK ();
}

using BatchReader = arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >;

/* One row group after the other: Arrow makes no batch of two where a list has a dictionary. It ends
 * a group in peace where a column has no more values, so rows are counted. */
class EachGroup : public arrow::RecordBatchReader
{
public:
  EachGroup (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups,
             std::shared_ptr<arrow::Schema> schema)
      : reader_ (std::move (reader)), groups_ (std::move (groups)), schema_ (std::move (schema))
  {
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return schema_;
  }

  arrow::Status
  ReadNext (std::shared_ptr<arrow::RecordBatch> *batch) override
  {
    for (*batch = nullptr;; batches_.reset ())
      {
        if (batches_ == nullptr && begun_ == groups_.size ())
          return arrow::Status::OK ();
        if (batches_ == nullptr)
          {
            left_
                = reader_->parquet_reader ()->metadata ()->RowGroup (groups_[begun_])->num_rows ();
            ARROW_ASSIGN_OR_RAISE (batches_, reader_->GetRecordBatchReader ({ groups_[begun_++] }));
          }
        ARROW_RETURN_NOT_OK (batches_->ReadNext (batch));
        left_ -= *batch != nullptr ? (*batch)->num_rows () : 0;
        if (left_ < 0 || (*batch == nullptr && left_ > 0))
          return arrow::Status::Invalid ("a row group has another number of rows than it says");
        if (*batch != nullptr)
          return arrow::Status::OK ();
      }
  }

private:
  std::shared_ptr<parquet::arrow::FileReader> reader_;
  std::vector<int> groups_;
  std::shared_ptr<arrow::Schema> schema_;
  size_t begun_ = 0;
  std::unique_ptr<arrow::RecordBatchReader> batches_; /* of the last that was begun */
  int64_t left_ = 0;                                  /* of its rows */
};

static BatchReader
read_on (std::shared_ptr<parquet::arrow::FileReader> reader, const std::vector<int> &groups)
{
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK (reader->GetSchema (&schema));
  return std::make_shared<EachGroup> (std::move (reader), groups, std::move (schema));
}

/* Row groups that are this small, as they lie in the file and by their rows, are decoded whole,
 * several at once. */
static const int64_t small_group = 64 << 20;
static const int64_t small_group_rows = 1 << 20;

static bool
has_small_groups (const parquet::FileMetaData &metadata)
{
  const int64_t most_bytes = std::min<int64_t> (small_group, sl_reading_most () / 8);
  for (int g = 0; g < metadata.num_row_groups (); g++)
    {
      auto group = metadata.RowGroup (g);
      if (group->total_byte_size () > most_bytes || group->num_rows () > small_group_rows)
        return false;
    }
  return true;
}

/* Bytes that are decoded at a time, as they lie in the file. */
static const int64_t decoded_bytes = 16 << 20;

static int64_t
rows_at_a_time (const parquet::FileMetaData &metadata, int64_t most)
{
  int64_t bytes = 0;
  for (int g = 0; g < metadata.num_row_groups (); g++)
    bytes += std::max<int64_t> (metadata.RowGroup (g)->total_byte_size (), 0);
  int64_t row = bytes / std::max<int64_t> (metadata.num_rows (), 1);
  int64_t bytes_at_a_time = std::min<int64_t> (decoded_bytes, sl_reading_most () / 8);
  return std::clamp<int64_t> (bytes_at_a_time / std::max<int64_t> (row, 1), 1, most);
}

static BatchReader
open_parquet (const char *path, gint64 batch_rows, int threads, SlParquetRange *range,
              gint64 *n_rows, gboolean *digested)
{
  ARROW_ASSIGN_OR_RAISE (auto opened, arrow::io::ReadableFile::Open (path, sl_reading_pool ()));
  ARROW_ASSIGN_OR_RAISE (auto file, sl_sealed_file_new (std::move (opened), digested));
  auto properties = parquet::default_arrow_reader_properties ();
  properties.set_pre_buffer (false);
  /* Column chunks are read piece by piece: however large a row group is, little of it is in
   * memory. */
  auto pieces = parquet::ReaderProperties (sl_reading_pool ());
  pieces.enable_buffered_stream ();
  pieces.set_page_checksum_verification (true);
  pieces.set_buffer_size (1 << 20);
  parquet::arrow::FileReaderBuilder builder;
  builder.memory_pool (sl_reading_pool ());
  ARROW_RETURN_NOT_OK (builder.Open (file, pieces));
  const auto metadata = builder.raw_reader ()->metadata ();
  if (!*digested)
    ARROW_RETURN_NOT_OK (check_alone (file.get (), *metadata));
  range->n = metadata->num_row_groups ();
  if (range->to < 0 || range->to > range->n)
    range->to = range->n;
  std::vector<int> groups (range->to - std::min (range->from, range->to));
  std::iota (groups.begin (), groups.end (), range->from);
  *n_rows = 0;
  for (int g : groups)
    *n_rows += metadata->RowGroup (g)->num_rows ();
  const bool whole_groups = threads > 1 && has_small_groups (*metadata);
  properties.set_use_threads (threads > 1 && !whole_groups);
  properties.set_batch_size (rows_at_a_time (*metadata, batch_rows));
  builder.properties (properties);
  ARROW_ASSIGN_OR_RAISE (std::shared_ptr<parquet::arrow::FileReader> reader, builder.Build ());
  return whole_groups ? sl::read_groups (reader, groups) : read_on (reader, groups);
}

GArrowRecordBatchReader *
sl_parquet_reader_new (const char *path, gint64 batch_rows, int threads, SlParquetRange *range,
                       gint64 *n_rows, gboolean *digested, GError **error)
{
  BatchReader reader;
  try
    {
      reader = open_parquet (path, batch_rows, threads, range, n_rows, digested);
    }
  catch (const std::exception &e)
    {
      reader = arrow::Status::Invalid (e.what ());
    }
  if (!garrow::check (error, reader, "parquet"))
    return nullptr;
  auto batches = *reader;
  return garrow_record_batch_reader_new_raw (&batches, nullptr);
}
