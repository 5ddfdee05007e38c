/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up a column of texts without adding any: threads take a block each, as nothing is
 * changed. */
#include "intern-block.h"

#include "pipeline/base/parallel.h"

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
