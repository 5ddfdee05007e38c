/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes items ahead of their use, in a thread of its own, so that reading and working overlap. */
#pragma once

#include <glib.h>

typedef struct _SlAhead SlReadAhead;

/* *ITEM is the next one, NULL at the end. Called in the thread, one call after the other. */
typedef gboolean (*SlReadAheadMake) (gpointer source, gpointer *item, GError **error);

/* NULL where no further thread is to be had. */
SlReadAhead *sl_read_ahead_new (SlReadAheadMake make, gpointer source, GDestroyNotify free_item);

/* Waits for the call under way, if any, to end. */
void sl_read_ahead_free (SlReadAhead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlReadAhead, sl_read_ahead_free)

/* Returns what MAKE returned, in the same order. After the end, or a failure, it returns that
 * again. */
gboolean sl_read_ahead_next (SlReadAhead *ahead, gpointer *item, GError **error);
