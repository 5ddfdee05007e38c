// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers of one length, none of which is missing, are decoded to where a table has them.
// Arrow reads all other columns, and says what is wrong with damaged ones.
#include "page-reader.h"

#include "pipeline/arrow/reading-memory.h"
#include "guarded.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/table.h>
#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>
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
// anything is. Tensors are stored as lists.
ArrayResult
read_directly (parquet::RowGroupReader &group, const SchemaField &field)
{
  auto type = field.field->type ();
  if (type->id () == arrow::Type::EXTENSION)
    type = static_cast<const arrow::ExtensionType &> (*type).storage_type ();
  if (type->id () != arrow::Type::FIXED_SIZE_LIST || field.children.size () != 1
      || field.children[0].column_index < 0)
    return nullptr;
  const auto number = type->field (0)->type ()->id ();
  const auto read = number == arrow::Type::DOUBLE  ? read_lists<parquet::DoubleType, double>
                    : number == arrow::Type::FLOAT ? read_lists<parquet::FloatType, float>
                    : number == arrow::Type::UINT8 ? read_lists<parquet::Int32Type, uint8_t>
                                                   : nullptr;
  if (read == nullptr)
    return nullptr;
  ARROW_ASSIGN_OR_RAISE (auto array, read (group, field.children[0].column_index, type));
  return array != nullptr && type != field.field->type ()
             ? arrow::ExtensionType::WrapArray (field.field->type (), array)
             : array;
}

void
add_columns (const SchemaField &field, std::vector<int> *columns)
{
  if (field.column_index >= 0)
    columns->push_back (field.column_index);
  for (const auto &child : field.children)
    add_columns (child, columns);
}

ArrayResult
read_by_arrow (parquet::arrow::FileReader *file, int group, const SchemaField &field)
{
  std::vector<int> columns;
  add_columns (field, &columns);
  ARROW_ASSIGN_OR_RAISE (auto table, file->ReadRowGroup (group, columns));
  ARROW_ASSIGN_OR_RAISE (auto batch, table->CombineChunksToBatch (sl_reading_pool ()));
  if (batch->num_columns () != 1
      || batch->num_rows () != file->parquet_reader ()->metadata ()->RowGroup (group)->num_rows ())
    return arrow::Status::Invalid ("a row group has other columns, or rows, than its file says");
  return batch->column (0);
}

ArrayResult
read_field (parquet::arrow::FileReader *file, int group, const SchemaField &field)
{
  auto array = sl::guarded (
      [&] { return read_directly (*file->parquet_reader ()->RowGroup (group), field); });
  return array.ok () && *array != nullptr
             ? array
             : sl::guarded ([&] { return read_by_arrow (file, group, field); });
}

class PageReader : public arrow::RecordBatchReader
{
public:
  PageReader (parquet::arrow::FileReader *file, int from, int to, bool on_threads)
      : file_ (file), next_ (from), to_ (to), on_threads_ (on_threads)
  {
  }

  ~PageReader () override
  {
    for (auto &group : ahead_)
      for (auto &field : group)
        field.Wait ();
  }

  arrow::Status open () { return file_->GetSchema (&schema_); }

  std::shared_ptr<arrow::Schema> schema () const override { return schema_; }

  arrow::Status ReadNext (std::shared_ptr<arrow::RecordBatch> *batch) override
  {
    *batch = nullptr;
    while (next_ < to_ && ahead_.size () <= (on_threads_ ? most_ahead : 0))
      begin (next_++);
    if (ahead_.empty ())
      return arrow::Status::OK ();
    const int number = next_ - static_cast<int> (ahead_.size ());
    auto group = std::move (ahead_.front ());
    ahead_.pop_front ();
    arrow::ArrayVector columns;
    arrow::Status status;
    for (auto &field : group)
      {
        auto column = field.MoveResult (); // each is waited for, even if one has failed
        status &= column.status ();
        columns.push_back (column.ValueOr (nullptr));
      }
    if (status.ok ())
      *batch = arrow::RecordBatch::Make (
          schema_, file_->parquet_reader ()->metadata ()->RowGroup (number)->num_rows (),
          std::move (columns));
    return status;
  }

private:
  void begin (int number)
  {
    auto &group = ahead_.emplace_back ();
    for (const auto &field : file_->manifest ().schema_fields)
      {
        auto task = [this, number, &field] { return read_field (file_, number, field); };
        group.push_back (
            on_threads_ ? arrow::DeferNotOk (arrow::internal::GetCpuThreadPool ()->Submit (task))
                        : arrow::Future<std::shared_ptr<arrow::Array> >::MakeFinished (task ()));
      }
  }

  parquet::arrow::FileReader *file_;
  int next_, to_;
  bool on_threads_;
  std::shared_ptr<arrow::Schema> schema_;
  std::deque<std::vector<arrow::Future<std::shared_ptr<arrow::Array> > > > ahead_;
};
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
sl::page_reader (parquet::arrow::FileReader *file, int from, int to, bool on_threads)
{
  auto reader = std::make_shared<PageReader> (file, from, to, on_threads);
  ARROW_RETURN_NOT_OK (reader->open ());
  return reader;
}
