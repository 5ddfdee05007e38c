// SPDX-License-Identifier: GPL-3.0-or-later
// A reader and a writer of Parquet files, for which the pages of a file are worked on side by side.
// Parquet's library does so with columns at most, and looks at each number of a list several times.
#pragma once

#include <arrow/io/interfaces.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

namespace sl
{
// The row groups of FILE, which outlives it and uses no threads of its own, from FROM on to before
// TO: a batch is a whole one. ON_THREADS: two are read ahead, on Arrow's threads.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
page_reader (parquet::arrow::FileReader *file, int from, int to, bool on_threads);

// It takes batches (WriteRecordBatch), and holds a row group of GROUP_ROWS rows, or 32 MiB of one.
// CREATED_BY: what the file says of its program; null: Parquet's library.
arrow::Result<std::unique_ptr<parquet::arrow::FileWriter> >
page_writer (std::shared_ptr<arrow::Schema> schema, std::shared_ptr<arrow::io::OutputStream> sink,
             int64_t group_rows, const char *created_by, int threads);
}
