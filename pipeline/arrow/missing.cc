/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "missing.h"

#include "reading-memory.h"

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <cstring>

using Data = std::shared_ptr<arrow::ArrayData>;

static bool
is_there (const arrow::ArrayData &data, int64_t i)
{
  return arrow::bit_util::GetBit (data.buffers[0]->data (), data.offset + i);
}

/* Whether bits of the last byte belong to no value, and are set. */
static bool
ends_dirty (const arrow::ArrayData &data, int buffer)
{
  const int64_t end = data.offset + data.length;
  return end % 8 != 0 && data.buffers[buffer]->data ()[end / 8] >> end % 8 != 0;
}

static arrow::Status
copy_bits (arrow::ArrayData &data, int buffer)
{
  return arrow::internal::CopyBitmap (sl_reading_pool (), data.buffers[buffer]->data (),
                                      data.offset, data.length, data.offset)
      .Value (&data.buffers[buffer]);
}

static arrow::Status
clear_bits (arrow::ArrayData &data)
{
  for (int64_t i = 0; i < data.length; i++)
    if (!is_there (data, i) && arrow::bit_util::GetBit (data.buffers[1]->data (), data.offset + i))
      return arrow::internal::BitmapAnd (sl_reading_pool (), data.buffers[1]->data (), data.offset,
                                         data.buffers[0]->data (), data.offset, data.length,
                                         data.offset)
          .Value (&data.buffers[1]);
  return arrow::Status::OK ();
}

/* Values of WIDTH bytes each. */
static arrow::Status
clear_values (arrow::ArrayData &data, size_t width)
{
  static const uint8_t zeros[16] = { 0 };
  const uint8_t *from = data.buffers[1]->data () + static_cast<size_t> (data.offset) * width;
  uint8_t *to = nullptr;
  for (int64_t i = 0; i < data.length; i++)
    {
      const size_t at = static_cast<size_t> (i) * width;
      if (is_there (data, i) || memcmp (from + at, zeros, width) == 0)
        continue;
      if (to == nullptr)
        {
          const int64_t bytes = (data.offset + data.length) * static_cast<int64_t> (width);
          ARROW_ASSIGN_OR_RAISE (data.buffers[1],
                                 data.buffers[1]->CopySlice (0, bytes, sl_reading_pool ()));
          to = data.buffers[1]->mutable_data () + static_cast<size_t> (data.offset) * width;
        }
      memset (to + at, 0, width);
    }
  return arrow::Status::OK ();
}

static arrow::Status
clear_texts (arrow::ArrayData &data)
{
  const auto *offset = data.GetValues<int32_t> (1);
  bool clear = true;
  for (int64_t i = 0; i < data.length; i++)
    clear &= is_there (data, i) || offset[i] == offset[i + 1];
  if (clear)
    return arrow::Status::OK ();
  const int64_t most = offset[data.length] - offset[0];
  ARROW_ASSIGN_OR_RAISE (auto offsets,
                         arrow::AllocateBuffer (4 * (data.length + 1), sl_reading_pool ()));
  ARROW_ASSIGN_OR_RAISE (auto bytes, arrow::AllocateBuffer (most, sl_reading_pool ()));
  ARROW_ASSIGN_OR_RAISE (auto there,
                         arrow::internal::CopyBitmap (sl_reading_pool (), data.buffers[0]->data (),
                                                      data.offset, data.length));
  auto *to = offsets->mutable_data_as<int32_t> ();
  to[0] = 0;
  for (int64_t i = 0; i < data.length; i++)
    {
      const int32_t n = is_there (data, i) ? offset[i + 1] - offset[i] : 0;
      if (n > 0)
        memcpy (bytes->mutable_data () + to[i], data.buffers[2]->data () + offset[i],
                static_cast<size_t> (n));
      to[i + 1] = to[i] + n;
    }
  data.buffers = { std::move (there), std::move (offsets), std::move (bytes) };
  data.offset = 0;
  return arrow::Status::OK ();
}

static arrow::Status
clear_values_of (arrow::ArrayData &data)
{
  const auto *type = data.type.get ();
  if (type->id () == arrow::Type::DICTIONARY)
    type = static_cast<const arrow::DictionaryType &> (*type).index_type ().get ();
  if (type->id () == arrow::Type::BOOL)
    return clear_bits (data);
  if (type->id () == arrow::Type::STRING || type->id () == arrow::Type::BINARY)
    return clear_texts (data);
  if (arrow::is_primitive (type->id ()))
    return clear_values (data, static_cast<size_t> (type->byte_width ()));
  return arrow::Status::OK ();
}

static arrow::Result<Data>
cleared (const Data &data)
{
  auto result = data->Copy ();
  for (auto &child : result->child_data)
    {
      ARROW_ASSIGN_OR_RAISE (child, cleared (child));
    }
  if (data->length == 0)
    return result;
  if (data->GetNullCount () != 0 && data->buffers[0] != nullptr)
    {
      ARROW_RETURN_NOT_OK (clear_values_of (*result));
      if (ends_dirty (*result, 0))
        ARROW_RETURN_NOT_OK (copy_bits (*result, 0));
    }
  if (data->type->id () == arrow::Type::BOOL && ends_dirty (*result, 1))
    ARROW_RETURN_NOT_OK (copy_bits (*result, 1));
  return result;
}

GArrowArray *
sl_clear_missing (GArrowArray *array, GError **error)
{
  const auto raw = garrow_array_get_raw (array);
  auto data = cleared (raw->data ());
  if (!garrow::check (error, data, "missing values"))
    return nullptr;
  auto result = arrow::MakeArray (*data);
  return garrow_array_new_raw (&result);
}

GArrowRecordBatch *
sl_clear_missing_columns (GArrowRecordBatch *batch, GError **error)
{
  const auto raw = garrow_record_batch_get_raw (batch);
  auto columns = raw->column_data ();
  for (auto &column : columns)
    {
      auto data = cleared (column);
      if (!garrow::check (error, data, "missing values"))
        return nullptr;
      column = *data;
    }
  auto result = arrow::RecordBatch::Make (raw->schema (), raw->num_rows (), std::move (columns));
  return garrow_record_batch_new_raw (&result);
}
