/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file holds right before its footer, so that damage to it is found.
 *
 * First the digest of each piece of the file so far, SL_SEAL_PIECE bytes each (the last one has
 * what is left): XXH3-64, 8 bytes little-endian each. So a piece is checked before it is decoded,
 * whichever part of the file is read. Then the seal itself, of 32 bytes. An Arrow file has no
 * pieces: its batches have digests of their own (digest-chain.h). Other programs read past it, and
 * none of them keeps it when it writes the table anew. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

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

G_END_DECLS

#ifdef __cplusplus

#include <arrow/io/interfaces.h>

/* The Parquet file FILE, whose bytes are checked as they are read; FILE itself, and *IS_SEALED
 * FALSE, where there is no seal. */
arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile> >
sl_sealed_file_new (std::shared_ptr<arrow::io::RandomAccessFile> file, gboolean *is_sealed);

#endif
