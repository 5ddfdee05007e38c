// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers, all of one length and none missing, as distributions are. A page of them is
// what says so, and the numbers as they lie in memory: Arrow's writer would look at each number
// several times.
#pragma once

#include <arrow/array.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

namespace sl
{
// A page with its header, as it lies in the file.
struct Page
{
  std::shared_ptr<arrow::Buffer> bytes;
  int64_t n_values, n_unpacked;
};

// Bytes of a number in the lists of FIELD, whose column in the file is COLUMN; 0: it has others
// than those, or so long ones that no page holds MOST_ROWS.
int64_t list_number_bytes (const arrow::Field &field, const parquet::ColumnDescriptor &column,
                           int64_t most_rows);

// Whether LISTS have a page each, and Arrow writes no shorter ones with a dictionary.
bool has_list_pages (const arrow::Array &lists);

arrow::Result<Page> list_page (const arrow::Array &lists, const parquet::ColumnDescriptor *column);
}
