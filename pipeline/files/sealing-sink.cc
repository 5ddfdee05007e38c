// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrow-cxx.h"
#include "file-seal.h"

#include "pipeline/base/xxh3.h"

#include <arrow/buffer.h>

#include <arrow-glib/arrow-glib.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

gboolean
sl_seal_is_there (const SlSeal *seal)
{
  return memcmp (seal->magic, SL_SEAL_MAGIC, sizeof seal->magic) == 0;
}

namespace
{
// The digest of each piece of what is written.
class Pieces
{
public:
  void
  add (const uint8_t *bytes, int64_t n)
  {
    while (n > 0)
      {
        int64_t room = SL_SEAL_PIECE - length_ % SL_SEAL_PIECE;
        int64_t m = std::min (n, room);
        if (room == SL_SEAL_PIECE)
          XXH3_64bits_reset (&state_);
        XXH3_64bits_update (&state_, bytes, static_cast<size_t> (m));
        length_ += m;
        bytes += m;
        n -= m;
        if (m == room)
          digests_.push_back (XXH3_64bits_digest (&state_));
      }
  }

  const std::vector<uint64_t> &
  end ()
  {
    if (length_ % SL_SEAL_PIECE != 0)
      digests_.push_back (XXH3_64bits_digest (&state_));
    return digests_;
  }

  int64_t
  length () const
  {
    return length_;
  }

private:
  XXH3_state_t state_;
  std::vector<uint64_t> digests_;
  int64_t length_ = 0;
};

// A sink whose end is a footer: it comes in three calls, as itself, its length, and a magic.
class SealingSink : public arrow::io::OutputStream
{
public:
  using Buffer = std::shared_ptr<arrow::Buffer>;

  SealingSink (std::shared_ptr<arrow::io::OutputStream> to, bool has_pieces)
      : to_ (std::move (to)), has_pieces_ (has_pieces)
  {
  }

  arrow::Status
  Close () override
  {
    return to_->Close ();
  }

  bool
  closed () const override
  {
    return to_->closed ();
  }

  arrow::Result<int64_t>
  Tell () const override
  {
    return position_;
  }

  arrow::Status
  Write (const void *bytes, int64_t n) override
  {
    return Write (arrow::Buffer::FromString (
        std::string (static_cast<const char *> (bytes), static_cast<size_t> (n))));
  }

  // Three calls wait, as they may be the footer's.
  arrow::Status
  Write (const Buffer &bytes) override
  {
    position_ += bytes->size ();
    waiting_.push_back (bytes);
    if (waiting_.size () <= 3)
      return arrow::Status::OK ();
    auto first = waiting_.front ();
    waiting_.pop_front ();
    if (has_pieces_)
      pieces_.add (first->data (), first->size ());
    return to_->Write (first);
  }

  arrow::Status
  finish ()
  {
    if (waiting_.size () != 3 || footer_length () != waiting_[0]->size ())
      return arrow::Status::UnknownError ("the file has not been ended by its footer");
    const auto &digests = pieces_.end ();
    const size_t bytes = digests.size () * sizeof digests[0];
    SlSeal seal = { footer_digest (), static_cast<guint64> (pieces_.length ()), 0, "" };
    XXH3_state_t state;
    XXH3_64bits_reset (&state);
    XXH3_64bits_update (&state, digests.data (), bytes);
    XXH3_64bits_update (&state, &seal, offsetof (SlSeal, itself));
    seal.itself = XXH3_64bits_digest (&state);
    memcpy (seal.magic, SL_SEAL_MAGIC, sizeof seal.magic);
    ARROW_RETURN_NOT_OK (to_->Write (digests.data (), static_cast<int64_t> (bytes)));
    ARROW_RETURN_NOT_OK (to_->Write (&seal, sizeof seal));
    for (const auto &part : waiting_)
      ARROW_RETURN_NOT_OK (to_->Write (part));
    return arrow::Status::OK ();
  }

private:
  int64_t
  footer_length () const
  {
    uint32_t length = 0;
    if (waiting_[1]->size () != sizeof length)
      return -1;
    memcpy (&length, waiting_[1]->data (), sizeof length);
    return length;
  }

  uint64_t
  footer_digest () const
  {
    XXH3_state_t state;
    XXH3_64bits_reset (&state);
    for (const auto &part : waiting_)
      XXH3_64bits_update (&state, part->data (), static_cast<size_t> (part->size ()));
    return XXH3_64bits_digest (&state);
  }

  std::shared_ptr<arrow::io::OutputStream> to_;
  bool has_pieces_;
  Pieces pieces_;
  std::deque<Buffer> waiting_;
  int64_t position_ = 0;
};
}

GArrowOutputStream *
sl_sealing_stream_new (GArrowOutputStream *to, gboolean has_pieces)
{
  std::shared_ptr<arrow::io::OutputStream> sink
      = std::make_shared<SealingSink> (garrow_output_stream_get_raw (to), has_pieces != FALSE);
  return garrow_output_stream_new_raw (&sink);
}

gboolean
sl_sealing_stream_finish (GArrowOutputStream *sink, GError **error)
{
  auto raw = garrow_output_stream_get_raw (sink);
  return garrow::check (error, static_cast<SealingSink &> (*raw).finish (), "footer");
}
