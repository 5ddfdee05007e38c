// SPDX-License-Identifier: GPL-3.0-or-later
// A reader of Parquet files that decodes the columns of several row groups side by side. Parquet's
// library does so with the columns of one, and looks at each number of a list several times.
#pragma once

#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>

namespace sl
{
// The row groups of FILE, which outlives it and uses no threads of its own, from FROM on to before
// TO: a batch is a whole one. ON_THREADS: two are read ahead, on Arrow's threads.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader> >
page_reader (parquet::arrow::FileReader *file, int from, int to, bool on_threads);
}
