// SPDX-License-Identifier: GPL-3.0-or-later
// A column that Arrow writes: each row group is a file in memory, whose pages are taken over.
#include "column.h"

#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <limits>

namespace sl
{
static std::shared_ptr<parquet::WriterProperties>
make_properties (bool nested)
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
  return builder.build ();
}

const ParquetStyle &
parquet_style ()
{
  static const ParquetStyle style = { make_properties (false), make_properties (true) };
  return style;
}

namespace
{
// Where COLUMN begins in its file.
int64_t
start_of (const parquet::ColumnChunkMetaData &column)
{
  return column.has_dictionary_page ()
             ? std::min (column.dictionary_page_offset (), column.data_page_offset ())
             : column.data_page_offset ();
}

Chunk
take_over (const parquet::ColumnChunkMetaData &column, const std::shared_ptr<arrow::Buffer> &file)
{
  const int64_t start = start_of (column);
  Chunk chunk;
  chunk.n_values = column.num_values ();
  chunk.n_bytes = column.total_compressed_size ();
  chunk.n_unpacked = column.total_uncompressed_size ();
  chunk.bytes = { arrow::SliceBuffer (file, start, chunk.n_bytes) };
  if (column.has_dictionary_page ())
    chunk.dictionary_at = column.dictionary_page_offset () - start;
  chunk.data_at = column.data_page_offset () - start;
  for (const auto &pages : column.encoding_stats ())
    (pages.page_type == parquet::PageType::DICTIONARY_PAGE ? chunk.dictionary_pages
                                                           : chunk.data_pages)[pages.encoding]
        += pages.count;
  if (column.is_stats_set ())
    chunk.statistics = column.encoded_statistics ();
  return chunk;
}

class LibraryColumn : public ParquetColumn
{
public:
  explicit LibraryColumn (std::shared_ptr<arrow::Field> field)
      : schema_ (arrow::schema ({ std::move (field) }))
  {
  }

  int
  begin_step (Arrays arrays, bool last) override
  {
    arrays_ = std::move (arrays);
    last_ = last;
    return 1;
  }

  arrow::Status
  do_task (int) override
  {
    if (writer_ == nullptr)
      ARROW_RETURN_NOT_OK (open ());
    for (const auto &array : arrays_)
      ARROW_RETURN_NOT_OK (writer_->WriteRecordBatch (
          *arrow::RecordBatch::Make (schema_, array->length (), { array })));
    arrays_.clear ();
    return last_ ? close () : arrow::Status::OK ();
  }

  arrow::Status
  take_chunks (std::vector<Chunk> *chunks) override
  {
    if (metadata_ == nullptr || metadata_->num_row_groups () != 1)
      return arrow::Status::UnknownError ("a row group has not been written");
    auto group = metadata_->RowGroup (0);
    for (int c = 0; c < group->num_columns (); c++)
      chunks->push_back (take_over (*group->ColumnChunk (c), file_));
    file_ = nullptr;
    metadata_ = nullptr;
    return arrow::Status::OK ();
  }

private:
  arrow::Status
  open ()
  {
    const auto &style = parquet_style ();
    const bool nested = schema_->field (0)->type ()->num_fields () > 0;
    ARROW_ASSIGN_OR_RAISE (sink_, arrow::io::BufferOutputStream::Create ());
    ARROW_ASSIGN_OR_RAISE (
        writer_, parquet::arrow::FileWriter::Open (*schema_, arrow::default_memory_pool (), sink_,
                                                   nested ? style.nested : style.flat));
    return writer_->NewBufferedRowGroup ();
  }

  arrow::Status
  close ()
  {
    ARROW_RETURN_NOT_OK (writer_->Close ());
    metadata_ = writer_->metadata ();
    writer_ = nullptr;
    ARROW_ASSIGN_OR_RAISE (file_, sink_->Finish ());
    sink_ = nullptr;
    return arrow::Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  Arrays arrays_;
  bool last_ = false;
  std::shared_ptr<arrow::io::BufferOutputStream> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  std::shared_ptr<arrow::Buffer> file_;
};
}

std::unique_ptr<ParquetColumn>
library_column (std::shared_ptr<arrow::Field> field)
{
  return std::make_unique<LibraryColumn> (std::move (field));
}
}
