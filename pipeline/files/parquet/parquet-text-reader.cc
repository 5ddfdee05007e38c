// SPDX-License-Identifier: GPL-3.0-or-later
#include "parquet-groups.h"
#include "parquet-pages.h"

#include <arrow/array/array_binary.h>
#include <arrow/buffer_builder.h>
#include <parquet/exception.h>

#include <cstring>

namespace
{
// Names are short, and memcpy() is for more.
inline void
copy (uint8_t *to, const uint8_t *from, size_t n)
{
  if (n > 16)
    memcpy (to, from, n);
  else if (n >= 8)
    {
      memcpy (to, from, 8);
      memcpy (to + n - 8, from + n - 8, 8);
    }
  else if (n >= 4)
    {
      memcpy (to, from, 4);
      memcpy (to + n - 4, from + n - 4, 4);
    }
  else
    for (size_t i = 0; i < n; i++)
      to[i] = from[i];
}

class Texts
{
public:
  explicit Texts (int64_t n) : n_ (n), offsets_ (sl_reading_pool ()), bytes_ (sl_reading_pool ()) {}

  bool
  begin ()
  {
    return n_ < INT32_MAX && offsets_.Append (0).ok () && offsets_.Reserve (n_).ok ();
  }

  bool
  take (parquet::TypedDecoder<parquet::ByteArrayType> *decoder, int n)
  {
    std::array<parquet::ByteArray, sl::at_a_time> text;
    for (int done = 0; done < n; done += sl::at_a_time)
      {
        const int m = std::min (n - done, sl::at_a_time);
        if (decoder->Decode (text.data (), m) != m || !append (text.data (), m))
          return false;
      }
    return true;
  }

  std::shared_ptr<arrow::Array>
  end ()
  {
    auto offsets = offsets_.Finish (), bytes = bytes_.Finish ();
    if (!offsets.ok () || !bytes.ok ())
      return nullptr;
    return std::make_shared<arrow::StringArray> (n_, *offsets, *bytes);
  }

private:
  bool
  append (const parquet::ByteArray *text, int n)
  {
    int64_t bytes = 0;
    for (int i = 0; i < n; i++)
      bytes += text[i].len;
    if (bytes > INT32_MAX - bytes_.length () || !bytes_.Reserve (bytes).ok ())
      return false;
    uint8_t *begin = bytes_.mutable_data (), *to = begin + bytes_.length ();
    for (int i = 0; i < n; i++)
      {
        copy (to, text[i].ptr, text[i].len);
        to += text[i].len;
        offsets_.UnsafeAppend (static_cast<int32_t> (to - begin));
      }
    bytes_.UnsafeAdvance (bytes);
    return true;
  }

  int64_t n_;
  arrow::TypedBufferBuilder<int32_t> offsets_;
  arrow::BufferBuilder bytes_;
};
}

bool
sl::are_texts (const arrow::Field &field, const parquet::ColumnDescriptor &column)
{
  return field.type ()->id () == arrow::Type::STRING
         && column.physical_type () == parquet::Type::BYTE_ARRAY
         && column.max_repetition_level () == 0;
}

std::shared_ptr<arrow::Array>
sl::read_texts (parquet::RowGroupReader *group, int column)
{
  try
    {
      const int64_t n = group->metadata ()->num_rows ();
      Texts texts (n);
      auto take = [&texts] (parquet::TypedDecoder<parquet::ByteArrayType> *decoder, int m,
                            int64_t) { return texts.take (decoder, m); };
      if (!texts.begin () || !sl::each_page<parquet::ByteArrayType> (group, column, 0, n, take))
        return nullptr;
      return texts.end ();
    }
  catch (const std::exception &)
    {
      return nullptr;
    }
}
