/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file holds right before its footer, so that damage to it is found.
 *
 * First the digest of each piece of the file so far, SL_SEAL_PIECE bytes each (the last one has
 * what is left): XXH3-64, 8 bytes little-endian each. So a piece is checked before it is decoded,
 * whichever part of the file is read. Then the seal itself, of 32 bytes. An Arrow file has no
 * pieces: its batches have digests of their own (digest-chain.h). Other programs read past it, and
 * none of them keeps it when it writes the table anew. */
#pragma once

#include "input.h"

#include <gio/gio.h>

#define SL_SEAL_PIECE (1 << 16)
#define SL_SEAL_MAGIC "SLseal01"

typedef struct
{
  guint64 footer; /* the digest of all that follows: the footer, its length and the magic */
  guint64 length; /* bytes in the pieces */
  guint64 itself; /* the digest of the pieces' digests, and of the two numbers above */
  char magic[8];
} SlSeal;

G_STATIC_ASSERT (sizeof (SlSeal) == 32);

gboolean sl_seal_is_there (const SlSeal *seal);

/* What ITSELF is, where the pieces have DIGESTS, of N bytes in all. */
guint64 sl_seal_digest (const SlSeal *seal, gconstpointer digests, gsize n);

/* A sink for a file that ends with a footer, which gets a seal before it. To be told before the
 * file's writer is closed, and to be finished then. TO outlives it. */
GOutputStream *sl_sealing_sink_new (GOutputStream *to, gboolean has_pieces);
void sl_sealing_sink_end (GOutputStream *sink);
gboolean sl_sealing_sink_finish (GOutputStream *sink, GError **error);

/* What an error says where a digest is not that of what was read. */
#define SL_SEAL_BROKEN "a digest is another one"

/* The regular file that INPUT has opened, whose bytes are checked as they are read, if there is a
 * seal: *IS_SEALED. It can be read from any place. */
GInputStream *sl_sealed_file_new (SlInput *input, gboolean *is_sealed, GError **error);

/* That the system could not read it; NULL: it could. */
const GError *sl_sealed_file_error (GInputStream *file);
