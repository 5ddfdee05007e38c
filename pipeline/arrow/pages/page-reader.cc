// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers of one length, and texts, none of which is missing, are decoded to where a
// table has them. Arrow reads all other columns, and says what is wrong with damaged ones.
#include "page-reader.h"

#include "pipeline/arrow/reading-memory.h"

#include <arrow/array.h>
#include <arrow/buffer_builder.h>
#include <arrow/extension_type.h>
#include <arrow/table.h>
#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <numeric>

using parquet::arrow::SchemaField;
using Array = std::shared_ptr<arrow::Array>;

namespace
{
// Row groups that are read before they are asked for, where there are threads for it.
const size_t most_ahead = 2;

// Values that are decoded, and whose levels are looked at, together.
const int64_t at_a_time = 4096;

// N numbers, which are in the file as Type, and in the table as Value.
template <typename Type, typename Value> class Numbers
{
public:
  using Stored = Type;
  using Wide = typename Type::c_type;

  arrow::Status
  begin (int64_t n)
  {
    return arrow::AllocateBuffer (n * static_cast<int64_t> (sizeof (Value)), sl_reading_pool ())
        .Value (&bytes_);
  }

  // Where the values from number DONE on are to be decoded; of which there are M, then.
  Wide *
  place (int64_t done)
  {
    if constexpr (std::is_same_v<Value, Wide>)
      return bytes_->template mutable_data_as<Value> () + done;
    else
      return wide_.data ();
  }

  bool
  take (int64_t m, int64_t done)
  {
    bool fit = true;
    if constexpr (!std::is_same_v<Value, Wide>)
      for (int64_t i = 0; i < m; i++)
        {
          auto *to = bytes_->template mutable_data_as<Value> () + done + i;
          *to = static_cast<Value> (wide_[static_cast<size_t> (i)]);
          fit &= *to == wide_[static_cast<size_t> (i)];
        }
    return fit;
  }

  Array
  end (const std::shared_ptr<arrow::DataType> &type, int64_t rows)
  {
    const auto &lists = static_cast<const arrow::FixedSizeListType &> (*type);
    auto numbers = arrow::ArrayData::Make (lists.value_type (), rows * lists.list_size (),
                                           { nullptr, std::move (bytes_) }, 0);
    return arrow::MakeArray (
        arrow::ArrayData::Make (type, rows, { nullptr }, { std::move (numbers) }, 0));
  }

private:
  std::shared_ptr<arrow::Buffer> bytes_;
  std::array<Wide, std::is_same_v<Value, Wide> ? 1 : at_a_time> wide_;
};

class Texts
{
public:
  using Stored = parquet::ByteArrayType;

  arrow::Status
  begin (int64_t n)
  {
    return offsets_.Reserve (n + 1) & offsets_.Append (0);
  }

  parquet::ByteArray *
  place (int64_t)
  {
    return text_.data ();
  }

  bool
  take (int64_t m, int64_t)
  {
    const auto n = static_cast<size_t> (m);
    int64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
      bytes += text_[i].len;
    if (bytes > INT32_MAX - bytes_.length () || !bytes_.Reserve (bytes).ok ())
      return false;
    uint8_t *begin = bytes_.mutable_data (), *to = begin + bytes_.length ();
    for (size_t i = 0; i < n; to += text_[i++].len)
      {
        if (text_[i].len > 0)
          memcpy (to, text_[i].ptr, text_[i].len);
        offsets_.UnsafeAppend (static_cast<int32_t> (to - begin + text_[i].len));
      }
    bytes_.UnsafeAdvance (bytes);
    return true;
  }

  Array
  end (const std::shared_ptr<arrow::DataType> &, int64_t rows)
  {
    auto offsets = offsets_.Finish (), bytes = bytes_.Finish ();
    return offsets.ok () && bytes.ok ()
               ? std::make_shared<arrow::StringArray> (rows, *offsets, *bytes)
               : nullptr;
  }

private:
  arrow::TypedBufferBuilder<int32_t> offsets_{ sl_reading_pool () };
  arrow::BufferBuilder bytes_{ sl_reading_pool () };
  std::array<parquet::ByteArray, at_a_time> text_;
};

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

// The column as TYPE, in lists of LENGTH values each; 0: there are no lists. Null: not all values
// are there, and where they belong.
template <typename Values>
Array
read_column (parquet::RowGroupReader &group, int column,
             const std::shared_ptr<arrow::DataType> &type, int64_t length)
{
  std::array<int16_t, at_a_time> missing, levels;
  const int64_t rows = group.metadata ()->num_rows ();
  const int64_t n = group.metadata ()->ColumnChunk (column)->num_values ();
  const int64_t each = std::max<int64_t> (length, 1);
  const auto stored = group.metadata ()->schema ()->Column (column)->physical_type ();
  Values values;
  if (stored != Values::Stored::type_num || rows < 0 || n % each != 0 || n / each != rows
      || !values.begin (n).ok ())
    return nullptr;
  try
    {
      auto pages = group.Column (column);
      auto &reader = static_cast<parquet::TypedColumnReader<typename Values::Stored> &> (*pages);
      for (int64_t done = 0, m; done < n; done += m)
        {
          int64_t there = 0;
          m = reader.ReadBatch (std::min (n - done, at_a_time), missing.data (), levels.data (),
                                values.place (done), &there);
          if (m <= 0 || there != m || (length > 0 && !begin_lists (levels.data (), m, done, length))
              || !values.take (m, done))
            return nullptr;
        }
      return reader.HasNext () ? nullptr : values.end (type, rows);
    }
  catch (const std::exception &)
    {
      return nullptr;
    }
}

// FIELD of a row group; null where Arrow is to read it, and to say what is wrong with it, if
// anything is. Tensors are stored as lists.
Array
read_field (parquet::RowGroupReader &group, const SchemaField &field)
{
  auto type = field.field->type ();
  if (type->id () == arrow::Type::STRING && field.column_index >= 0)
    return read_column<Texts> (group, field.column_index, type, 0);
  if (type->id () == arrow::Type::EXTENSION)
    type = static_cast<const arrow::ExtensionType &> (*type).storage_type ();
  if (type->id () != arrow::Type::FIXED_SIZE_LIST || field.children.size () != 1
      || field.children[0].column_index < 0)
    return nullptr;
  const auto &lists = static_cast<const arrow::FixedSizeListType &> (*type);
  const auto number = lists.value_type ()->id ();
  const auto read
      = number == arrow::Type::DOUBLE  ? read_column<Numbers<parquet::DoubleType, double> >
        : number == arrow::Type::FLOAT ? read_column<Numbers<parquet::FloatType, float> >
        : number == arrow::Type::UINT8 ? read_column<Numbers<parquet::Int32Type, uint8_t> >
                                       : nullptr;
  if (read == nullptr || lists.list_size () <= 0)
    return nullptr;
  auto array = read (group, field.children[0].column_index, type, lists.list_size ());
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
      for (auto &field : group.fields)
        field.Wait ();
  }

  arrow::Status
  open ()
  {
    return file_->GetSchema (&schema_);
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return schema_;
  }

  arrow::Status
  ReadNext (std::shared_ptr<arrow::RecordBatch> *batch) override
  {
    *batch = nullptr;
    while (next_ < to_ && ahead_.size () <= (on_threads_ ? most_ahead : 0))
      begin (next_++);
    if (ahead_.empty ())
      return arrow::Status::OK ();
    auto group = std::move (ahead_.front ());
    ahead_.pop_front ();
    arrow::ArrayVector columns;
    arrow::Status status;
    for (auto &field : group.fields)
      {
        auto column = field.MoveResult (); // each is waited for, even if one has failed
        status &= column.status ();
        if (column.ok () && (*column)->length () != group.rows)
          status &= arrow::Status::Invalid ("a column has other rows than its row group");
        columns.push_back (column.ValueOr (nullptr));
      }
    if (status.ok ())
      *batch = arrow::RecordBatch::Make (schema_, group.rows, std::move (columns));
    return status;
  }

private:
  struct Group
  {
    int64_t rows;
    std::vector<arrow::Future<Array> > fields;
  };

  void
  begin (int number)
  {
    ahead_.push_back (
        { file_->parquet_reader ()->metadata ()->RowGroup (number)->num_rows (), {} });
    for (const auto &field : file_->manifest ().schema_fields)
      {
        auto task = [this, number, &field] { return read (number, field); };
        ahead_.back ().fields.push_back (
            on_threads_ ? arrow::DeferNotOk (arrow::internal::GetCpuThreadPool ()->Submit (task))
                        : arrow::Future<Array>::MakeFinished (task ()));
      }
  }

  arrow::Result<Array>
  read (int number, const SchemaField &field) const
  {
    try
      {
        if (auto array = read_field (*file_->parquet_reader ()->RowGroup (number), field))
          return array;
        std::vector<int> columns;
        add_columns (field, &columns);
        ARROW_ASSIGN_OR_RAISE (auto table, file_->ReadRowGroup (number, columns));
        ARROW_ASSIGN_OR_RAISE (auto batch, table->CombineChunksToBatch (sl_reading_pool ()));
        if (batch->num_columns () == 1)
          return batch->column (0);
        return arrow::Status::Invalid ("a row group has other columns than its file");
      }
    catch (const std::exception &e)
      {
        return arrow::Status::Invalid (e.what ());
      }
  }

  parquet::arrow::FileReader *file_;
  int next_, to_;
  bool on_threads_;
  std::shared_ptr<arrow::Schema> schema_;
  std::deque<Group> ahead_;
};
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
sl::page_reader (parquet::arrow::FileReader *file, int from, int to, bool on_threads)
{
  auto reader = std::make_shared<PageReader> (file, from, to, on_threads);
  ARROW_RETURN_NOT_OK (reader->open ());
  return reader;
}
