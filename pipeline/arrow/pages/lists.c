/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lists.h"

#include <string.h>

#define COUNT_BYTES 4 /* the number of bytes before each of the two parts */

/* Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
static guint8 *
write_header (guint8 *to, guint64 header)
{
  for (; header >= 0x80; header >>= 7)
    *to++ = (guint8) (header | 0x80);
  *to++ = (guint8) header;
  return to;
}

/* N bits, of which those whose number is a multiple of LENGTH are 0, the others 1. */
static guint8 *
write_bits (guint8 *to, gsize n, gsize length)
{
  const gsize bytes = (n + 7) / 8;
  to = write_header (to, (guint64) bytes << 1 | 1);
  memset (to, 0xff, bytes);
  for (gsize i = 0; i < n; i += length)
    to[i / 8] &= (guint8) ~(1u << i % 8);
  if (n % 8 != 0)
    to[bytes - 1] &= (guint8) ((1u << n % 8) - 1);
  return to + bytes;
}

/* A part with the number of its bytes: such bits, or, where LENGTH is 1, a run of N values, all
 * VALUE. */
static gsize
write_part (guint8 *to, gsize n, gsize length, guint8 value)
{
  guint8 *part = to + COUNT_BYTES;
  guint8 *end = length > 1 ? write_bits (part, n, length) : write_header (part, (guint64) n << 1);
  if (length == 1)
    *end++ = value;
  const guint32 bytes = GUINT32_TO_LE ((guint32) (end - part));
  memcpy (to, &bytes, COUNT_BYTES);
  return (gsize) (end - to);
}

gsize
sl_list_levels_write (guint8 *to, gsize n_rows, gsize length, guint8 definition)
{
  const gsize n = n_rows * length, repetition = write_part (to, n, length, 0);
  return repetition + write_part (to + repetition, n, 1, definition);
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
