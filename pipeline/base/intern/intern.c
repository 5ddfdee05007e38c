/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "intern-private.h"

#include "pipeline/base/large-pages.h"
#include "pipeline/base/shown-text.h"

enum
{
  FIRST_SLOTS = 16,
};

guint64
sl_text_hash (const char *text, gsize length)
{
  return hash_of (text, length);
}

static gsize
slot_bytes (guint32 mask)
{
  return ((gsize) mask + 1) * sizeof (Slot);
}

static Slot *
new_slots (guint32 mask)
{
  return sl_memory_new (slot_bytes (mask));
}

SlIntern *
sl_intern_new (void)
{
  SlIntern *intern = g_new0 (SlIntern, 1);
  for (int s = 0; s < N_SHARDS; s++)
    {
      intern->shard[s].mask = FIRST_SLOTS - 1;
      intern->shard[s].slots = new_slots (FIRST_SLOTS - 1);
    }
  intern->threads = 1;
  return intern;
}

void
sl_intern_close (SlIntern *intern)
{
  for (int s = 0; s < N_SHARDS; s++)
    {
      Shard *shard = &intern->shard[s];
      if (shard->slots != NULL)
        sl_memory_free (shard->slots, slot_bytes (shard->mask));
      *shard = (Shard){ 0 };
    }
  sl_intern_block_free (intern);
  intern->block = NULL;
}

void
sl_intern_free (SlIntern *intern)
{
  sl_intern_close (intern);
  if (intern->offset != NULL)
    sl_memory_free (intern->offset, intern->offset_room * sizeof (gint64));
  sl_memory_free (intern->data, intern->data_room);
  g_free (intern);
}

void
sl_intern_set_threads (SlIntern *intern, int threads)
{
  g_assert (intern->block == NULL); /* before the first column */
  intern->threads = CLAMP (threads, 1, N_SHARDS);
}

/* Notes where the next text, of LENGTH, ends. */
static void
append_offset (SlIntern *intern, gsize length)
{
  gsize n = (gsize) intern->n;
  if (n == 0)
    intern->length = length;
  if (intern->offset == NULL && length == intern->length)
    return;
  if (n + 2 > intern->offset_room)
    {
      gsize room = n + n / 2 + 64;
      gint64 *offset = intern->offset != NULL
                           ? sl_memory_grow (intern->offset, intern->offset_room * sizeof (gint64),
                                             room * sizeof (gint64))
                           : sl_memory_new (room * sizeof (gint64));
      for (gsize i = 0; intern->offset == NULL && i <= n; i++)
        offset[i] = (gint64) (i * intern->length);
      intern->offset = offset;
      intern->offset_room = room;
    }
  intern->offset[n + 1] = (gint64) (intern->end + length);
}

gint32
sl_intern_append (SlIntern *intern, const char *text, gsize length)
{
  if (intern->n == G_MAXINT32 - 1)
    g_error ("more than %d distinct texts", G_MAXINT32 - 1);
  gsize end = intern->end;
  append_offset (intern, length);
  if (length > intern->data_room - end)
    {
      gsize room = end + MAX (length, end / 2 + 4096);
      intern->data = sl_memory_grow (intern->data, intern->data_room, room);
      intern->data_room = room;
    }
  if (length > 0)
    memcpy (intern->data + end, text, length);
  intern->end = end + length;
  return intern->n++;
}

static void
grow (Shard *shard)
{
  guint32 mask = 2 * shard->mask + 1;
  Slot *slots = new_slots (mask);
  for (guint32 i = 0; i <= shard->mask; i++)
    if (shard->slots[i].number != 0)
      {
        guint32 at = shard->slots[i].tag & mask;
        while (slots[at].number != 0)
          at = (at + 1) & mask;
        slots[at] = shard->slots[i];
      }
  sl_memory_free (shard->slots, slot_bytes (shard->mask));
  shard->slots = slots;
  shard->mask = mask;
}

void
sl_intern_occupy (Shard *shard, guint32 at, guint32 tag, gint32 number)
{
  shard->slots[at] = (Slot){ tag, number };
  shard->used++;
  if (shard->used > shard->mask / 2 + shard->mask / 8)
    grow (shard);
}

/* The place of the text in SHARD, or that of the empty slot where it belongs. */
static guint32
seek (const SlIntern *intern, const Shard *shard, guint32 tag, const char *text, gsize length)
{
  for (guint32 at = tag & shard->mask;; at = (at + 1) & shard->mask)
    {
      const Slot *slot = &shard->slots[at];
      if (slot->number == 0)
        return at;
      gsize other_length;
      if (slot->tag == tag)
        {
          const char *other = text_of (intern, slot->number - 1, &other_length);
          if (same_text (text, length, other, other_length))
            return at;
        }
    }
}

gint32
sl_intern (SlIntern *intern, const char *text, gsize length)
{
  guint64 hash = hash_of (text, length);
  Shard *shard = shard_of (intern, hash);
  guint32 at = seek (intern, shard, (guint32) hash, text, length);
  if (shard->slots[at].number == 0)
    {
      gint32 id = sl_intern_append (intern, text, length);
      sl_intern_occupy (shard, at, (guint32) hash, id + 1);
      return id;
    }
  return shard->slots[at].number - 1;
}

gint32
sl_intern_find (const SlIntern *intern, const char *text, gsize length)
{
  guint64 hash = hash_of (text, length);
  const Shard *shard = shard_of ((SlIntern *) intern, hash);
  return shard->slots[seek (intern, shard, (guint32) hash, text, length)].number - 1;
}

gint32
sl_intern_size (const SlIntern *intern)
{
  return intern->n;
}

gsize
sl_intern_bytes (const SlIntern *intern)
{
  gsize bytes = sizeof *intern + intern->offset_room * sizeof (gint64) + intern->data_room;
  for (int s = 0; s < N_SHARDS; s++)
    if (intern->shard[s].slots != NULL)
      bytes += slot_bytes (intern->shard[s].mask);
  return bytes + sl_intern_block_bytes (intern);
}

const char *
sl_intern_get (const SlIntern *intern, gint32 id, gsize *length)
{
  return text_of (intern, id, length);
}

gint32
sl_intern_copy (SlIntern *intern, const SlIntern *from, gint32 id)
{
  gsize length;
  const char *text = text_of (from, id, &length);
  return sl_intern (intern, text, length);
}

char *
sl_intern_dup (const SlIntern *intern, gint32 id)
{
  gsize length;
  const char *text = text_of (intern, id, &length);
  return g_strndup (text, length);
}

char *
sl_intern_shown (const SlIntern *intern, gint32 id)
{
  gsize length;
  const char *text = text_of (intern, id, &length);
  return sl_shown (text, length);
}

int
sl_intern_compare (const SlIntern *intern, gint32 a, gint32 b)
{
  gsize n_a, n_b;
  const char *x = text_of (intern, a, &n_a), *y = text_of (intern, b, &n_b);
  return memcmp (x, y, MIN (n_a, n_b)) ?: SL_COMPARE (n_a, n_b);
}

SlText
sl_intern_texts (const SlIntern *intern, gint32 first, gint32 n, gint32 *offset)
{
  gint64 base = start_of (intern, first);
  g_assert (start_of (intern, first + n) - base <= G_MAXINT32);
  for (gint32 i = 0; i <= n; i++)
    offset[i] = (gint32) (start_of (intern, first + i) - base);
  return (SlText){ offset, intern->n > 0 ? intern->data + base : "" };
}
