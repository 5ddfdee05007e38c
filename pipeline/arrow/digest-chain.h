/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The digest that every batch of an Arrow stream carries.  A record batch's message has
 * custom metadata with the key `softlabel.digest`: XXH3-128, as 32 hexadecimal digits, of the
 * metadata and body of every message of the stream up to and with this one, the digest's own
 * digits taken as zeros. So a batch is checked before it is looked at, and so is everything before
 * it: the schema, dictionaries, a batch left out. A last batch without rows has the key
 * `softlabel.last` besides: it says that nothing is missing, and holds the digest of a table
 * without rows. Metadata of messages is lost where another program writes the table anew, so a
 * digest is never older than its table. */
#pragma once

#include "pipeline/base/xxh3.h"

#include <glib.h>

G_BEGIN_DECLS

#define SL_DIGEST_KEY "softlabel.digest"
#define SL_LAST_KEY "softlabel.last"
#define SL_LAST_VALUE "true"
#define SL_DIGEST_DIGITS 32
#define SL_NO_DIGITS "00000000000000000000000000000000"

/* Adds a message's METADATA[n], in which the digits stand at DIGITS; NULL: nowhere. */
void sl_digest_chain_add (XXH3_state_t *chain, gconstpointer metadata, gsize n,
                          gconstpointer digits);

/* The digest of all that was added. */
void sl_digest_chain_text (const XXH3_state_t *chain, char text[SL_DIGEST_DIGITS + 1]);

G_END_DECLS
