/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The digest that every batch of an Arrow stream carries, in C++.  A record batch's message has
 * custom metadata with the key `softlabel.digest`: XXH3-128, as 32 hexadecimal digits, of the
 * metadata and body of every message of the stream up to and with this one, the digest's own
 * digits taken as zeros. So a batch is checked before it is looked at, and so is everything before
 * it: the schema, dictionaries, a batch left out. A last batch without rows has the key
 * `softlabel.last` besides: it says that nothing is missing, and holds the digest of a table
 * without rows. Metadata of messages is lost where another program writes the table anew, so a
 * digest is never older than its table. */
#pragma once

#include "pipeline/base/xxh3.h"

#include <arrow/buffer.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace sl
{
static const char digest_key[] = "softlabel.digest";
static const char last_key[] = "softlabel.last";
static const char last_value[] = "true";
static const size_t digest_digits = 32;

class DigestChain
{
public:
  DigestChain () { XXH3_128bits_reset (&state_); }

  void
  add (const void *bytes, int64_t n)
  {
    if (n > 0)
      XXH3_128bits_update (&state_, bytes, static_cast<size_t> (n));
  }

  /* A message's metadata, in which the digits stand at DIGITS; null: nowhere. */
  void
  add_metadata (const arrow::Buffer &metadata, const uint8_t *digits)
  {
    static const std::string zeros (digest_digits, '0');
    const uint8_t *end = metadata.data () + metadata.size ();
    if (digits == nullptr)
      return add (metadata.data (), metadata.size ());
    add (metadata.data (), digits - metadata.data ());
    add (zeros.data (), digest_digits);
    add (digits + digest_digits, end - digits - static_cast<int64_t> (digest_digits));
  }

  /* Of all that was added. */
  std::string
  digits () const
  {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash (&bytes, XXH3_128bits_digest (&state_));
    static const char hex[] = "0123456789abcdef";
    std::string text;
    for (unsigned char byte : bytes.digest)
      {
        text += hex[byte >> 4];
        text += hex[byte & 15];
      }
    return text;
  }

private:
  XXH3_state_t state_;
};

/* Where in METADATA the text DIGITS stands; null: nowhere. */
inline const uint8_t *
find_digits (const arrow::Buffer &metadata, const std::string &digits)
{
  const void *at = memmem (metadata.data (), static_cast<size_t> (metadata.size ()), digits.data (),
                           digits.size ());
  return static_cast<const uint8_t *> (at);
}
}
