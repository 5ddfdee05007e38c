/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a Parquet file. */
#include "pipeline/files/arrow-cxx.h"
#include "pipeline/files/file-seal.h"
#include "pipeline/table/reading-memory.h"
#include "parquet-groups.h"

#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>
#include <parquet/size_statistics.h>
#include <parquet/statistics.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>

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
          int64_t bytes = std::clamp<int64_t> (chunk->total_compressed_size (), 0, size);
          end = std::max (end, std::clamp<int64_t> (start, 0, size) + bytes);
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

/* More than any limit, and few enough to be added up; of values, and of their bytes. */
static const int64_t most_counted = int64_t (1) << 32;
static const int64_t far_too_much = int64_t (1) << 60;

/* A text that the file does not tell the length of. */
static const int64_t short_text = 16;

/* Bytes of a text of CHUNK: what the file says of all together, or else as long as the least or the
 * largest, which it may have cut off. */
static int64_t
text_width (const parquet::ColumnChunkMetaData &chunk, int64_t n)
{
  const auto sizes = chunk.size_statistics ();
  if (sizes != nullptr && sizes->unencoded_byte_array_data_bytes.has_value ())
    return *sizes->unencoded_byte_array_data_bytes / std::max<int64_t> (n, 1) + 5; // and an offset
  const auto ends = chunk.encoded_statistics ();
  if (ends == nullptr)
    return short_text;
  return std::max<int64_t> (short_text, std::max (ends->min ().size (), ends->max ().size ()));
}

/* How a row group is decoded: by parquet-pages.h into what a table has, or by Arrow, which begins
 * with numbers as the file has them, and both levels of lists. */
enum class Decoding
{
  whole,
  pieces
};

/* Bytes of a value of CHUNK, of which there are N, decoded. */
static int64_t
decoded_width (const parquet::ColumnDescriptor &column, const parquet::ColumnChunkMetaData &chunk,
               int64_t n, Decoding decoding)
{
  const auto &logical = column.logical_type ();
  const int64_t width = parquet::GetTypeByteSize (column.physical_type ());
  if (column.physical_type () == parquet::Type::BYTE_ARRAY)
    return text_width (chunk, n);
  if (column.physical_type () == parquet::Type::FIXED_LEN_BYTE_ARRAY)
    return column.type_length ();
  if (decoding == Decoding::pieces)
    return width + (column.max_repetition_level () > 0 ? 4 : 0);
  if (logical != nullptr && logical->is_int ())
    return static_cast<const parquet::IntLogicalType &> (*logical).bit_width () / 8;
  return width;
}

/* Bytes of CHUNK, decoded: values that recur take few in the file. */
static int64_t
decoded_bytes (const parquet::ColumnDescriptor &column, const parquet::ColumnChunkMetaData &chunk,
               Decoding decoding)
{
  const int64_t n = std::clamp<int64_t> (chunk.num_values (), 0, most_counted);
  const int64_t width = std::clamp<int64_t> (decoded_width (column, chunk, n, decoding), 0,
                                             far_too_much / most_counted);
  return std::clamp<int64_t> (chunk.total_uncompressed_size (), n * width, far_too_much);
}

static int64_t
decoded_bytes (const parquet::RowGroupMetaData &group, Decoding decoding)
{
  int64_t bytes = 0;
  for (int c = 0; c < group.num_columns (); c++)
    bytes = std::min (
        bytes + decoded_bytes (*group.schema ()->Column (c), *group.ColumnChunk (c), decoding),
        far_too_much);
  return bytes;
}

/* Row groups that are this small are decoded whole. */
static const int64_t small_group = 64 << 20;
static const int64_t small_group_rows = 1 << 20;

static bool
has_small_groups (const parquet::FileMetaData &metadata)
{
  const int64_t most_bytes = std::min<int64_t> (small_group, sl_reading_most () / 8);
  for (int g = 0; g < metadata.num_row_groups (); g++)
    {
      auto group = metadata.RowGroup (g);
      if (decoded_bytes (*group, Decoding::whole) > most_bytes
          || group->num_rows () > small_group_rows)
        return false;
    }
  return true;
}

/* Of large row groups so many bytes are decoded at a time. */
static const int64_t piece = 16 << 20;

static int64_t
rows_at_a_time (const parquet::FileMetaData &metadata, int64_t most)
{
  int64_t bytes = 0;
  for (int g = 0; g < metadata.num_row_groups (); g++)
    bytes
        = std::min (bytes + decoded_bytes (*metadata.RowGroup (g), Decoding::pieces), far_too_much);
  int64_t row = bytes / std::max<int64_t> (metadata.num_rows (), 1);
  int64_t bytes_at_a_time = std::min<int64_t> (piece, sl_reading_most () / 8);
  return std::clamp<int64_t> (bytes_at_a_time / std::max<int64_t> (row, 1), 1, most);
}

/* Rows of the groups from FROM on, to before TO. */
static int64_t
rows_of (const parquet::FileMetaData &metadata, int from, int to)
{
  int64_t rows = 0;
  for (int g = from; g < to; g++)
    rows = std::min (
        rows + std::clamp<int64_t> (metadata.RowGroup (g)->num_rows (), 0, far_too_much),
        far_too_much);
  return rows;
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
  if (rows_of (*metadata, 0, range->n) != metadata->num_rows ())
    return arrow::Status::Invalid ("the row groups have other rows than the file says");
  range->rows_before = rows_of (*metadata, 0, std::min (range->from, range->n));
  *n_rows = rows_of (*metadata, range->from, range->to);
  const bool whole_groups = has_small_groups (*metadata);
  properties.set_use_threads (threads > 1 && !whole_groups);
  properties.set_batch_size (rows_at_a_time (*metadata, batch_rows));
  builder.properties (properties);
  ARROW_ASSIGN_OR_RAISE (std::shared_ptr<parquet::arrow::FileReader> reader, builder.Build ());
  return whole_groups ? sl::read_groups (reader, groups, threads > 1)
                      : sl::read_pieces (reader, groups);
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
