/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A digest of what a table says: its kind, its classes in order, its columns and every value, in
 * row order. It does not depend on the file format, the cutting into batches, the history, or how a
 * missing value is stored. It is XXH3-128 (Yann Collet, https://xxhash.com) of a header and of each
 * column's own digest. */
#pragma once

#include "batch.h"

typedef struct _SlTableDigest SlTableDigest;

SlTableDigest *sl_table_digest_new (SlTable *table);
void sl_table_digest_free (SlTableDigest *digest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTableDigest, sl_table_digest_free)

void sl_table_digest_add (SlTableDigest *digest, const SlBatch *batch);

/* 32 hexadecimal digits. */
char *sl_table_digest_text (const SlTableDigest *digest);
