// SPDX-License-Identifier: GPL-3.0-or-later
// Arrow streams and files, with a digest in every batch (digest-chain.h) or without.
#include "arrow-cxx.h"

#include "digest-chain.h"

#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include <arrow-glib/arrow-glib.hpp>

using arrow::ipc::internal::IpcPayloadWriter;

namespace
{
const std::string no_digits (sl::digest_digits, '0');

// Writes a message in few pieces, the last of which has least_last to most_gathered bytes, so that
// a pipe takes it at once or not at all. Wherever a stream ends, then, it lacks no byte of its last
// message or so many that the eight that spoil it (pipeline/base/process/signals.h) do not complete
// the message.
class Gathering : public arrow::io::OutputStream
{
public:
  explicit Gathering (std::shared_ptr<arrow::io::OutputStream> to) : to_ (std::move (to)) {}

  arrow::Status
  Write (const void *data, int64_t size) override
  {
    const auto bytes = static_cast<const char *> (data);
    position_ += size;
    if (gathered_.size () + static_cast<size_t> (size) <= most_gathered)
      {
        gathered_.append (bytes, static_cast<size_t> (size));
        return arrow::Status::OK ();
      }
    if (size >= least_last)
      {
        ARROW_RETURN_NOT_OK (EndMessage ());
        ARROW_RETURN_NOT_OK (to_->Write (bytes, size - least_last));
        gathered_.assign (bytes + size - least_last, least_last);
        return arrow::Status::OK ();
      }
    const auto first = static_cast<int64_t> (gathered_.size ()) - least_last;
    ARROW_RETURN_NOT_OK (to_->Write (gathered_.data (), first));
    gathered_.erase (0, static_cast<size_t> (first)).append (bytes, static_cast<size_t> (size));
    return arrow::Status::OK ();
  }

  arrow::Status
  EndMessage ()
  {
    auto status = gathered_.empty ()
                      ? arrow::Status::OK ()
                      : to_->Write (gathered_.data (), static_cast<int64_t> (gathered_.size ()));
    gathered_.clear ();
    return status;
  }

  arrow::Result<int64_t>
  Tell () const override
  {
    return position_;
  }

  arrow::Status
  Close () override
  {
    ARROW_RETURN_NOT_OK (EndMessage ());
    return to_->Close ();
  }

  bool
  closed () const override
  {
    return to_->closed ();
  }

private:
  static constexpr int64_t least_last = 64;
  static constexpr size_t most_gathered
      = 4096; // of which POSIX says that a pipe takes them at once: PIPE_BUF

  std::shared_ptr<arrow::io::OutputStream> to_;
  std::string gathered_;
  int64_t position_ = 0;
};

// Puts the digest into each message that has a place for it, if it is DIGESTED. GATHERING is
// beneath TO; NULL: nothing is.
class Digesting : public IpcPayloadWriter
{
public:
  Digesting (std::unique_ptr<IpcPayloadWriter> to, std::shared_ptr<Gathering> gathering,
             bool digested)
      : to_ (std::move (to)), gathering_ (std::move (gathering)), digested_ (digested)
  {
  }

  arrow::Status
  Start () override
  {
    return to_->Start ();
  }

  arrow::Status
  WritePayload (const arrow::ipc::IpcPayload &payload) override
  {
    if (!digested_)
      return write (payload);
    const bool has_digest = payload.type == arrow::ipc::MessageType::RECORD_BATCH;
    auto digits = has_digest ? sl::find_digits (*payload.metadata, no_digits) : nullptr;
    if (has_digest && digits == nullptr)
      return arrow::Status::UnknownError ("a batch has no place for its digest");
    chain_.add_metadata (*payload.metadata, digits);
    add_padding (payload.metadata->size ());
    add_body (payload);
    if (!has_digest)
      return write (payload);
    auto text = payload.metadata->ToString ();
    text.replace (static_cast<size_t> (digits - payload.metadata->data ()), sl::digest_digits,
                  chain_.digits ());
    auto digested = payload;
    digested.metadata = arrow::Buffer::FromString (std::move (text));
    return write (digested);
  }

  arrow::Status
  Close () override
  {
    ARROW_RETURN_NOT_OK (to_->Close ());
    return gathering_ != nullptr ? gathering_->EndMessage () : arrow::Status::OK ();
  }

private:
  arrow::Status
  write (const arrow::ipc::IpcPayload &payload)
  {
    ARROW_RETURN_NOT_OK (to_->WritePayload (payload));
    return gathering_ != nullptr ? gathering_->EndMessage () : arrow::Status::OK ();
  }

  // Whatever is written ends with zeros up to a multiple of 8 bytes.
  void
  add_padding (int64_t size)
  {
    static const uint8_t zeros[8] = { 0 };
    chain_.add (zeros, -size & 7);
  }

  void
  add_body (const arrow::ipc::IpcPayload &payload)
  {
    for (const auto &buffer : payload.body_buffers)
      if (buffer != nullptr)
        {
          chain_.add (buffer->data (), buffer->size ());
          add_padding (buffer->size ());
        }
  }

  std::unique_ptr<IpcPayloadWriter> to_;
  std::shared_ptr<Gathering> gathering_;
  bool digested_;
  sl::DigestChain chain_;
};

// Writes nothing before the first batch.
class Writer : public arrow::ipc::RecordBatchWriter
{
public:
  Writer (std::shared_ptr<arrow::Schema> schema, std::shared_ptr<arrow::io::OutputStream> sink,
          bool is_file, bool digested)
      : schema_ (std::move (schema)), sink_ (std::move (sink)), is_file_ (is_file),
        digested_ (digested)
  {
  }

  arrow::Status
  WriteRecordBatch (const arrow::RecordBatch &batch) override
  {
    // With the dictionaries that the table has, which may come only once.
    if (digested_ && empty_ == nullptr)
      {
        ARROW_ASSIGN_OR_RAISE (empty_, arrow::ConcatenateRecordBatches ({ batch.Slice (0, 0) }));
      }
    return write (batch, arrow::key_value_metadata ({ sl::digest_key }, { no_digits }));
  }

  arrow::Status
  Close () override
  {
    if (!digested_)
      return close_undigested ();
    if (empty_ == nullptr)
      {
        ARROW_ASSIGN_OR_RAISE (empty_, arrow::RecordBatch::MakeEmpty (schema_));
      }
    ARROW_RETURN_NOT_OK (
        write (*empty_, arrow::key_value_metadata ({ sl::digest_key, sl::last_key },
                                                   { no_digits, sl::last_value })));
    return to_->Close ();
  }

  arrow::ipc::WriteStats
  stats () const override
  {
    return to_ != nullptr ? to_->stats () : arrow::ipc::WriteStats ();
  }

private:
  arrow::Status
  write (const arrow::RecordBatch &batch,
         const std::shared_ptr<const arrow::KeyValueMetadata> &metadata)
  {
    if (to_ == nullptr)
      ARROW_RETURN_NOT_OK (open ());
    return to_->WriteRecordBatch (batch, digested_ ? metadata : nullptr);
  }

  arrow::Status
  close_undigested ()
  {
    if (to_ == nullptr)
      ARROW_RETURN_NOT_OK (open ());
    return to_->Close ();
  }

  arrow::Status
  open ()
  {
    namespace internal = arrow::ipc::internal;
    auto gathering = is_file_ ? nullptr : std::make_shared<Gathering> (sink_);
    auto payloads = is_file_ ? internal::MakePayloadFileWriter (sink_.get (), schema_)
                             : internal::MakePayloadStreamWriter (gathering.get ());
    ARROW_ASSIGN_OR_RAISE (auto inner, std::move (payloads));
    auto digesting
        = std::make_unique<Digesting> (std::move (inner), std::move (gathering), digested_);
    ARROW_ASSIGN_OR_RAISE (to_, internal::OpenRecordBatchWriter (std::move (digesting), schema_));
    return arrow::Status::OK ();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::OutputStream> sink_;
  bool is_file_, digested_;
  std::unique_ptr<arrow::ipc::RecordBatchWriter> to_;
  std::shared_ptr<arrow::RecordBatch> empty_;
};
}

GArrowRecordBatchWriter *
sl_stream_writer_new (GArrowSchema *schema, GArrowOutputStream *sink, gboolean is_file,
                      gboolean digested)
{
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer = std::make_shared<Writer> (
      garrow_schema_get_raw (schema), garrow_output_stream_get_raw (sink), is_file != FALSE,
      digested != FALSE);
  return garrow_record_batch_writer_new_raw (&writer);
}
