// SPDX-License-Identifier: GPL-3.0-or-later
#include "made-batch.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <cstring>

extern "C"
{
#include "pipeline/table/table.h"
}

namespace
{
using arrow::ArrayData;
using arrow::DataType;
using Type = std::shared_ptr<DataType>;

// What is left of the bytes; zeros once there are none.
struct Bytes
{
  const guint8 *at, *end;

  guint8 byte () { return at < end ? *at++ : 0; }

  bool rarely () // not where bytes have come to their end
  {
    return byte () % 16 == 15;
  }

  // Memory of exactly its size, so that what reads beyond it is found.
  std::shared_ptr<arrow::Buffer> buffer (int64_t n, bool zeros = false)
  {
    auto memory = arrow::AllocateBuffer (n).ValueOrDie ();
    int64_t some = zeros ? 0 : std::min<int64_t> (n, end - at);
    std::memset (memory->mutable_data (), 0, static_cast<size_t> (n));
    if (some > 0)
      std::memcpy (memory->mutable_data (), at, static_cast<size_t> (some));
    at += some;
    return memory;
  }
};

Type
codes (Type index, Type value)
{
  return arrow::dictionary (std::move (index), std::move (value));
}

Type any_type (Bytes &bytes, int depth);

Type
nested_type (Bytes &bytes, int depth)
{
  auto of = [&] { return any_type (bytes, depth + 1); };
  // Not maps: Arrow does not make one that it has not looked into.
  switch (bytes.byte () % 7)
    {
    case 0:
      return arrow::list (of ());
    case 1:
      return arrow::large_list (of ());
    case 2:
      return arrow::fixed_size_list (of (), bytes.byte () % 5);
    case 3:
      return arrow::struct_ ({ arrow::field ("class", of ()), arrow::field ("percent", of ()) });
    case 4:
      return codes (bytes.byte () % 2 ? arrow::int8 () : arrow::uint32 (), of ());
    case 5:
      return arrow::list_view (of ());
    default:
      return arrow::run_end_encoded (arrow::int32 (), of ());
    }
}

Type
any_type (Bytes &bytes, int depth)
{
  static const Type plain[] = {
    arrow::utf8 (),
    arrow::large_utf8 (),
    arrow::binary (),
    arrow::large_binary (),
    arrow::int8 (),
    arrow::int16 (),
    arrow::int32 (),
    arrow::int64 (),
    arrow::uint8 (),
    arrow::uint16 (),
    arrow::uint32 (),
    arrow::uint64 (),
    arrow::float16 (),
    arrow::float32 (),
    arrow::float64 (),
    arrow::boolean (),
    arrow::null (),
    arrow::utf8_view (),
    arrow::binary_view (),
    arrow::date32 (),
    arrow::fixed_size_binary (3),
    arrow::decimal128 (10, 2),
    arrow::timestamp (arrow::TimeUnit::MICRO, "UTC"),
    codes (arrow::int32 (), arrow::utf8 ()),
    codes (arrow::int8 (), arrow::utf8 ()),
    codes (arrow::uint64 (), arrow::large_utf8 ()),
  };
  if (depth < 3 && bytes.byte () % 4 == 3)
    return nested_type (bytes, depth);
  return plain[bytes.byte () % G_N_ELEMENTS (plain)];
}

// As a kind's column is written, or nearly so.
Type
usual_type (SlType type, Bytes &bytes)
{
  auto number = bytes.byte () % 2 ? arrow::float32 () : arrow::uint8 ();
  auto value = codes (arrow::int32 (), arrow::utf8 ());
  switch (type)
    {
    case SL_TYPE_TEXT:
      return arrow::utf8 ();
    case SL_TYPE_CLASS:
      return value;
    case SL_TYPE_CLASSES:
      return arrow::list (value);
    case SL_TYPE_CHOICES:
      return arrow::list (arrow::struct_ (
          { arrow::field ("class", value), arrow::field ("percent", arrow::float64 ()) }));
    case SL_TYPE_LABEL:
      return arrow::fixed_size_list (arrow::float64 (), 2);
    case SL_TYPE_BOOL:
      return arrow::boolean ();
    case SL_TYPE_INT32:
      return arrow::int32 ();
    case SL_TYPE_INT64:
      return arrow::int64 ();
    case SL_TYPE_REAL:
      return arrow::float64 ();
    case SL_TYPE_FLOAT32:
      return arrow::float32 ();
    case SL_TYPE_TENSOR:
      return arrow::fixed_size_list (number, 2);
    default:
      return arrow::binary ();
    }
}

std::shared_ptr<ArrayData> any_data (const Type &type, int64_t length, Bytes &bytes);

// Offsets that rise by little, or whatever the bytes are.
std::shared_ptr<arrow::Buffer>
offsets (int64_t n, int width, int64_t *most, Bytes &bytes)
{
  bool rise = !bytes.rarely ();
  auto buffer = bytes.buffer ((n + 1) * width);
  int64_t at = 0;
  guint8 *to = buffer->mutable_data ();
  for (int64_t i = 0; rise && i <= n; i++, to += width)
    {
      at += i > 0 ? to[0] % 4 : 0;
      std::memset (to, 0, static_cast<size_t> (width));
      std::memcpy (to, &at, 4);
    }
  *most = at;
  return buffer;
}

// The buffers of TYPE for N values, some too short; *MOST is as far as offsets reach.
void
add_buffers (ArrayData *data, int64_t n, int64_t *most, Bytes &bytes)
{
  auto id = data->type->id ();
  bool wide = id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY
              || id == arrow::Type::LARGE_LIST;
  bool has_offsets
      = wide || id == arrow::Type::STRING || id == arrow::Type::BINARY || id == arrow::Type::LIST;
  const auto layout = data->type->layout ();
  for (size_t i = 0; i < layout.buffers.size (); i++)
    {
      const auto &spec = layout.buffers[i];
      int64_t cut = bytes.rarely () ? bytes.byte () % 8 : 0;
      bool none = i == 0 && bytes.byte () % 4 != 0;
      if (spec.kind == arrow::DataTypeLayout::ALWAYS_NULL || none)
        data->buffers.push_back (nullptr);
      else if (i == 1 && has_offsets)
        data->buffers.push_back (offsets (n, wide ? 8 : 4, most, bytes));
      else
        {
          int64_t size = spec.kind == arrow::DataTypeLayout::BITMAP        ? (n + 7) / 8
                         : spec.kind == arrow::DataTypeLayout::FIXED_WIDTH ? n * spec.byte_width
                                                                           : *most;
          data->buffers.push_back (bytes.buffer (std::max<int64_t> (size - cut, 0)));
        }
    }
}

std::shared_ptr<ArrayData>
any_data (const Type &type, int64_t length, Bytes &bytes)
{
  auto data = std::make_shared<ArrayData> (type, length);
  data->offset = bytes.rarely () ? bytes.byte () % 4 : 0;
  data->null_count = arrow::kUnknownNullCount;
  int64_t n = length + data->offset, most = n;
  add_buffers (data.get (), n, &most, bytes);
  if (type->id () == arrow::Type::FIXED_SIZE_LIST)
    most = n * static_cast<const arrow::FixedSizeListType *> (type.get ())->list_size ();
  for (const auto &field : type->fields ())
    {
      int64_t members = bytes.rarely () ? bytes.byte () : most;
      data->child_data.push_back (any_data (field->type (), members, bytes));
    }
  if (type->id () == arrow::Type::DICTIONARY)
    data->dictionary
        = any_data (static_cast<const arrow::DictionaryType *> (type.get ())->value_type (),
                    bytes.rarely () ? bytes.byte () : 2, bytes);
  return data;
}

// Lists of which there are none, and which may yet begin somewhere: Arrow calls them valid, and
// ends the program where it writes them.
bool
begins_elsewhere (const ArrayData &data)
{
  auto id = data.type->id ();
  bool lists = id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST;
  if (lists && data.length == 0)
    return true;
  return std::any_of (data.child_data.begin (), data.child_data.end (),
                      [] (const auto &child) { return begins_elsewhere (*child); })
         || (data.dictionary != nullptr && begins_elsewhere (*data.dictionary));
}

void
add_column (arrow::FieldVector *fields, arrow::ArrayVector *arrays, std::string name, Type type,
            int64_t n, Bytes &bytes)
{
  auto array = arrow::MakeArray (any_data (type, n, bytes));
  auto says
      = type->id () == arrow::Type::FIXED_SIZE_LIST && bytes.byte () % 2
            ? arrow::key_value_metadata ({ { "ARROW:extension:name", "arrow.fixed_shape_tensor" },
                                           { "ARROW:extension:metadata", "{\"shape\":[1,2]}" } })
            : nullptr;
  fields->push_back (arrow::field (std::move (name), std::move (type), true, std::move (says)));
  arrays->push_back (std::move (array));
}
}

GArrowRecordBatch *
sl_fuzz_made_batch (const guint8 *data, gsize size)
{
  static const char *const classes[] = { "[\"cat\",\"dog\"]", "[]", "[\"cat\"]", "{", nullptr };
  Bytes bytes = { data, data + size };
  gsize n_kinds = 0;
  while (sl_kinds[n_kinds] != nullptr)
    n_kinds++;
  const SlKind *kind = sl_kinds[bytes.byte () % n_kinds];
  int64_t n = bytes.byte () % 9;
  auto metadata = std::make_shared<arrow::KeyValueMetadata> ();
  if (!bytes.rarely ())
    metadata->Append ("softlabel.table", kind->name);
  const char *said = classes[bytes.rarely () ? bytes.byte () % 5 : 0];
  if (said != nullptr)
    metadata->Append ("softlabel.classes", said);
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const SlColumnSpec *spec = kind->columns; spec->name != nullptr; spec++)
    {
      guint8 how = bytes.byte () % 8;
      if (how >= 6 || (how < 3 && spec->flags != SL_COLUMN_REQUIRED))
        continue;
      auto type = how == 5 ? any_type (bytes, 0) : usual_type (spec->type, bytes);
      if (spec->type == SL_TYPE_LABEL && bytes.rarely ())
        for (const char *end : { ".cat", ".dog" })
          add_column (&fields, &arrays, std::string (spec->name) + end, arrow::float64 (), n,
                      bytes);
      else
        add_column (&fields, &arrays, spec->name, type, n, bytes);
    }
  if (bytes.rarely ())
    add_column (&fields, &arrays, "tag_a", arrow::utf8 (), n, bytes);
  auto batch = arrow::RecordBatch::Make (arrow::schema (fields, metadata), n, arrays);
  return garrow_record_batch_new_raw (&batch);
}

gboolean
sl_fuzz_write_valid (GArrowRecordBatch *made, const char *path)
{
  auto batch = garrow_record_batch_get_raw (made);
  for (const auto &column : batch->column_data ())
    if (begins_elsewhere (*column))
      return FALSE;
  if (!batch->ValidateFull ().ok ())
    return FALSE;
  auto out = arrow::io::FileOutputStream::Open (path).ValueOrDie ();
  auto writer = arrow::ipc::MakeStreamWriter (out.get (), batch->schema ());
  return writer.ok () && (*writer)->WriteRecordBatch (*batch).ok () && (*writer)->Close ().ok ()
         && out->Close ().ok ();
}
