/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/large-pages.h"
#include "pipeline/base/parallel.h"
#include "pipeline/base/shown-text.h"
#include "intern-block.h"
#include "intern-private.h"

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

/* ---- a column looked up, without adding any; threads take a block each ---- */

typedef struct
{
  const SlIntern *intern;
  SlText texts;
  gint64 n;
  gint32 *ids;
} Finding;

static void
find_group (SlInternBlock *block, const Group *group)
{
  for (gint32 k = 0; k < group->n; k++)
    {
      gint32 row = group->rows[k], number = 0;
      guint64 hash = block->hash[row];
      const Shard *shard = shard_of (block->intern, hash);
      gsize length, other_length;
      const char *text = sl_text_get (block->texts, row, &length);
      for (guint32 at = group->place[k]; shard->slots[at].number != 0; at = (at + 1) & shard->mask)
        if (shard->slots[at].tag == (guint32) hash)
          {
            const char *other = text_of (block->intern, shard->slots[at].number - 1, &other_length);
            if (!same_text (text, length, other, other_length))
              continue;
            number = shard->slots[at].number;
            break;
          }
      block->ids[row] = number - 1;
    }
}

/* Rows that repeat the one before them are not looked up. */
static void
find_block (int t, gpointer data)
{
  const Finding *finding = data;
  gint64 first = (gint64) t * BLOCK;
  g_autofree SlInternBlock *block = g_malloc (sizeof *block);
  block->intern = (SlIntern *) finding->intern; /* which is only read */
  block->texts = (SlText){ finding->texts.offset + first, finding->texts.data };
  block->n = (gint32) MIN (BLOCK, finding->n - first);
  block->ids = finding->ids + first;
  gint32 n_rows = list_rows (block, 0, block->n, block->listed);
  Group groups[STEPS] = { 0 };
  gboolean ask = finding->intern->n > IN_CACHE;
  for (gint32 from = 0, g = 0; from < n_rows + (STEPS - 1) * GROUP; from += GROUP, g++)
    find_group (block, step_groups (block, groups, block->listed, n_rows, from, g, ask));
  for (gint32 k = 0; k < n_rows; k++)
    {
      gint32 end = k + 1 < n_rows ? block->listed[k + 1] : block->n;
      for (gint32 i = block->listed[k] + 1; i < end; i++)
        block->ids[i] = block->ids[block->listed[k]];
    }
}

void
sl_intern_find_column (const SlIntern *intern, SlText texts, gint64 n, int threads, gint32 *ids)
{
  Finding finding = { intern, texts, n, ids };
  sl_parallel (threads, (int) ((n + BLOCK - 1) / BLOCK), find_block, &finding);
}

gboolean
sl_intern_follows (const SlIntern *intern, gint32 first, SlText texts, gint64 n)
{
  if (n > intern->n - first)
    return FALSE;
  gint64 base = start_of (intern, first), from = texts.offset[0];
  gint64 length = start_of (intern, first + (gint32) n) - base;
  if (texts.offset[n] - from != length
      || memcmp (texts.data + from, intern->data + base, (gsize) length) != 0)
    return FALSE;
  for (gint32 i = 1; i < (gint32) n; i++)
    if (start_of (intern, first + i) - base != texts.offset[i] - from)
      return FALSE;
  return TRUE;
}

/* ---- the order of texts ----
 *
 * They are compared by their lengths, then by the 8 bytes behind what all of them begin with, in
 * which names with a number in them mostly differ: those are numbers to be sorted by their digits.
 * What is equal even then is compared byte by byte. */

typedef struct
{
  guint64 key;
  guint32 length;
  gint32 id;
} Record;

static int
compare_rest (gconstpointer a, gconstpointer b, gpointer data)
{
  const SlIntern *intern = data;
  gsize length;
  const char *first = text_of (intern, ((const Record *) a)->id, &length);
  return memcmp (first, text_of (intern, ((const Record *) b)->id, &length), length);
}

static gboolean
in_order (const SlIntern *intern)
{
  for (gint32 i = 1; i < intern->n; i++)
    {
      gsize before, length;
      const char *text = text_of (intern, i, &length), *other = text_of (intern, i - 1, &before);
      if (length < before || (length == before && memcmp (other, text, length) > 0))
        return FALSE;
    }
  return TRUE;
}

/* How many bytes all texts begin with. */
static gsize
common (const SlIntern *intern)
{
  gsize most;
  const char *first = text_of (intern, 0, &most);
  for (gint32 i = 1; i < intern->n; i++)
    {
      gsize length, same = 0;
      const char *text = text_of (intern, i, &length);
      most = MIN (most, length);
      while (same < most && text[same] == first[same])
        same++;
      most = same;
    }
  return most;
}

static guint64
key_of (const char *text, gsize length)
{
  guint64 key = 0;
  if (length >= sizeof key)
    memcpy (&key, text, sizeof key);
  else
    for (gsize i = 0; i < length; i++)
      ((guint8 *) &key)[i] = (guint8) text[i];
  return GUINT64_FROM_BE (key);
}

/* Digit D: 0 .. 3 are the key's, 4 and 5 the length's. */
static inline guint
digit (const Record *record, int d)
{
  return d < 4 ? (guint) (record->key >> (16 * d)) & 0xffff
               : (guint) (record->length >> (16 * (d - 4))) & 0xffff;
}

/* Sorts FROM[n] by digit D into TO; FALSE, with nothing done, where all have the same. */
static gboolean
sort_digit (const Record *from, gint32 n, int d, Record *to)
{
  g_autofree gint32 *place = g_new0 (gint32, 0x10000 + 1);
  for (gint32 i = 0; i < n; i++)
    place[digit (&from[i], d) + 1]++;
  if (place[digit (&from[0], d) + 1] == n)
    return FALSE;
  for (int v = 0; v < 0x10000; v++)
    place[v + 1] += place[v];
  for (gint32 i = 0; i < n; i++)
    to[place[digit (&from[i], d)]++] = from[i];
  return TRUE;
}

/* Runs of equal lengths and keys, whose texts go on behind them. */
static void
sort_ties (const SlIntern *intern, Record *record, gsize compared)
{
  for (gint32 first = 0, end; first < intern->n; first = end)
    {
      end = first + 1;
      while (end < intern->n && record[end].key == record[first].key
             && record[end].length == record[first].length)
        end++;
      if (end - first > 1 && record[first].length > compared)
        g_qsort_with_data (record + first, end - first, sizeof *record, compare_rest,
                           (gpointer) intern);
    }
}

gint32 *
sl_intern_order (const SlIntern *intern)
{
  if (in_order (intern))
    return NULL;
  gint32 n = intern->n;
  gsize same = common (intern);
  g_autofree Record *record = g_new (Record, n), *room = g_new (Record, n);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *text = text_of (intern, i, &length);
      record[i] = (Record){ key_of (text + same, length - same), (guint32) length, i };
    }
  for (int d = 0; d < 6; d++)
    if (sort_digit (record, n, d, room))
      {
        Record *sorted = room;
        room = record;
        record = sorted;
      }
  sort_ties (intern, record, same + sizeof record->key);
  gint32 *order = g_new (gint32, n);
  for (gint32 i = 0; i < n; i++)
    order[i] = record[i].id;
  return order;
}
