// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of one column of a row group, for columns in which nothing is missing: values are
// decoded one page after the other, with no look at each one's place.
#pragma once

#include "pipeline/table/reading-memory.h"

#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/encoding.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

namespace sl
{
// Values that are decoded, or whose levels are looked at, together.
const int at_a_time = 4096;

// Where a page's levels and values are. A level is where it belongs if those of a list's numbers
// are 0, 1, 1, ..., and all values are there.
class PageLevels
{
public:
  // LENGTH is that of lists; 0 where there are none.
  PageLevels (const parquet::ColumnDescriptor &column, int64_t length)
      : most_repetition_ (column.max_repetition_level ()),
        most_definition_ (column.max_definition_level ()), length_ (length)
  {
    if (length == 0 || length > at_a_time)
      return;
    pattern_.resize (static_cast<size_t> (at_a_time + length));
    for (size_t i = 0; i < pattern_.size (); i++)
      pattern_[i] = i % static_cast<size_t> (length) != 0;
  }

  // Of PAGE, whose first value is value FIRST of the column. Returns the values' place; null: some
  // are not where they belong.
  const uint8_t *
  skip (const parquet::DataPage &page, int64_t first)
  {
    const uint8_t *at = page.data ();
    int left = page.size ();
    const int n = page.num_values ();
    if (page.type () == parquet::PageType::DATA_PAGE)
      {
        const auto &v1 = static_cast<const parquet::DataPageV1 &> (page);
        int bytes = 0;
        if (most_repetition_ > 0)
          bytes = repetition_.SetData (v1.repetition_level_encoding (), most_repetition_, n, at,
                                       left);
        at += bytes;
        left -= bytes;
        if (most_definition_ > 0)
          at += definition_.SetData (v1.definition_level_encoding (), most_definition_, n, at,
                                     left);
      }
    else
      {
        const auto &v2 = static_cast<const parquet::DataPageV2 &> (page);
        const int bytes[]
            = { v2.repetition_levels_byte_length (), v2.definition_levels_byte_length () };
        if (bytes[0] < 0 || bytes[1] < 0 || bytes[0] > left || bytes[1] > left - bytes[0])
          return nullptr;
        if (most_repetition_ > 0)
          repetition_.SetDataV2 (bytes[0], most_repetition_, n, at);
        if (most_definition_ > 0)
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
        if (most_repetition_ > 0
            && (repetition_.Decode (m, levels_.data ()) != m || !begin_lists (m, first + done)))
          return false;
        if (most_definition_ > 0 && !are_there (m))
          return false;
      }
    return true;
  }

  bool
  are_there (int m)
  {
    return definition_.Decode (m, levels_.data ()) == m
           && std::all_of (levels_.begin (), levels_.begin () + m,
                           [this] (int16_t level) { return level == most_definition_; });
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

// Decoders of a column's values, one for each way in which its pages are written.
template <typename Type> class Decoders
{
public:
  explicit Decoders (const parquet::ColumnDescriptor *column) : column_ (column) {}

  void
  set_dictionary (const parquet::DictionaryPage &page)
  {
    auto values
        = parquet::MakeTypedDecoder<Type> (parquet::Encoding::PLAIN, column_, sl_reading_pool ());
    values->SetData (page.num_values (), page.data (), page.size ());
    dictionary_ = parquet::MakeDictDecoder<Type> (column_, sl_reading_pool ());
    dictionary_->SetDict (values.get ());
  }

  // Of the values of PAGE, which begin at AT. Null: there is no dictionary.
  parquet::TypedDecoder<Type> *
  of (const parquet::DataPage &page, const uint8_t *at)
  {
    auto *decoder = of (page.encoding ());
    if (decoder != nullptr)
      decoder->SetData (page.num_values (), at,
                        static_cast<int> (page.data () + page.size () - at));
    return decoder;
  }

private:
  parquet::TypedDecoder<Type> *
  of (parquet::Encoding::type encoding)
  {
    if (encoding == parquet::Encoding::RLE_DICTIONARY
        || encoding == parquet::Encoding::PLAIN_DICTIONARY)
      return dictionary_.get ();
    auto &plain = plain_[encoding];
    if (plain == nullptr)
      plain = parquet::MakeTypedDecoder<Type> (encoding, column_, sl_reading_pool ());
    return plain.get ();
  }

  const parquet::ColumnDescriptor *column_;
  std::unique_ptr<parquet::DictDecoder<Type> > dictionary_;
  std::map<parquet::Encoding::type, std::unique_ptr<parquet::TypedDecoder<Type> > > plain_;
};

// The N values of COLUMN of GROUP, which are lists of LENGTH numbers each, or single ones (0). TAKE
// is given a decoder, how many values it has, and the number of the first. False: not all are there
// and where they belong, or TAKE did not take them.
template <typename Type, typename Take>
bool
each_page (parquet::RowGroupReader *group, int column, int64_t length, int64_t n, const Take &take)
{
  const auto *descriptor = group->metadata ()->schema ()->Column (column);
  PageLevels levels (*descriptor, length);
  Decoders<Type> decoders (descriptor);
  int64_t done = 0;
  auto pages = group->GetColumnPageReader (column);
  while (auto page = pages->NextPage ())
    {
      if (page->type () == parquet::PageType::DICTIONARY_PAGE)
        {
          decoders.set_dictionary (static_cast<const parquet::DictionaryPage &> (*page));
          continue;
        }
      if (page->type () != parquet::PageType::DATA_PAGE
          && page->type () != parquet::PageType::DATA_PAGE_V2)
        continue;
      const auto &data = static_cast<const parquet::DataPage &> (*page);
      if (data.num_values () < 0 || data.num_values () > n - done)
        return false;
      const uint8_t *at = levels.skip (data, done);
      if (at == nullptr || at > data.data () + data.size ())
        return false;
      auto *decoder = decoders.of (data, at);
      if (decoder == nullptr || !take (decoder, data.num_values (), done))
        return false;
      done += data.num_values ();
    }
  return done == n;
}
}
