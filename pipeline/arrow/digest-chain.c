/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest-chain.h"

void
sl_digest_chain_add (XXH3_state_t *chain, gconstpointer metadata, gsize n, gconstpointer digits)
{
  const guint8 *from = metadata, *at = digits;
  if (at == NULL)
    {
      XXH3_128bits_update (chain, from, n);
      return;
    }
  const gsize before = (gsize) (at - from), with = before + SL_DIGEST_DIGITS;
  XXH3_128bits_update (chain, from, before);
  XXH3_128bits_update (chain, SL_NO_DIGITS, SL_DIGEST_DIGITS);
  XXH3_128bits_update (chain, from + with, n - with);
}

void
sl_digest_chain_text (const XXH3_state_t *chain, char text[SL_DIGEST_DIGITS + 1])
{
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash (&bytes, XXH3_128bits_digest (chain));
  for (gsize i = 0; i < sizeof bytes.digest; i++)
    g_snprintf (text + 2 * i, 3, "%02x", bytes.digest[i]);
}
