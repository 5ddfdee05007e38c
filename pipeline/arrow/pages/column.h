// SPDX-License-Identifier: GPL-3.0-or-later
// How one column of a table is written to Parquet, a row group after the other: as tasks that any
// thread may do, whose bytes do not depend on which one does.
#pragma once

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/status.h>
#include <arrow/type.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <map>
#include <memory>
#include <vector>

namespace sl
{
using Arrays = std::vector<std::shared_ptr<arrow::Array> >;
using Buffers = std::vector<std::shared_ptr<arrow::Buffer> >;
using PageCounts = std::map<parquet::Encoding::type, int32_t>;

// A column of the file, in one row group; places are counted from its first byte.
struct Chunk
{
  Buffers bytes;
  int64_t n_values = 0;
  int64_t n_bytes = 0;        // as they lie in the file
  int64_t n_unpacked = 0;     // before they were compressed
  int64_t dictionary_at = -1; // no dictionary
  int64_t data_at = 0;
  PageCounts dictionary_pages, data_pages;
  std::shared_ptr<parquet::EncodedStatistics> statistics; // null: none
};

// The steps of a row group are: begin_step(), its tasks, begin_step() with more rows, ..., and
// take_chunks() after the last one.
class ParquetColumn
{
public:
  virtual ~ParquetColumn () = default;

  // So many tasks are to be done with the next rows. LAST: the row group ends with them.
  virtual int begin_step (Arrays arrays, bool last) = 0;
  virtual arrow::Status do_task (int task) = 0;

  // Appends those of the row group: one for each of its columns in the file.
  virtual arrow::Status take_chunks (std::vector<Chunk> *chunks) = 0;
};

// What the file is written with.
struct ParquetStyle
{
  std::shared_ptr<parquet::WriterProperties> flat, nested;
};

const ParquetStyle &parquet_style ();

// Any column, by Arrow's own writer: one task a step.
std::unique_ptr<ParquetColumn> library_column (std::shared_ptr<arrow::Field> field);

// Lists of numbers, all of one length and none missing, as distributions are: a task for each
// array, which is a page. DESCRIPTION, which is to outlive it, is that of its column in the file.
// Null where FIELD is something else.
std::unique_ptr<ParquetColumn> list_column (std::shared_ptr<arrow::Field> field,
                                            const parquet::ColumnDescriptor *description,
                                            int64_t most_rows);
}
