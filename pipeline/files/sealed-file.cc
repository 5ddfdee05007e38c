// SPDX-License-Identifier: GPL-3.0-or-later
#include "file-seal.h"

#include "pipeline/base/xxh3.h"
#include "arrow-cxx.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <cstring>

namespace
{
arrow::Status
damaged ()
{
  return arrow::Status::Invalid ("a digest is another one");
}

// What is read before its footer is checked, in whole pieces.
class SealedFile : public arrow::io::RandomAccessFile
{
public:
  using Buffer = std::shared_ptr<arrow::Buffer>;

  // DIGESTS holds those of the pieces of the file's first LENGTH bytes.
  SealedFile (std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t length, Buffer digests)
      : file_ (std::move (file)), length_ (length), digests_ (std::move (digests))
  {
  }

  arrow::Status
  Close () override
  {
    return file_->Close ();
  }

  bool
  closed () const override
  {
    return file_->closed ();
  }

  arrow::Result<int64_t>
  Tell () const override
  {
    return position_;
  }

  arrow::Status
  Seek (int64_t position) override
  {
    position_ = position;
    return arrow::Status::OK ();
  }

  arrow::Result<int64_t>
  GetSize () override
  {
    return file_->GetSize ();
  }

  arrow::Result<int64_t>
  Read (int64_t n, void *to) override
  {
    ARROW_ASSIGN_OR_RAISE (int64_t done, ReadAt (position_, n, to));
    position_ += done;
    return done;
  }

  arrow::Result<Buffer>
  Read (int64_t n) override
  {
    ARROW_ASSIGN_OR_RAISE (auto buffer, ReadAt (position_, n));
    position_ += buffer->size ();
    return buffer;
  }

  using RandomAccessFile::ReadAt;

  arrow::Result<int64_t>
  ReadAt (int64_t position, int64_t n, void *to) override
  {
    ARROW_ASSIGN_OR_RAISE (auto buffer, ReadAt (position, n));
    memcpy (to, buffer->data (), static_cast<size_t> (buffer->size ()));
    return buffer->size ();
  }

  // From any thread.
  arrow::Result<Buffer>
  ReadAt (int64_t position, int64_t n) override
  {
    if (position < 0 || n <= 0 || position >= length_ || n > length_ - position)
      return file_->ReadAt (position, n);
    const int64_t first = position / SL_SEAL_PIECE;
    const int64_t from = first * SL_SEAL_PIECE;
    const int64_t last = (position + n - 1) / SL_SEAL_PIECE;
    const int64_t end = std::min ((last + 1) * SL_SEAL_PIECE, length_);
    ARROW_ASSIGN_OR_RAISE (auto buffer, file_->ReadAt (from, end - from));
    if (buffer->size () != end - from)
      return damaged ();
    for (int64_t piece = first; piece <= last; piece++)
      {
        const int64_t at = (piece - first) * SL_SEAL_PIECE;
        const int64_t bytes = std::min<int64_t> (SL_SEAL_PIECE, buffer->size () - at);
        if (XXH3_64bits (buffer->data () + at, static_cast<size_t> (bytes)) != digest (piece))
          return damaged ();
      }
    return arrow::SliceBuffer (std::move (buffer), position - from, n);
  }

private:
  uint64_t
  digest (int64_t piece) const
  {
    uint64_t digest;
    memcpy (&digest, digests_->data () + piece * static_cast<int64_t> (sizeof digest),
            sizeof digest);
    return digest;
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t length_, position_ = 0;
  Buffer digests_;
};

// The pieces' digests, which end at END, and SEAL behind them, if they are those that were written.
arrow::Result<std::shared_ptr<arrow::Buffer> >
read_digests (arrow::io::RandomAccessFile *file, const SlSeal &seal, int64_t end)
{
  const uint64_t pieces = seal.length / SL_SEAL_PIECE + (seal.length % SL_SEAL_PIECE != 0);
  if (pieces > static_cast<uint64_t> (end) / sizeof (uint64_t))
    return damaged ();
  const int64_t bytes = static_cast<int64_t> (pieces * sizeof (uint64_t));
  ARROW_ASSIGN_OR_RAISE (auto digests, file->ReadAt (end - bytes, bytes));
  XXH3_state_t state;
  XXH3_64bits_reset (&state);
  XXH3_64bits_update (&state, digests->data (), static_cast<size_t> (digests->size ()));
  XXH3_64bits_update (&state, &seal, offsetof (SlSeal, itself));
  if (XXH3_64bits_digest (&state) != seal.itself || digests->size () != bytes)
    return damaged ();
  // Of two files run together this is the second one.
  if (static_cast<int64_t> (seal.length) != end - bytes)
    return arrow::Status::Invalid (SL_PARQUET_TWO);
  return digests;
}
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile> >
sl_sealed_file_new (std::shared_ptr<arrow::io::RandomAccessFile> file, gboolean *is_sealed)
{
  *is_sealed = FALSE;
  uint32_t length;
  ARROW_ASSIGN_OR_RAISE (const int64_t size, file->GetSize ());
  if (size < 8)
    return file;
  ARROW_ASSIGN_OR_RAISE (auto end, file->ReadAt (size - 8, 4));
  if (end->size () != sizeof length)
    return file;
  memcpy (&length, end->data (), sizeof length);
  const int64_t footer = size - 8 - length, at = footer - static_cast<int64_t> (sizeof (SlSeal));
  SlSeal seal;
  if (at < 0)
    return file;
  ARROW_ASSIGN_OR_RAISE (auto bytes, file->ReadAt (at, sizeof seal));
  if (bytes->size () != sizeof seal)
    return file;
  memcpy (&seal, bytes->data (), sizeof seal);
  if (!sl_seal_is_there (&seal))
    return file;
  ARROW_ASSIGN_OR_RAISE (auto rest, file->ReadAt (footer, size - footer));
  if (XXH3_64bits (rest->data (), static_cast<size_t> (rest->size ())) != seal.footer)
    return damaged ();
  ARROW_ASSIGN_OR_RAISE (auto digests, read_digests (file.get (), seal, at));
  *is_sealed = TRUE;
  return std::make_shared<SealedFile> (std::move (file), static_cast<int64_t> (seal.length),
                                       std::move (digests));
}
