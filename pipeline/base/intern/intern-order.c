/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts are compared by their lengths, then by the 8 bytes behind what all of them begin with, in
 * which names with a number in them mostly differ: those are numbers to be sorted by their digits.
 * What is equal even then is compared byte by byte. */
#include "intern-private.h"

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
