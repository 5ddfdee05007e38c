// SPDX-License-Identifier: GPL-3.0-or-later
#include "stream-digest.h"

#include "digest-chain.h"

#include <arrow/util/key_value_metadata.h>

using arrow::ipc::Message;
using MessageResult = arrow::Result<std::unique_ptr<Message> >;

namespace
{
class CheckedMessages : public arrow::ipc::MessageReader
{
public:
  CheckedMessages (std::shared_ptr<arrow::io::InputStream> from, SlInput *input, gboolean *digested)
      : messages_ (arrow::ipc::MessageReader::Open (from)),
        input_ (SL_INPUT (g_object_ref (input))), digested_ (digested)
  {
  }

  ~CheckedMessages () override { g_object_unref (input_); }

  MessageResult
  ReadNextMessage () override
  {
    ARROW_ASSIGN_OR_RAISE (auto message, messages_->ReadNextMessage ());
    if (message == nullptr)
      // A stream that was cut is told of by whoever looks for its end marker.
      return n_digests_ == 0 || sl_input_at_end (input_) ? MessageResult (nullptr) : wrong ();
    if (message->type () != arrow::ipc::MessageType::RECORD_BATCH)
      return take (std::move (message), nullptr);
    const auto &metadata = message->custom_metadata ();
    const int at = metadata != nullptr ? metadata->FindKey (sl::digest_key) : -1;
    const bool is_last = metadata != nullptr && metadata->Contains (sl::last_key);
    if (at < 0)
      return n_digests_ == 0 && !is_last ? take (std::move (message), nullptr) : wrong ();
    return check (std::move (message), metadata->value (at), is_last);
  }

private:
  static arrow::Status
  wrong ()
  {
    return arrow::Status::Invalid ("the digest is another one");
  }

  MessageResult
  take (std::unique_ptr<Message> message, const uint8_t *digits)
  {
    n_batches_ += message->type () == arrow::ipc::MessageType::RECORD_BATCH;
    chain_.add_metadata (*message->metadata (), digits);
    if (message->body () != nullptr)
      chain_.add (message->body ()->data (), message->body ()->size ());
    return message;
  }

  MessageResult
  check (std::unique_ptr<Message> message, const std::string &digits, bool is_last)
  {
    const uint8_t *at = sl::find_digits (*message->metadata (), digits);
    if (digits.size () != sl::digest_digits || at == nullptr || n_digests_ < n_batches_)
      return wrong ();
    n_digests_++;
    *digested_ = TRUE;
    ARROW_ASSIGN_OR_RAISE (message, take (std::move (message), at));
    if (chain_.digits () != digits)
      return wrong ();
    if (!is_last)
      return message;
    ARROW_ASSIGN_OR_RAISE (message, messages_->ReadNextMessage ());
    return message == nullptr ? MessageResult (nullptr) : wrong ();
  }

  std::unique_ptr<arrow::ipc::MessageReader> messages_;
  SlInput *input_;
  gboolean *digested_;
  sl::DigestChain chain_;
  int64_t n_batches_ = 0, n_digests_ = 0;
};
}

std::unique_ptr<arrow::ipc::MessageReader>
sl_checked_messages_new (std::shared_ptr<arrow::io::InputStream> from, SlInput *input,
                         gboolean *digested)
{
  return std::make_unique<CheckedMessages> (std::move (from), input, digested);
}
