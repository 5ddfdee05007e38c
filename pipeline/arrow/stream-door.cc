// SPDX-License-Identifier: GPL-3.0-or-later
#include "stream-door.h"

#include "digest-chain.h"
#include "reading-memory.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/message.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <cstring>

using arrow::ipc::Message;
using MessageResult = arrow::Result<std::unique_ptr<Message> >;

// Of what a message says that it holds, so much is taken on trust.
static const int64_t trusted_bytes = 4 << 20;

namespace
{
// Memory for what is read grows as the bytes arrive: a length that was made up costs nothing.
class Input : public arrow::io::InputStream
{
public:
  explicit Input (GInputStream *input) : input_ (G_INPUT_STREAM (g_object_ref (input))) {}

  ~Input () override { g_object_unref (input_); }

  arrow::Status Close () override { return arrow::Status::OK (); }

  bool closed () const override { return false; }

  arrow::Result<int64_t> Tell () const override { return position_; }

  arrow::Result<int64_t> Read (int64_t n, void *to) override
  {
    gsize done = 0;
    g_autoptr (GError) error = nullptr;
    if (!g_input_stream_read_all (input_, to, static_cast<gsize> (n), &done, nullptr, &error))
      return arrow::Status::IOError (error->message);
    position_ += static_cast<int64_t> (done);
    sl_reading_arrived (static_cast<int64_t> (done));
    return static_cast<int64_t> (done);
  }

  arrow::Result<std::shared_ptr<arrow::Buffer> > Read (int64_t n) override
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
  GInputStream *input_;
  int64_t position_ = 0;
};

// The messages of a stream, without the last one, which has no rows.
class CheckedMessages : public arrow::ipc::MessageReader
{
public:
  CheckedMessages (std::shared_ptr<arrow::io::InputStream> from, SlStreamDigests *digests)
      : messages_ (arrow::ipc::MessageReader::Open (std::move (from))), digests_ (digests)
  {
    XXH3_128bits_reset (&chain_);
  }

  MessageResult ReadNextMessage () override
  {
    ARROW_ASSIGN_OR_RAISE (auto message, messages_->ReadNextMessage ());
    if (message == nullptr || message->type () != arrow::ipc::MessageType::RECORD_BATCH)
      return message != nullptr ? take (std::move (message), nullptr) : std::move (message);
    const auto &metadata = message->custom_metadata ();
    const int at = metadata != nullptr ? metadata->FindKey (SL_DIGEST_KEY) : -1;
    const bool is_last = metadata != nullptr && metadata->Contains (SL_LAST_KEY);
    if (at >= 0 && (digests_->digested || !begun_))
      return check (std::move (message), metadata->value (at), is_last);
    if (at >= 0 || digests_->digested || is_last)
      return wrong ();
    begun_ = true;
    return take (std::move (message), nullptr);
  }

private:
  static arrow::Status wrong () { return arrow::Status::Invalid ("the digest is another one"); }

  std::unique_ptr<Message> take (std::unique_ptr<Message> message, const void *digits)
  {
    const auto &metadata = *message->metadata ();
    sl_digest_chain_add (&chain_, metadata.data (), static_cast<gsize> (metadata.size ()), digits);
    if (message->body () != nullptr)
      XXH3_128bits_update (&chain_, message->body ()->data (),
                           static_cast<size_t> (message->body ()->size ()));
    return message;
  }

  MessageResult check (std::unique_ptr<Message> message, const std::string &digits, bool is_last)
  {
    const auto &metadata = *message->metadata ();
    const void *at = memmem (metadata.data (), static_cast<size_t> (metadata.size ()),
                             digits.data (), digits.size ());
    if (digits.size () != SL_DIGEST_DIGITS || at == nullptr)
      return wrong ();
    digests_->digested = TRUE;
    message = take (std::move (message), at);
    char text[SL_DIGEST_DIGITS + 1];
    sl_digest_chain_text (&chain_, text);
    if (digits != text)
      return wrong ();
    if (!is_last)
      return message;
    digests_->ended = TRUE;
    ARROW_ASSIGN_OR_RAISE (message, messages_->ReadNextMessage ());
    return message == nullptr ? MessageResult (nullptr) : wrong ();
  }

  std::unique_ptr<arrow::ipc::MessageReader> messages_;
  SlStreamDigests *digests_;
  XXH3_state_t chain_;
  bool begun_ = false; // with a batch that has no digest
};
}

static arrow::ipc::IpcReadOptions
read_options (int threads)
{
  auto options = arrow::ipc::IpcReadOptions::Defaults ();
  options.memory_pool = sl_reading_pool ();
  options.use_threads = threads > 1;
  return options;
}

GArrowRecordBatchReader *
sl_stream_door_from (GInputStream *input, int threads, SlStreamDigests *digests, GError **error)
{
  *digests = { FALSE, FALSE };
  auto opened = arrow::ipc::RecordBatchStreamReader::Open (
      std::make_unique<CheckedMessages> (std::make_shared<Input> (input), digests),
      read_options (threads));
  if (!garrow::check (error, opened, "stream"))
    return nullptr;
  std::shared_ptr<arrow::RecordBatchReader> reader = *opened;
  return garrow_record_batch_reader_new_raw (&reader, nullptr);
}

GArrowRecordBatchFileReader *
sl_stream_door_file (GArrowSeekableInputStream *file, int threads, gboolean *says_digested,
                     GError **error)
{
  auto opened = arrow::ipc::RecordBatchFileReader::Open (
      garrow_seekable_input_stream_get_raw (file), read_options (threads));
  if (!garrow::check (error, opened, "footer"))
    return nullptr;
  const auto &metadata = (*opened)->metadata ();
  *says_digested = metadata != nullptr && metadata->Contains (SL_DIGEST_KEY);
  return garrow_record_batch_file_reader_new_raw (&*opened);
}

GArrowRecordBatchWriter *
sl_stream_door_to (GArrowSchema *schema, GArrowOutputStream *sink, gboolean is_file,
                   gboolean digested, GError **error)
{
  const auto raw = garrow_schema_get_raw (schema);
  const auto to = garrow_output_stream_get_raw (sink);
  const auto options = arrow::ipc::IpcWriteOptions::Defaults ();
  auto says = digested ? arrow::key_value_metadata ({ SL_DIGEST_KEY }, { SL_LAST_VALUE }) : nullptr;
  auto opened = is_file ? arrow::ipc::MakeFileWriter (to, raw, options, says)
                        : arrow::ipc::MakeStreamWriter (to, raw, options);
  if (!garrow::check (error, opened, "stream"))
    return nullptr;
  return garrow_record_batch_writer_new_raw (&*opened);
}

gboolean
sl_stream_door_write (GArrowRecordBatchWriter *writer, GArrowSchema *schema,
                      GArrowRecordBatch *batch, gboolean last, GError **error)
{
  auto rows = batch != nullptr ? arrow::ToResult (garrow_record_batch_get_raw (batch))
                               : arrow::RecordBatch::MakeEmpty (garrow_schema_get_raw (schema));
  if (!garrow::check (error, rows, "stream"))
    return FALSE;
  auto metadata = arrow::key_value_metadata ({ SL_DIGEST_KEY }, { SL_NO_DIGITS });
  if (last)
    metadata->Append (SL_LAST_KEY, SL_LAST_VALUE);
  auto status = garrow_record_batch_writer_get_raw (writer)->WriteRecordBatch (**rows, metadata);
  return garrow::check (error, status, "stream");
}
