/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crc32.h"

static gpointer
make_table (gpointer data)
{
  guint32 *table = g_new (guint32, 256);
  for (guint32 i = 0; i < 256; i++)
    {
      table[i] = i;
      for (int bit = 0; bit < 8; bit++)
        table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
  return table;
}

guint32
sl_crc32 (guint32 crc, const guint8 *bytes, gsize n)
{
  static GOnce once = G_ONCE_INIT;
  const guint32 *table = g_once (&once, make_table, NULL);
  crc = ~crc;
  for (gsize i = 0; i < n; i++)
    crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
  return ~crc;
}
