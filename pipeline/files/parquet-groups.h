// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Parquet a whole row group at a time, some of them beside each other.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>

#include <memory>
#include <vector>

namespace sl
{
// The row groups GROUPS of READER, which is to use no threads of its own; two are read ahead.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
read_groups (std::shared_ptr<parquet::arrow::FileReader> reader, std::vector<int> groups);

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
