// SPDX-License-Identifier: GPL-3.0-or-later
#include "list-pages.h"

#include "lists.h"

#include <arrow/array/array_nested.h>
#include <arrow/extension_type.h>
#include <arrow/io/memory.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>
#include <parquet/metadata.h>

#include <cstring>

// More than any other page has; one with still more is for Arrow to refuse.
static const int64_t most_page_bytes = int64_t (1) << 30;

int64_t
sl::list_number_bytes (const arrow::Field &field, const parquet::ColumnDescriptor &column,
                       int64_t most_rows)
{
  const auto *type = field.type ().get ();
  while (type->id () == arrow::Type::EXTENSION)
    type = static_cast<const arrow::ExtensionType &> (*type).storage_type ().get ();
  if (type->id () != arrow::Type::FIXED_SIZE_LIST || column.max_repetition_level () != 1)
    return 0;
  const auto &lists = static_cast<const arrow::FixedSizeListType &> (*type);
  const auto number = lists.value_type ()->id ();
  const int64_t size = number == arrow::Type::DOUBLE ? 8 : number == arrow::Type::FLOAT ? 4 : 0;
  const int64_t length = lists.list_size ();
  return field.nullable () || lists.value_field ()->nullable () || size == 0 || length == 0
                 || length > most_page_bytes / size / most_rows
             ? 0
             : size;
}

namespace
{
struct Lists
{
  explicit Lists (const arrow::Array &array)
  {
    const auto *storage = &array;
    while (storage->type_id () == arrow::Type::EXTENSION)
      storage = static_cast<const arrow::ExtensionArray &> (*storage).storage ().get ();
    const auto &lists = static_cast<const arrow::FixedSizeListArray &> (*storage);
    const auto &values = *lists.values ()->data ();
    whole = lists.null_count () == 0 && values.GetNullCount () == 0;
    rows = static_cast<gsize> (lists.length ());
    length = static_cast<gsize> (lists.list_type ()->list_size ());
    size = static_cast<gsize> (values.type->byte_width ());
    numbers = values.GetValues<uint8_t> (1, 0)
              + static_cast<gsize> (values.offset + lists.value_offset (0)) * size;
  }

  bool whole;
  gsize rows, length, size;
  const uint8_t *numbers;
};
}

bool
sl::has_list_pages (const arrow::Array &array)
{
  const Lists lists (array);
  return lists.whole && !sl_lists_recur (lists.numbers, lists.rows, lists.length, lists.size);
}

// The levels and numbers of a page, as they are before they are compressed.
static arrow::Result<std::unique_ptr<arrow::ResizableBuffer> >
lay_out (const Lists &lists, const parquet::ColumnDescriptor &column)
{
  const gsize bytes = lists.rows * lists.length * lists.size;
  ARROW_ASSIGN_OR_RAISE (auto page, arrow::AllocateResizableBuffer (static_cast<int64_t> (
                                        bytes + sl_list_levels_most (lists.rows, lists.length))));
  const gsize levels = sl_list_levels_write (page->mutable_data (), lists.rows, lists.length,
                                             static_cast<guint8> (column.max_definition_level ()));
  memcpy (page->mutable_data () + levels, lists.numbers, bytes);
  ARROW_RETURN_NOT_OK (page->Resize (static_cast<int64_t> (levels + bytes), false));
  return page;
}

arrow::Result<sl::Page>
sl::list_page (const arrow::Array &array, const parquet::ColumnDescriptor *column)
{
  using parquet::Encoding;
  const Lists lists (array);
  if (!lists.whole)
    return arrow::Status::Invalid ("a list that must be there is missing");
  ARROW_ASSIGN_OR_RAISE (auto page, lay_out (lists, *column));
  ARROW_ASSIGN_OR_RAISE (auto sink, arrow::io::BufferOutputStream::Create (page->size () / 2));
  auto unused
      = parquet::ColumnChunkMetaDataBuilder::Make (parquet::default_writer_properties (), column);
  auto writer = parquet::PageWriter::Open (sink, parquet::Compression::ZSTD, unused.get (), -1, -1,
                                           arrow::default_memory_pool (), false, nullptr, nullptr,
                                           true, nullptr, nullptr, parquet::CodecOptions (1));
  ARROW_ASSIGN_OR_RAISE (std::shared_ptr<arrow::ResizableBuffer> packed,
                         arrow::AllocateResizableBuffer (0));
  writer->Compress (*page, packed.get ());
  const auto n = static_cast<int64_t> (lists.rows * lists.length);
  const int64_t unpacked = writer->WriteDataPage (
      parquet::DataPageV1 (packed, static_cast<int32_t> (n), Encoding::PLAIN, Encoding::RLE,
                           Encoding::RLE, page->size ()));
  ARROW_ASSIGN_OR_RAISE (auto bytes, sink->Finish ());
  return Page{ bytes, n, unpacked };
}
