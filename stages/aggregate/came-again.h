/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds items that come again after their rows had ended, in some 24 MiB of memory. Up to a
 * million items all are watched. Beyond that a sample is: items whose hash ends in enough zero
 * bits, which are every second, then every fourth, then every eighth. A table that is not grouped,
 * or two tables one after the other, repeat so many items that the sample shows it. A single item
 * out of place among more than a million may go unnoticed. */
#pragma once

#include <glib.h>

typedef struct
{
  GHashTable *hashes; /* a set of numbers */
  guint64 skip;       /* hashes with any of these bits are not watched */
} SlCameAgain;

void sl_came_again_init (SlCameAgain *seen);
void sl_came_again_clear (SlCameAgain *seen);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCameAgain, sl_came_again_clear)

/* Notes the item with this hash; FALSE if it was noted before. */
gboolean sl_came_again_add (SlCameAgain *seen, guint64 hash);
