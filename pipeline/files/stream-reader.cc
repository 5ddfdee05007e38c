// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrow-cxx.h"

#include "pipeline/table/reading-memory.h"
#include "input.h"
#include "stream-digest.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>

// Of what a message says that it holds, so much is taken on trust.
static const int64_t trusted_bytes = 4 << 20;

namespace
{
// Memory for what is read grows as the bytes arrive: a length that was made up costs nothing.
class Input : public arrow::io::InputStream
{
public:
  explicit Input (SlInput *input) : input_ (SL_INPUT (g_object_ref (input))) {}

  ~Input () override { g_object_unref (input_); }

  arrow::Status
  Close () override
  {
    closed_ = true;
    return arrow::Status::OK ();
  }

  bool
  closed () const override
  {
    return closed_;
  }

  arrow::Result<int64_t>
  Tell () const override
  {
    return position_;
  }

  arrow::Result<int64_t>
  Read (int64_t n, void *to) override
  {
    gsize done = 0;
    g_autoptr (GError) error = nullptr;
    if (!g_input_stream_read_all (G_INPUT_STREAM (input_), to, static_cast<gsize> (n), &done,
                                  nullptr, &error))
      return arrow::Status::IOError (error->message);
    position_ += static_cast<int64_t> (done);
    sl_reading_arrived (static_cast<int64_t> (done));
    return static_cast<int64_t> (done);
  }

  arrow::Result<std::shared_ptr<arrow::Buffer> >
  Read (int64_t n) override
  {
    int64_t room = std::min (n, trusted_bytes), have = 0;
    ARROW_ASSIGN_OR_RAISE (auto buffer, arrow::AllocateResizableBuffer (room, sl_reading_pool ()));
    for (;;)
      {
        ARROW_ASSIGN_OR_RAISE (auto got, Read (room - have, buffer->mutable_data () + have));
        have += got;
        if (have < room || have == n)
          break;
        room = room > n / 2 ? n : 2 * room;
        ARROW_RETURN_NOT_OK (buffer->Resize (room, false));
      }
    ARROW_RETURN_NOT_OK (buffer->Resize (have, true));
    return std::shared_ptr<arrow::Buffer> (std::move (buffer));
  }

private:
  SlInput *input_;
  bool closed_ = false;
  int64_t position_ = 0;
};
}

// Rows and bytes of a batch that is not small.
static const int64_t rows_enough = 256;
static const int64_t bytes_enough = 1 << 20;

namespace
{
// Joins small batches, each of which would cost as much as a large one.
class Joined : public arrow::RecordBatchReader
{
public:
  using Batch = std::shared_ptr<arrow::RecordBatch>;

  Joined (std::shared_ptr<arrow::RecordBatchReader> source, std::shared_ptr<Input> input)
      : source_ (std::move (source)), input_ (std::move (input))
  {
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return source_->schema ();
  }

  arrow::Status
  ReadNext (Batch *batch) override
  {
    if (waiting_.empty () && !ended_)
      gather ();
    batch->reset ();
    if (!waiting_.empty ())
      {
        *batch = waiting_.front ();
        waiting_.erase (waiting_.begin ());
        return arrow::Status::OK ();
      }
    return status_;
  }

private:
  // Some batches that wait: small ones as one, and what came after them. A failure comes after what
  // was read before it.
  void
  gather ()
  {
    int64_t rows = 0, from = *input_->Tell ();
    Batch last;
    bool small = true;
    while (small && rows < rows_enough && *input_->Tell () - from < bytes_enough)
      {
        sl_reading_begin ();
        status_ = source_->ReadNext (&last);
        ended_ = !status_.ok () || last == nullptr;
        if (ended_)
          break;
        // What is damaged may not be joined, and is told of by itself.
        small = last->num_rows () < rows_enough && last->ValidateFull ().ok ();
        if (small)
          waiting_.push_back (last);
        rows += last->num_rows ();
      }
    join ();
    if (!ended_ && !small)
      waiting_.push_back (last);
  }

  void
  join ()
  {
    if (waiting_.size () < 2)
      return;
    auto joined = arrow::ConcatenateRecordBatches (waiting_, sl_reading_pool ());
    if (joined.ok ())
      waiting_ = { *joined };
  }

  std::shared_ptr<arrow::RecordBatchReader> source_;
  std::shared_ptr<Input> input_;
  std::vector<Batch> waiting_;
  arrow::Status status_;
  bool ended_ = false;
};
}

GArrowRecordBatchReader *
sl_stream_reader_new (SlInput *input, int threads, gboolean *digested, GError **error)
{
  auto options = arrow::ipc::IpcReadOptions::Defaults ();
  options.memory_pool = sl_reading_pool ();
  options.use_threads = threads > 1;
  auto source = std::make_shared<Input> (input);
  auto opened = arrow::ipc::RecordBatchStreamReader::Open (
      sl_checked_messages_new (source, input, digested), options);
  if (!garrow::check (error, opened, "stream"))
    return nullptr;
  std::shared_ptr<arrow::RecordBatchReader> reader = std::make_shared<Joined> (*opened, source);
  return garrow_record_batch_reader_new_raw (&reader, nullptr);
}

namespace
{
// The batches of a file that is read by its footer, in their order.
class ByFooter : public arrow::RecordBatchReader
{
public:
  explicit ByFooter (std::shared_ptr<arrow::ipc::RecordBatchFileReader> file)
      : file_ (std::move (file))
  {
  }

  std::shared_ptr<arrow::Schema>
  schema () const override
  {
    return file_->schema ();
  }

  arrow::Status
  ReadNext (std::shared_ptr<arrow::RecordBatch> *batch) override
  {
    batch->reset ();
    if (next_ == file_->num_record_batches ())
      return arrow::Status::OK ();
    ARROW_ASSIGN_OR_RAISE (*batch, file_->ReadRecordBatch (next_++));
    return arrow::Status::OK ();
  }

private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int next_ = 0;
};
}

GArrowRecordBatchReader *
sl_footer_reader_new (const char *path, int threads, GError **error)
{
  auto options = arrow::ipc::IpcReadOptions::Defaults ();
  options.memory_pool = sl_reading_pool ();
  options.use_threads = threads > 1;
  auto file = arrow::io::ReadableFile::Open (path, sl_reading_pool ());
  if (!garrow::check (error, file, "file"))
    return nullptr;
  auto opened = arrow::ipc::RecordBatchFileReader::Open (*file, options);
  if (!garrow::check (error, opened, "footer"))
    return nullptr;
  std::shared_ptr<arrow::RecordBatchReader> reader = std::make_shared<ByFooter> (*opened);
  return garrow_record_batch_reader_new_raw (&reader, nullptr);
}
