// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrow-cxx.h"

#include "pipeline/table/reading-memory.h"
#include "input.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>

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

GArrowRecordBatchReader *
sl_stream_reader_new (SlInput *input, int threads, GError **error)
{
  auto options = arrow::ipc::IpcReadOptions::Defaults ();
  options.memory_pool = sl_reading_pool ();
  options.use_threads = threads > 1;
  auto opened
      = arrow::ipc::RecordBatchStreamReader::Open (std::make_shared<Input> (input), options);
  if (!garrow::check (error, opened, "stream"))
    return nullptr;
  std::shared_ptr<arrow::RecordBatchReader> reader = *opened;
  return garrow_record_batch_reader_new_raw (&reader, nullptr);
}
