// SPDX-License-Identifier: GPL-3.0-or-later
#include "parquet-groups.h"

#include "pipeline/table/reading-memory.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/encoding.h>
#include <parquet/exception.h>

#include <algorithm>
#include <array>
#include <map>
#include <type_traits>
#include <vector>

using parquet::Encoding;

namespace
{
using Lists = arrow::FixedSizeListType;

// What a column is stored as: a tensor as lists.
const std::shared_ptr<arrow::DataType> &
stored_type (const arrow::Field &field)
{
  if (field.type ()->id () != arrow::Type::EXTENSION)
    return field.type ();
  return static_cast<const arrow::ExtensionType &> (*field.type ()).storage_type ();
}

// Numbers whose levels are looked at together.
const int at_a_time = 4096;

// Where a page's levels and numbers are. A level is where it belongs if those of a list's numbers
// are 0, 1, 1, ..., and all numbers are there.
class PageLevels
{
public:
  PageLevels (const parquet::ColumnDescriptor &column, int64_t length)
      : most_repetition_ (column.max_repetition_level ()),
        most_definition_ (column.max_definition_level ()), length_ (length)
  {
    if (length > at_a_time)
      return;
    pattern_.resize (static_cast<size_t> (at_a_time + length));
    for (size_t i = 0; i < pattern_.size (); i++)
      pattern_[i] = i % static_cast<size_t> (length) != 0;
  }

  // Of PAGE, whose first number is number FIRST of the column. Returns the numbers' place; null:
  // some are not where they belong.
  const uint8_t *
  skip (const parquet::DataPage &page, int64_t first)
  {
    const uint8_t *at = page.data ();
    int left = page.size ();
    const int n = page.num_values ();
    if (page.type () == parquet::PageType::DATA_PAGE)
      {
        const auto &v1 = static_cast<const parquet::DataPageV1 &> (page);
        int bytes
            = repetition_.SetData (v1.repetition_level_encoding (), most_repetition_, n, at, left);
        at += bytes;
        left -= bytes;
        at += definition_.SetData (v1.definition_level_encoding (), most_definition_, n, at, left);
      }
    else
      {
        const auto &v2 = static_cast<const parquet::DataPageV2 &> (page);
        const int bytes[]
            = { v2.repetition_levels_byte_length (), v2.definition_levels_byte_length () };
        if (bytes[0] < 0 || bytes[1] < 0 || bytes[0] > left || bytes[1] > left - bytes[0])
          return nullptr;
        repetition_.SetDataV2 (bytes[0], most_repetition_, n, at);
        definition_.SetDataV2 (bytes[1], most_definition_, n, at + bytes[0]);
        at += bytes[0] + bytes[1];
      }
    return belong (n, first) ? at : nullptr;
  }

private:
  bool
  belong (int n, int64_t first)
  {
    for (int done = 0; done < n; done += at_a_time)
      {
        const int m = std::min (n - done, at_a_time);
        if (repetition_.Decode (m, levels_.data ()) != m || !begin_lists (m, first + done)
            || definition_.Decode (m, levels_.data ()) != m)
          return false;
        for (int i = 0; i < m; i++)
          if (levels_[i] != most_definition_)
            return false;
      }
    return true;
  }

  // Whether those of M levels from number FIRST on that are 0 are those of a list's first number.
  bool
  begin_lists (int m, int64_t first) const
  {
    const auto in_list = static_cast<size_t> (first % length_);
    if (!pattern_.empty ())
      return std::equal (levels_.begin (), levels_.begin () + m, pattern_.begin () + in_list);
    // At most one of them, as lists are longer.
    const int64_t begins = in_list == 0 ? 0 : length_ - static_cast<int64_t> (in_list);
    for (int i = 0; i < m; i++)
      if (levels_[i] != (i == begins ? 0 : 1))
        return false;
    return true;
  }

  parquet::LevelDecoder repetition_, definition_;
  std::array<int16_t, at_a_time> levels_;
  int16_t most_repetition_, most_definition_;
  int64_t length_;
  std::vector<int16_t> pattern_; // of short lists: 0, 1, 1, ..., 0, 1, 1, ...
};

// The numbers of a column's pages, one page after the other.
template <typename Type> class Numbers
{
public:
  using Wide = typename Type::c_type; // as the file has them

  explicit Numbers (const parquet::ColumnDescriptor *column) : column_ (column) {}

  void
  set_dictionary (const parquet::DictionaryPage &page)
  {
    auto values = parquet::MakeTypedDecoder<Type> (Encoding::PLAIN, column_);
    values->SetData (page.num_values (), page.data (), page.size ());
    dictionary_ = parquet::MakeDictDecoder<Type> (column_, sl_reading_pool ());
    dictionary_->SetDict (values.get ());
  }

  // TO <- those of PAGE, which begin at AT. False where they are too few, or do not fit into a
  // narrower Value, or there is no dictionary.
  template <typename Value>
  bool
  take (const parquet::DataPage &page, const uint8_t *at, Value *to)
  {
    const int n = page.num_values ();
    auto *decoder = decoder_of (page.encoding ());
    if (decoder == nullptr)
      return false;
    decoder->SetData (n, at, static_cast<int> (page.data () + page.size () - at));
    if constexpr (std::is_same_v<Value, Wide>)
      return decoder->Decode (to, n) == n;
    else
      return narrow (decoder, n, to);
  }

private:
  parquet::TypedDecoder<Type> *
  decoder_of (Encoding::type encoding)
  {
    if (encoding == Encoding::RLE_DICTIONARY || encoding == Encoding::PLAIN_DICTIONARY)
      return dictionary_.get ();
    auto &plain = plain_[encoding];
    if (plain == nullptr)
      plain = parquet::MakeTypedDecoder<Type> (encoding, column_);
    return plain.get ();
  }

  template <typename Value>
  static bool
  narrow (parquet::TypedDecoder<Type> *decoder, int n, Value *to)
  {
    std::array<Wide, at_a_time> wide;
    bool fit = true;
    for (int done = 0; done < n; done += at_a_time)
      {
        const int m = std::min (n - done, at_a_time);
        if (decoder->Decode (wide.data (), m) != m)
          return false;
        for (int i = 0; i < m; i++)
          {
            to[done + i] = static_cast<Value> (wide[i]);
            fit &= to[done + i] == wide[i];
          }
      }
    return fit;
  }

  const parquet::ColumnDescriptor *column_;
  std::unique_ptr<parquet::DictDecoder<Type> > dictionary_;
  std::map<Encoding::type, std::unique_ptr<parquet::TypedDecoder<Type> > > plain_;
};

template <typename Type, typename Value>
bool
read_pages (parquet::PageReader *pages, const parquet::ColumnDescriptor *column, int64_t length,
            int64_t n, Value *to)
{
  PageLevels levels (*column, length);
  Numbers<Type> numbers (column);
  int64_t done = 0;
  while (auto page = pages->NextPage ())
    {
      if (page->type () == parquet::PageType::DICTIONARY_PAGE)
        {
          numbers.set_dictionary (static_cast<const parquet::DictionaryPage &> (*page));
          continue;
        }
      if (page->type () != parquet::PageType::DATA_PAGE
          && page->type () != parquet::PageType::DATA_PAGE_V2)
        continue;
      const auto &data = static_cast<const parquet::DataPage &> (*page);
      if (data.num_values () < 0 || data.num_values () > n - done)
        return false;
      const uint8_t *at = levels.skip (data, done);
      if (at == nullptr || at > data.data () + data.size () || !numbers.take (data, at, to + done))
        return false;
      done += data.num_values ();
    }
  return done == n;
}

template <typename Type, typename Array>
std::shared_ptr<arrow::Array>
read (parquet::RowGroupReader *group, int column, const arrow::Field &field)
{
  const auto &type = stored_type (field);
  const auto &lists = static_cast<const Lists &> (*type);
  const int64_t rows = group->metadata ()->num_rows (), length = lists.list_size ();
  const auto chunk = group->metadata ()->ColumnChunk (column);
  const int64_t n = chunk->num_values ();
  using Value = typename Array::value_type;
  const auto size = static_cast<int64_t> (sizeof (Value));
  if (rows <= 0 || n % length != 0 || n / length != rows || n > INT64_MAX / size)
    return nullptr;
  auto buffer = arrow::AllocateBuffer (n * size, sl_reading_pool ());
  if (!buffer.ok ())
    return nullptr;
  std::shared_ptr<arrow::Buffer> bytes = std::move (*buffer);
  auto pages = group->GetColumnPageReader (column);
  if (!read_pages<Type> (pages.get (), group->metadata ()->schema ()->Column (column), length, n,
                         reinterpret_cast<Value *> (bytes->mutable_data ())))
    return nullptr;
  auto stored = std::make_shared<arrow::FixedSizeListArray> (type, rows,
                                                             std::make_shared<Array> (n, bytes));
  if (field.type () == type)
    return stored;
  return arrow::ExtensionType::WrapArray (field.type (), stored);
}
}

bool
sl::are_lists (const arrow::Field &field, const parquet::ColumnDescriptor &column)
{
  const auto &stored = stored_type (field);
  if (stored->id () != arrow::Type::FIXED_SIZE_LIST || column.max_repetition_level () != 1)
    return false;
  const auto &lists = static_cast<const Lists &> (*stored);
  const auto type = lists.value_type ()->id ();
  return lists.list_size () > 0
         && ((type == arrow::Type::DOUBLE && column.physical_type () == parquet::Type::DOUBLE)
             || (type == arrow::Type::FLOAT && column.physical_type () == parquet::Type::FLOAT)
             || (type == arrow::Type::UINT8 && column.physical_type () == parquet::Type::INT32));
}

std::shared_ptr<arrow::Array>
sl::read_lists (parquet::RowGroupReader *group, int column, const arrow::Field &field)
{
  try
    {
      const auto &lists = static_cast<const Lists &> (*stored_type (field));
      switch (lists.value_type ()->id ())
        {
        case arrow::Type::DOUBLE:
          return read<parquet::DoubleType, arrow::DoubleArray> (group, column, field);
        case arrow::Type::FLOAT:
          return read<parquet::FloatType, arrow::FloatArray> (group, column, field);
        default:
          return read<parquet::Int32Type, arrow::UInt8Array> (group, column, field);
        }
    }
  catch (const std::exception &)
    {
      return nullptr;
    }
}
