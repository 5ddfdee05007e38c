// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the row groups of a Parquet file: small ones whole, large ones piece by piece.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>

#include <memory>
#include <vector>

namespace sl
{
// The row groups GROUPS of READER, which is to use no threads of its own. A batch is a group.
// ON_THREADS: on Arrow's, and two of them ahead.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
read_groups (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups,
             bool on_threads);

// The same in batches of as many rows as READER was told.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
read_pieces (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups);

// Whether read_lists() may take COLUMN of a file for FIELD.
bool are_lists (const arrow::Field &field, const parquet::ColumnDescriptor &column);

// A row group's column of lists of one length, or of tensors, page by page, with no look at each
// number's place. Null where they are not what FIELD says, or some are missing: that is for Arrow
// to read, and to complain of.
std::shared_ptr<arrow::Array> read_lists (parquet::RowGroupReader *group, int column,
                                          const arrow::Field &field);

// The same of a column of texts.
bool are_texts (const arrow::Field &field, const parquet::ColumnDescriptor &column);
std::shared_ptr<arrow::Array> read_texts (parquet::RowGroupReader *group, int column);
}
