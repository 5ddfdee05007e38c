/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "came-again.h"

#define FIRST_SLOTS ((gsize) 1 << 10)
#define MOST_SLOTS ((gsize) 1 << 21)

void
sl_came_again_init (SlCameAgain *seen)
{
  *seen = (SlCameAgain){ .slots = g_new0 (guint64, FIRST_SLOTS), .mask = FIRST_SLOTS - 1 };
}

void
sl_came_again_clear (SlCameAgain *seen)
{
  g_clear_pointer (&seen->slots, g_free);
}

/* The slot that holds HASH, or the empty one where it belongs. The upper bits choose the slot: all
 * watched hashes have the same lowest ones. */
static gsize
place (const SlCameAgain *seen, guint64 hash)
{
  gsize at = (gsize) (hash >> 32) & seen->mask;
  while (seen->slots[at] != 0 && seen->slots[at] != hash)
    at = (at + 1) & seen->mask;
  return at;
}

/* Twice the slots; or, when there are as many as there may be, half of what is watched. */
static void
make_room (SlCameAgain *seen)
{
  g_autofree guint64 *before = seen->slots;
  gsize n = seen->mask + 1;
  if (n < MOST_SLOTS)
    seen->mask = 2 * n - 1;
  else
    seen->skip = 2 * seen->skip + 1;
  seen->slots = g_new0 (guint64, seen->mask + 1);
  seen->used = 0;
  for (gsize i = 0; i < n; i++)
    if (before[i] != 0 && (before[i] & seen->skip) == 0)
      {
        seen->slots[place (seen, before[i])] = before[i];
        seen->used++;
      }
}

gboolean
sl_came_again_add (SlCameAgain *seen, guint64 hash)
{
  if (hash == 0 || (hash & seen->skip) != 0)
    return TRUE;
  gsize at = place (seen, hash);
  if (seen->slots[at] != 0)
    return FALSE;
  seen->slots[at] = hash;
  if (++seen->used > seen->mask / 2)
    make_room (seen);
  return TRUE;
}
