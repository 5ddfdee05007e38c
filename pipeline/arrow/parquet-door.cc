// SPDX-License-Identifier: GPL-3.0-or-later
#include "parquet-door.h"

#include "guarded.h"
#include "pages/pages.h"
#include "reading-memory.h"

#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/size_statistics.h>
#include <parquet/statistics.h>

#include <arrow-glib/arrow-glib.hpp>
#include <parquet-glib/parquet-glib.hpp>

#include <algorithm>
#include <cstring>

GParquetArrowFileWriter *
sl_parquet_door_to (GArrowSchema *schema, GArrowOutputStream *sink, gint64 group_rows,
                    gboolean sealed, int threads, GError **error)
{
  auto open = [&] {
    return sl::page_writer (garrow_schema_get_raw (schema), garrow_output_stream_get_raw (sink),
                            group_rows, sealed ? SL_PARQUET_SEALED SL_VERSION : nullptr, threads);
  };
  auto writer = sl::guarded (open);
  return garrow::check (error, writer, "parquet")
             ? gparquet_arrow_file_writer_new_raw (writer->release ())
             : nullptr;
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

/* How a row group is decoded: by page-reader.h into what a table has, or by Arrow, which begins
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
  return logical != nullptr && logical->is_int ()
             ? static_cast<const parquet::IntLogicalType &> (*logical).bit_width () / 8
             : width;
}

/* Bytes of a row group, decoded: values that recur take few in the file. */
static int64_t
decoded_bytes (const parquet::RowGroupMetaData &group, Decoding decoding)
{
  int64_t bytes = 0;
  for (int c = 0; c < group.num_columns (); c++)
    {
      const auto chunk = group.ColumnChunk (c);
      const int64_t n = std::clamp<int64_t> (chunk->num_values (), 0, most_counted);
      const int64_t width = decoded_width (*group.schema ()->Column (c), *chunk, n, decoding);
      bytes += std::clamp<int64_t> (chunk->total_uncompressed_size (),
                                    n * std::clamp<int64_t> (width, 0, far_too_much / most_counted),
                                    far_too_much);
      bytes = std::min (bytes, far_too_much);
    }
  return bytes;
}

/* Row groups that are all this small are decoded whole. */
static const int64_t small_bytes = 64 << 20;
static const int64_t small_rows = 1 << 20;

static bool
has_small_groups (const parquet::FileMetaData &metadata)
{
  bool small = true;
  const int64_t most = std::min<int64_t> (small_bytes, sl_reading_most () / 8);
  for (int g = 0; small && g < metadata.num_row_groups (); g++)
    {
      const auto group = metadata.RowGroup (g);
      small = group->num_rows () <= small_rows && decoded_bytes (*group, Decoding::whole) <= most;
    }
  return small;
}

/* Of a larger one so many bytes are decoded at a time, and so many rows. */
static const int64_t most_bytes = 16 << 20;
static const int64_t most_rows = 1 << 16;

static int64_t
rows_at_a_time (const parquet::FileMetaData &metadata)
{
  int64_t bytes = 0;
  for (int g = 0; g < metadata.num_row_groups (); g++)
    bytes
        = std::min (bytes + decoded_bytes (*metadata.RowGroup (g), Decoding::pieces), far_too_much);
  const int64_t row = bytes / std::max<int64_t> (metadata.num_rows (), 1);
  const int64_t at_a_time = std::min<int64_t> (most_bytes, sl_reading_most () / 8);
  return std::clamp<int64_t> (at_a_time / std::max<int64_t> (row, 1), 1, most_rows);
}

static arrow::Result<std::unique_ptr<parquet::arrow::FileReader> >
open_reader (const std::shared_ptr<arrow::io::RandomAccessFile> &file, bool sealed, int threads)
{
  // Column chunks are read piece by piece.
  auto pieces = parquet::ReaderProperties (sl_reading_pool ());
  pieces.enable_buffered_stream ();
  pieces.set_page_checksum_verification (true);
  pieces.set_buffer_size (1 << 20);
  parquet::arrow::FileReaderBuilder builder;
  builder.memory_pool (sl_reading_pool ());
  ARROW_RETURN_NOT_OK (builder.Open (file, pieces));
  const auto metadata = builder.raw_reader ()->metadata ();
  if (!sealed)
    ARROW_RETURN_NOT_OK (check_alone (file.get (), *metadata));
  auto properties = parquet::default_arrow_reader_properties ();
  properties.set_pre_buffer (false);
  properties.set_use_threads (threads > 1 && !has_small_groups (*metadata));
  properties.set_batch_size (rows_at_a_time (*metadata));
  return builder.properties (properties)->Build ();
}

GParquetArrowFileReader *
sl_parquet_door_from (GArrowSeekableInputStream *file, gboolean sealed, int threads, GError **error)
{
  auto open = [&] {
    return open_reader (garrow_seekable_input_stream_get_raw (file), sealed != FALSE, threads);
  };
  auto reader = sl::guarded (open);
  return garrow::check (error, reader, "parquet")
             ? gparquet_arrow_file_reader_new_raw (reader->release ())
             : nullptr;
}

gint64
sl_parquet_door_rows (GParquetArrowFileReader *reader, int group)
{
  try
    {
      auto file = gparquet_arrow_file_reader_get_raw (reader)->parquet_reader ();
      return file->metadata ()->RowGroup (group)->num_rows ();
    }
  catch (const std::exception &)
    {
      return 0; /* the file as a whole has others */
    }
}

GArrowRecordBatchReader *
sl_parquet_door_groups (GParquetArrowFileReader *reader, int from, int *to, int threads,
                        GError **error)
{
  auto file = gparquet_arrow_file_reader_get_raw (reader);
  auto batches = sl::guarded ([&] () -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader> > {
    if (has_small_groups (*file->parquet_reader ()->metadata ()))
      return sl::page_reader (file, from, *to, threads > 1);
    *to = from + 1;
    return file->GetRecordBatchReader (std::vector<int>{ from });
  });
  return garrow::check (error, batches, "parquet")
             ? garrow_record_batch_reader_new_raw (&*batches, nullptr)
             : nullptr;
}
