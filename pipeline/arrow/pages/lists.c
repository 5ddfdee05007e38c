/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lists.h"

#include <string.h>

/* The number of bytes before each of the two parts, and the longest header of a run. */
#define COUNT_BYTES 4
#define HEADER_BYTES 10

gsize
sl_list_levels_most (gsize n_rows, gsize length)
{
  return 2 * (COUNT_BYTES + HEADER_BYTES + 1) + (n_rows * length + 7) / 8;
}

static guint8 *
write_count (guint8 *to, gsize n)
{
  guint32 little = GUINT32_TO_LE ((guint32) n);
  memcpy (to, &little, COUNT_BYTES);
  return to + COUNT_BYTES;
}

/* Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
static guint8 *
write_header (guint8 *to, guint64 header)
{
  for (; header >= 0x80; header >>= 7)
    *to++ = (guint8) (header | 0x80);
  *to++ = (guint8) header;
  return to;
}

/* A run of N values, all VALUE. */
static guint8 *
write_run (guint8 *to, gsize n, guint8 value)
{
  to = write_header (to, (guint64) n << 1);
  *to++ = value;
  return to;
}

/* N bits, of which those whose number is a multiple of LENGTH are 0, the others 1. After LENGTH
 * bytes they come again. */
static guint8 *
write_bits (guint8 *to, gsize n, gsize length)
{
  const gsize bytes = (n + 7) / 8, period = MIN (bytes, length);
  to = write_header (to, (guint64) bytes << 1 | 1);
  memset (to, 0xff, period);
  for (gsize i = 0; i < 8 * period; i += length)
    to[i / 8] &= (guint8) ~(1u << i % 8);
  for (gsize done = period; done < bytes;)
    {
      gsize more = MIN (done, bytes - done);
      memcpy (to + done, to, more);
      done += more;
    }
  if (n % 8 != 0)
    to[bytes - 1] &= (guint8) ((1u << n % 8) - 1);
  return to + bytes;
}

gsize
sl_list_levels_write (guint8 *to, gsize n_rows, gsize length, guint8 definition)
{
  const gsize n = n_rows * length;
  guint8 *repetition = to + COUNT_BYTES;
  guint8 *end = length == 1 ? write_run (repetition, n, 0) : write_bits (repetition, n, length);
  write_count (to, (gsize) (end - repetition));
  guint8 *definitions = end + COUNT_BYTES;
  guint8 *last = write_run (definitions, n, definition);
  write_count (end, (gsize) (last - definitions));
  return (gsize) (last - to);
}

/* Of the rows so many numbers are looked at, of which at most one in so many is new. */
#define SAMPLE 8192
#define NEW_ONE_IN 16

gboolean
sl_lists_recur (gconstpointer values, gsize n_rows, gsize length, gsize size)
{
  const gsize in_row = MIN (length, SAMPLE);
  const gsize rows = MIN (n_rows, SAMPLE / in_row);
  const gsize most = rows * in_row / NEW_ONE_IN;
  g_autoptr (GHashTable) seen = size == 8 ? g_hash_table_new (g_int64_hash, g_int64_equal)
                                          : g_hash_table_new (g_int_hash, g_int_equal);
  for (gsize i = 0; i < rows && g_hash_table_size (seen) <= most; i++)
    {
      const guint8 *row = (const guint8 *) values + i * n_rows / rows * length * size;
      for (gsize j = 0; j < in_row; j++)
        g_hash_table_add (seen, (gpointer) (row + j * size));
    }
  return g_hash_table_size (seen) <= most;
}
