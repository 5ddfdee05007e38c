// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers of one length, none of which is missing, are decoded to where a table has them.
// Arrow reads all other columns, and says what is wrong with damaged ones.
#include "pages.h"

#include "pipeline/arrow/guarded.h"
#include "pipeline/arrow/reading-memory.h"

#include <arrow/array.h>
#include <arrow/table.h>
#include <arrow/util/iterator.h>
#include <arrow/util/parallel.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>

using parquet::arrow::SchemaField;
using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array> >;

namespace
{
// Row groups that are read before they are asked for, where there are threads for it.
const size_t most_ahead = 2;

// Values that are decoded, and whose levels are looked at, together.
const int64_t at_a_time = 4096;

// Whether of M levels of repetition, those of a column's values from number FIRST on, the ones of
// each LENGTH-th value are 0, and all others 1, which is the most that a level may be.
bool
begin_lists (int16_t *levels, int64_t m, int64_t first, int64_t length)
{
  int64_t begins = 0;
  for (int64_t i = (length - first % length) % length; i < m; i += length, begins++)
    if (levels[i] != 0)
      return false;
  return std::accumulate (levels, levels + m, int64_t (0)) == m - begins;
}

// The lists in COLUMN as TYPE, whose numbers are Value, and Stored in the file. Null: not all
// values are there, and where they belong.
template <typename Stored, typename Value>
ArrayResult
read_lists (parquet::RowGroupReader &group, int column,
            const std::shared_ptr<arrow::DataType> &type)
{
  using Wide = typename Stored::c_type;
  constexpr bool in_place = std::is_same_v<Value, Wide>;
  std::array<int16_t, at_a_time> missing, levels;
  std::array<Wide, in_place ? 1 : at_a_time> wide;
  const auto &lists = static_cast<const arrow::FixedSizeListType &> (*type);
  const int64_t rows = group.metadata ()->num_rows (), length = lists.list_size ();
  const int64_t n = group.metadata ()->ColumnChunk (column)->num_values ();
  const auto stored = group.metadata ()->schema ()->Column (column)->physical_type ();
  if (stored != Stored::type_num || length <= 0 || n % length != 0 || n / length != rows)
    return nullptr;
  ARROW_ASSIGN_OR_RAISE (
      auto bytes,
      arrow::AllocateBuffer (n * static_cast<int64_t> (sizeof (Value)), sl_reading_pool ()));
  auto *to = bytes->mutable_data_as<Value> ();
  auto pages = group.Column (column);
  auto &reader = static_cast<parquet::TypedColumnReader<Stored> &> (*pages);
  for (int64_t done = 0, m, there = 0; done < n; done += m)
    {
      Wide *decoded = wide.data ();
      if constexpr (in_place)
        decoded = to + done;
      m = reader.ReadBatch (std::min (n - done, at_a_time), missing.data (), levels.data (),
                            decoded, &there);
      if (m <= 0 || there != m || !begin_lists (levels.data (), m, done, length))
        return nullptr;
      for (int64_t i = 0; !in_place && i < m; i++)
        if ((to[done + i] = static_cast<Value> (decoded[i])) != decoded[i])
          return nullptr;
    }
  if (reader.HasNext ())
    return nullptr;
  auto numbers = arrow::ArrayData::Make (lists.value_type (), n, { nullptr, std::move (bytes) }, 0);
  return arrow::MakeArray (
      arrow::ArrayData::Make (type, rows, { nullptr }, { std::move (numbers) }, 0));
}

// FIELD of a row group; null where Arrow is to read it, and to say what is wrong with it, if
// anything is.
ArrayResult
read_directly (parquet::RowGroupReader &group, const SchemaField &field)
{
  const auto &type = field.field->type ();
  if (type->id () != arrow::Type::FIXED_SIZE_LIST || field.children.size () != 1
      || field.children[0].column_index < 0)
    return nullptr;
  const auto number = type->field (0)->type ()->id ();
  const auto read = number == arrow::Type::DOUBLE  ? read_lists<parquet::DoubleType, double>
                    : number == arrow::Type::FLOAT ? read_lists<parquet::FloatType, float>
                    : number == arrow::Type::UINT8 ? read_lists<parquet::Int32Type, uint8_t>
                                                   : nullptr;
  return read != nullptr ? read (group, field.children[0].column_index, type)
                         : ArrayResult (nullptr);
}

ArrayResult
read_by_arrow (parquet::arrow::FileReader &file, int group, int number)
{
  std::shared_ptr<arrow::ChunkedArray> column;
  ARROW_RETURN_NOT_OK (file.RowGroup (group)->Column (number)->Read (&column));
  if (column->length () != file.parquet_reader ()->metadata ()->RowGroup (group)->num_rows ())
    return arrow::Status::Invalid ("a row group has other rows than its file says");
  auto table
      = arrow::Table::Make (arrow::schema ({ arrow::field ("", column->type ()) }), { column });
  ARROW_ASSIGN_OR_RAISE (auto batch, table->CombineChunksToBatch (sl_reading_pool ()));
  return batch->column (0);
}

ArrayResult
read_field (parquet::arrow::FileReader &file, int group, int number)
{
  auto array = sl::guarded ([&] {
    const auto &field = file.manifest ().schema_fields[static_cast<size_t> (number)];
    return read_directly (*file.parquet_reader ()->RowGroup (group), field);
  });
  return array.ok () && *array != nullptr
             ? array
             : sl::guarded ([&] { return read_by_arrow (file, group, number); });
}

// The row groups that are still to be read, of which some are on their way.
struct Groups
{
  using Group = arrow::Future<arrow::ArrayVector>;

  parquet::arrow::FileReader *file;
  std::shared_ptr<arrow::Schema> schema;
  int at, to;
  bool on_threads;
  std::deque<Group> ahead = {};

  ~Groups ()
  {
    for (auto &group : ahead)
      group.Wait ();
  }

  Group begin (int number) const
  {
    std::vector<int> fields (static_cast<size_t> (schema->num_fields ()));
    std::iota (fields.begin (), fields.end (), 0);
    auto read = [from = file, number] (size_t, int i) { return read_field (*from, number, i); };
    return arrow::internal::OptionalParallelForAsync (on_threads, std::move (fields), read);
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch> > next ()
  {
    while (at < to && ahead.size () <= (on_threads ? most_ahead : 0))
      ahead.push_back (begin (at++));
    if (ahead.empty ())
      return nullptr;
    const int number = at - static_cast<int> (ahead.size ());
    auto group = std::move (ahead.front ());
    ahead.pop_front ();
    ARROW_ASSIGN_OR_RAISE (auto columns, group.MoveResult ());
    const auto metadata = file->parquet_reader ()->metadata ();
    return arrow::RecordBatch::Make (schema, metadata->RowGroup (number)->num_rows (), columns);
  }
};
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
sl::page_reader (parquet::arrow::FileReader *file, int from, int to, bool on_threads)
{
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK (file->GetSchema (&schema));
  std::shared_ptr<Groups> groups (new Groups{ file, schema, from, to, on_threads });
  return arrow::RecordBatchReader::MakeFromIterator (
      arrow::MakeFunctionIterator ([groups] { return groups->next (); }), schema);
}
