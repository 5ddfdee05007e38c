// SPDX-License-Identifier: GPL-3.0-or-later
#include "parquet-groups.h"
#include "parquet-pages.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <parquet/exception.h>

#include <type_traits>

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

// TO <- the next N numbers of DECODER. False where they are too few, or do not fit into a Value,
// which may be narrower than what the file has.
template <typename Type, typename Value>
bool
decode (parquet::TypedDecoder<Type> *decoder, int n, Value *to)
{
  using Wide = typename Type::c_type;
  if constexpr (std::is_same_v<Value, Wide>)
    return decoder->Decode (to, n) == n;
  else
    {
      std::array<Wide, sl::at_a_time> wide;
      bool fit = true;
      for (int done = 0; done < n; done += sl::at_a_time)
        {
          const int m = std::min (n - done, sl::at_a_time);
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
  auto *to = reinterpret_cast<Value *> (bytes->mutable_data ());
  auto take = [to] (parquet::TypedDecoder<Type> *decoder, int m, int64_t done) {
    return decode (decoder, m, to + done);
  };
  if (!sl::each_page<Type> (group, column, length, n, take))
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
