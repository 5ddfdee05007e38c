// SPDX-License-Identifier: GPL-3.0-or-later
// inflate N [FILE.parquet]: copies the first row of the Arrow stream on standard input N times, as
// one batch, in as few bytes as zstd makes of it; as a Parquet file of one row group if it is
// named.
#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/io/file.h>
#include <arrow/io/stdio.h>
#include <arrow/ipc/api.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>

#include <cstdio>
#include <cstdlib>

static arrow::Status
inflate (int64_t n, const char *path)
{
  auto in = std::make_shared<arrow::io::StdinStream> ();
  ARROW_ASSIGN_OR_RAISE (auto reader, arrow::ipc::RecordBatchStreamReader::Open (in));
  std::shared_ptr<arrow::RecordBatch> batch;
  ARROW_RETURN_NOT_OK (reader->ReadNext (&batch));
  ARROW_ASSIGN_OR_RAISE (auto zero, arrow::MakeArrayFromScalar (arrow::Int64Scalar (0), n));
  ARROW_ASSIGN_OR_RAISE (auto taken,
                         arrow::compute::Take (arrow::Datum (batch), arrow::Datum (zero)));
  std::vector<std::shared_ptr<arrow::RecordBatch> > rows = { taken.record_batch () };
  if (path != nullptr)
    {
      auto properties = parquet::WriterProperties::Builder ().max_row_group_length (n)->build ();
      ARROW_ASSIGN_OR_RAISE (auto table, arrow::Table::FromRecordBatches (rows));
      ARROW_ASSIGN_OR_RAISE (auto file, arrow::io::FileOutputStream::Open (path));
      return parquet::arrow::WriteTable (
          *table, arrow::default_memory_pool (), file, n, properties,
          parquet::ArrowWriterProperties::Builder ().store_schema ()->build ());
    }
  auto options = arrow::ipc::IpcWriteOptions::Defaults ();
  ARROW_ASSIGN_OR_RAISE (options.codec, arrow::util::Codec::Create (arrow::Compression::ZSTD, 9));
  arrow::io::StdoutStream out;
  ARROW_ASSIGN_OR_RAISE (auto writer,
                         arrow::ipc::MakeStreamWriter (&out, rows[0]->schema (), options));
  ARROW_RETURN_NOT_OK (writer->WriteRecordBatch (*rows[0]));
  return writer->Close ();
}

int
main (int argc, char **argv)
{
  auto status = argc < 2 ? arrow::Status::Invalid ("usage: inflate N [FILE]")
                         : inflate (atoll (argv[1]), argc > 2 ? argv[2] : nullptr);
  if (!status.ok ())
    fprintf (stderr, "inflate: %s\n", status.ToString ().c_str ());
  return status.ok () ? 0 : 1;
}
