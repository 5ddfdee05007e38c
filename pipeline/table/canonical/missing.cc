/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "missing.h"

#include "pipeline/table/reading-memory.h"

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
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

static arrow::Status
clear_bits (arrow::ArrayData &data)
{
  return arrow::internal::BitmapAnd (sl_reading_pool (), data.buffers[1]->data (), data.offset,
                                     data.buffers[0]->data (), data.offset, data.length,
                                     data.offset)
      .Value (&data.buffers[1]);
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

static arrow::Result<Data>
cleared (const Data &data)
{
  auto result = data->Copy ();
  for (auto &child : result->child_data)
    {
      ARROW_ASSIGN_OR_RAISE (child, cleared (child));
    }
  if (data->GetNullCount () == 0 || data->buffers[0] == nullptr)
    return result;
  const auto *type = data->type.get ();
  if (type->id () == arrow::Type::DICTIONARY)
    type = static_cast<const arrow::DictionaryType &> (*type).index_type ().get ();
  if (type->id () == arrow::Type::BOOL)
    ARROW_RETURN_NOT_OK (clear_bits (*result));
  else if (type->id () == arrow::Type::STRING || type->id () == arrow::Type::BINARY)
    ARROW_RETURN_NOT_OK (clear_texts (*result));
  else if (arrow::is_primitive (type->id ()))
    ARROW_RETURN_NOT_OK (clear_values (*result, static_cast<size_t> (type->byte_width ())));
  return result;
}

GArrowArray *
sl_clear_missing (GArrowArray *array, GError **error)
{
  const auto raw = garrow_array_get_raw (array);
  if (raw->null_count () == 0 && raw->data ()->child_data.empty ())
    return GARROW_ARRAY (g_object_ref (array));
  auto data = cleared (raw->data ());
  if (!garrow::check (error, data, "missing values"))
    return nullptr;
  auto result = arrow::MakeArray (*data);
  return garrow_array_new_raw (&result);
}
