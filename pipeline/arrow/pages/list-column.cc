// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers, all of one length: a page is what says so, and the numbers as they lie in
// memory. Arrow's writer would look at each number several times.
//
// A row group whose numbers come again and again is written by Arrow, with a dictionary.
#include "column.h"

#include "list-levels.h"
#include "recurring-values.h"

#include <arrow/array/array_nested.h>
#include <arrow/extension_type.h>
#include <arrow/io/memory.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>

#include <cstring>

namespace sl
{
namespace
{
using parquet::Encoding;

// More than any other page has; one with still more is for Arrow to refuse.
const int64_t most_page_bytes = int64_t (1) << 30;

std::shared_ptr<arrow::DataType>
storage_type (std::shared_ptr<arrow::DataType> type)
{
  while (type->id () == arrow::Type::EXTENSION)
    type = static_cast<const arrow::ExtensionType &> (*type).storage_type ();
  return type;
}

std::shared_ptr<arrow::Array>
storage_of (std::shared_ptr<arrow::Array> array)
{
  while (array->type_id () == arrow::Type::EXTENSION)
    array = static_cast<const arrow::ExtensionArray &> (*array).storage ();
  return array;
}

// Numbers that lie in Parquet's pages as in Arrow's buffers.
int64_t
number_bytes (const arrow::DataType &type)
{
  return type.id () == arrow::Type::DOUBLE ? 8 : type.id () == arrow::Type::FLOAT ? 4 : 0;
}

class ListColumn : public ParquetColumn
{
public:
  ListColumn (std::shared_ptr<arrow::Field> field, const parquet::ColumnDescriptor *description,
              int64_t length, int64_t size)
      : description_ (description), length_ (length), size_ (size),
        library_ (library_column (std::move (field)))
  {
  }

  int
  begin_step (Arrays arrays, bool last) override
  {
    if (!begun_ && !arrays.empty ())
      {
        const auto lists = lists_of (arrays[0]);
        recurs_ = !whole (*lists)
                  || sl_values_recur (numbers (*lists), static_cast<gsize> (lists->length ()),
                                      static_cast<gsize> (length_), static_cast<gsize> (size_));
        begun_ = true;
      }
    if (recurs_)
      return library_->begin_step (std::move (arrays), last);
    arrays_ = std::move (arrays);
    first_ = pages_.size ();
    pages_.resize (first_ + arrays_.size ());
    return static_cast<int> (arrays_.size ());
  }

  arrow::Status
  do_task (int task) override
  {
    if (recurs_)
      return library_->do_task (task);
    const auto i = static_cast<size_t> (task);
    auto array = std::move (arrays_[i]);
    return write_page (*lists_of (array), &pages_[first_ + i]);
  }

  arrow::Status
  take_chunks (std::vector<Chunk> *chunks) override
  {
    begun_ = false;
    if (recurs_)
      return library_->take_chunks (chunks);
    Chunk chunk;
    for (auto &page : pages_)
      {
        chunk.n_values += page.n_values;
        chunk.n_bytes += page.bytes->size ();
        chunk.n_unpacked += page.n_unpacked;
        chunk.bytes.push_back (std::move (page.bytes));
      }
    chunk.data_pages[Encoding::PLAIN] = static_cast<int32_t> (pages_.size ());
    pages_.clear ();
    chunks->push_back (std::move (chunk));
    return arrow::Status::OK ();
  }

private:
  struct Page
  {
    std::shared_ptr<arrow::Buffer> bytes;
    int64_t n_values, n_unpacked;
  };

  static std::shared_ptr<arrow::FixedSizeListArray>
  lists_of (const std::shared_ptr<arrow::Array> &array)
  {
    return std::static_pointer_cast<arrow::FixedSizeListArray> (storage_of (array));
  }

  static bool
  whole (const arrow::FixedSizeListArray &lists)
  {
    return lists.null_count () == 0 && lists.values ()->null_count () == 0;
  }

  const uint8_t *
  numbers (const arrow::FixedSizeListArray &lists) const
  {
    const auto &values = *lists.values ()->data ();
    return values.GetValues<uint8_t> (1, 0) + (values.offset + lists.value_offset (0)) * size_;
  }

  // The levels and numbers of a page, as they are before they are compressed.
  arrow::Result<std::shared_ptr<arrow::Buffer> >
  lay_out (const arrow::FixedSizeListArray &lists) const
  {
    const auto n_rows = static_cast<gsize> (lists.length ());
    const auto length = static_cast<gsize> (length_);
    const gsize bytes = n_rows * length * static_cast<gsize> (size_);
    ARROW_ASSIGN_OR_RAISE (auto page, arrow::AllocateResizableBuffer (static_cast<int64_t> (
                                          bytes + sl_list_levels_most (n_rows, length))));
    const gsize levels
        = sl_list_levels_write (page->mutable_data (), n_rows, length,
                                static_cast<guint8> (description_->max_definition_level ()));
    memcpy (page->mutable_data () + levels, numbers (lists), bytes);
    ARROW_RETURN_NOT_OK (page->Resize (static_cast<int64_t> (levels + bytes), false));
    return page;
  }

  // A page with its header, as it lies in the file.
  arrow::Status
  write_page (const arrow::FixedSizeListArray &lists, Page *to) const
  {
    if (!whole (lists))
      return arrow::Status::Invalid ("a list that must be there is missing");
    const auto &properties = parquet_style ().nested;
    ARROW_ASSIGN_OR_RAISE (auto page, lay_out (lists));
    ARROW_ASSIGN_OR_RAISE (auto sink, arrow::io::BufferOutputStream::Create (page->size () / 2));
    auto unused = parquet::ColumnChunkMetaDataBuilder::Make (properties, description_);
    auto writer = parquet::PageWriter::Open (
        sink, parquet::Compression::ZSTD, unused.get (), -1, -1, arrow::default_memory_pool (),
        false, nullptr, nullptr, true, nullptr, nullptr, parquet::CodecOptions (1));
    ARROW_ASSIGN_OR_RAISE (std::shared_ptr<arrow::ResizableBuffer> packed,
                           arrow::AllocateResizableBuffer (0));
    writer->Compress (*page, packed.get ());
    to->n_values = lists.length () * length_;
    to->n_unpacked = writer->WriteDataPage (
        parquet::DataPageV1 (packed, static_cast<int32_t> (to->n_values), Encoding::PLAIN,
                             Encoding::RLE, Encoding::RLE, page->size ()));
    ARROW_ASSIGN_OR_RAISE (to->bytes, sink->Finish ());
    return arrow::Status::OK ();
  }

  const parquet::ColumnDescriptor *description_;
  int64_t length_, size_;
  std::unique_ptr<ParquetColumn> library_;
  bool begun_ = false, recurs_ = false;
  Arrays arrays_; // of this step
  size_t first_ = 0;
  std::vector<Page> pages_;
};
}

std::unique_ptr<ParquetColumn>
list_column (std::shared_ptr<arrow::Field> field, const parquet::ColumnDescriptor *description,
             int64_t most_rows)
{
  const auto type = storage_type (field->type ());
  if (type->id () != arrow::Type::FIXED_SIZE_LIST || description->max_repetition_level () != 1)
    return nullptr;
  const auto &lists = static_cast<const arrow::FixedSizeListType &> (*type);
  const int64_t size = number_bytes (*lists.value_type ());
  const int64_t length = lists.list_size ();
  if (field->nullable () || lists.value_field ()->nullable () || size == 0 || length == 0
      || length > most_page_bytes / size / most_rows)
    return nullptr;
  return std::make_unique<ListColumn> (std::move (field), description, length, size);
}
}
