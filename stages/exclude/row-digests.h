/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows seen before, recognised by a 128-bit digest of what they say (XXH3). */
#pragma once

#include "schemas/annotations.h"

typedef struct
{
  guint64 low, high;
} SlDigest;

/* DIGEST[i], FIRST <= i < END, of row i: its annotator (as ANNOTATOR[i]), item, kind of showing,
 * choices with percents, classes ruled out, trial, seconds and count. */
void sl_digest_rows (const SlAnnotations *view, const gint32 *annotator, gint64 first, gint64 end,
                     SlDigest *digest);

/* The same of who answered which item alone; attention checks are apart. */
void sl_digest_pairs (const SlAnnotations *view, const gint32 *annotator, gint64 first, gint64 end,
                      SlDigest *digest);

/* A set of digests. */
typedef struct _SlDigestSet SlDigestSet;

SlDigestSet *sl_digest_set_new (void);

void sl_digest_set_free (SlDigestSet *set);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlDigestSet, sl_digest_set_free)

/* TRUE where it was not there. */
gboolean sl_digest_set_add (SlDigestSet *set, SlDigest digest);

/* Fetches the memory for a digest that will be added soon. */
void sl_digest_set_prepare (const SlDigestSet *set, SlDigest digest);

gsize sl_digest_set_bytes (const SlDigestSet *set);
