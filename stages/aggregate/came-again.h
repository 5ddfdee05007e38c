/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watches for an item that comes again after its rows had ended, in memory that stops growing at
 * 16 MiB. Up to a million items every one is watched. Beyond that, those whose hash ends in more
 * and more zero bits: every second, fourth, eighth ..., from the first row to the last. An input
 * that is not grouped at all, or that is two tables one after the other, repeats so many items
 * that it does not get by; a single item out of place, in a table of more than a million, may. */
#pragma once

#include <glib.h>

typedef struct
{
  guint64 *slots; /* hashes, open addressing; 0 is empty */
  gsize mask, used;
  guint64 skip; /* hashes with any of these bits are not watched */
} SlCameAgain;

void sl_came_again_init (SlCameAgain *seen);
void sl_came_again_clear (SlCameAgain *seen);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCameAgain, sl_came_again_clear)

/* Notes the item with this hash; FALSE if it was noted before. */
gboolean sl_came_again_add (SlCameAgain *seen, guint64 hash);
