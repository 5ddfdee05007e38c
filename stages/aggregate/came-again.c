/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "came-again.h"

#define MOST (1 << 20) /* items that are watched */

void
sl_came_again_init (SlCameAgain *seen)
{
  *seen = (SlCameAgain){ .hashes = g_hash_table_new (NULL, NULL) };
}

void
sl_came_again_clear (SlCameAgain *seen)
{
  g_clear_pointer (&seen->hashes, g_hash_table_unref);
}

static gboolean
is_skipped (gpointer hash, gpointer value, gpointer skip)
{
  return (GPOINTER_TO_SIZE (hash) & *(guint64 *) skip) != 0;
}

gboolean
sl_came_again_add (SlCameAgain *seen, guint64 hash)
{
  if ((hash & seen->skip) != 0)
    return TRUE;
  if (!g_hash_table_add (seen->hashes, GSIZE_TO_POINTER (hash)))
    return FALSE;
  if (g_hash_table_size (seen->hashes) >= MOST)
    {
      seen->skip = 2 * seen->skip + 1;
      g_hash_table_foreach_remove (seen->hashes, is_skipped, &seen->skip);
    }
  return TRUE;
}
