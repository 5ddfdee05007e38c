/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG by ISO/IEC 15948; zlib's format without compression by RFC 1950 and 1951. */
#include "picture.h"

#include "pipeline/base/crc32.h"

#define LARGEST 96
#define STORED_MOST 65535 /* bytes in a stored block */

static void
put_u32 (GByteArray *out, guint32 value)
{
  guint32 big = GUINT32_TO_BE (value);
  g_byte_array_append (out, (const guint8 *) &big, 4);
}

static guint32
adler32_of (const guint8 *bytes, gsize n)
{
  guint32 a = 1, b = 0;
  for (gsize i = 0; i < n; i++)
    {
      a = (a + bytes[i]) % 65521;
      b = (b + a) % 65521;
    }
  return b << 16 | a;
}

static void
put_chunk (GByteArray *png, const char *type, const guint8 *data, gsize n)
{
  put_u32 (png, (guint32) n);
  guint from = png->len;
  g_byte_array_append (png, (const guint8 *) type, 4);
  g_byte_array_append (png, data, (guint) n);
  put_u32 (png, sl_crc32 (0, png->data + from, n + 4));
}

static GByteArray *
store (const guint8 *bytes, gsize n)
{
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8 *) "\x78\x01", 2);
  for (gsize at = 0; at < n; at += STORED_MOST)
    {
      guint16 length = (guint16) MIN (n - at, STORED_MOST);
      guint8 head[5] = { at + length == n, (guint8) length, (guint8) (length >> 8),
                         (guint8) ~length, (guint8) (~length >> 8) };
      g_byte_array_append (out, head, sizeof head);
      g_byte_array_append (out, bytes + at, length);
    }
  put_u32 (out, adler32_of (bytes, n));
  return out;
}

/* The mean of the FACTOR × FACTOR pixels of PLANE at (TOP, LEFT), as far as there are so many. */
static guint8
mean_of (const guint8 *plane, int height, int width, int top, int left, int factor)
{
  guint32 sum = 0, n = 0;
  for (int y = top; y < MIN (top + factor, height); y++)
    for (int x = left; x < MIN (left + factor, width); x++, n++)
      sum += plane[(gsize) y * (gsize) width + (gsize) x];
  return (guint8) ((sum + n / 2) / n);
}

void
sl_picture_append (GString *out, const guint8 *planes, int n_planes, int height, int width)
{
  int factor = (MAX (height, width) + LARGEST - 1) / LARGEST;
  int rows = (height + factor - 1) / factor, columns = (width + factor - 1) / factor;
  gsize plane = (gsize) height * (gsize) width;
  g_autoptr (GByteArray) lines = g_byte_array_new (), png = g_byte_array_new ();
  for (int y = 0; y < rows; y++)
    {
      g_byte_array_append (lines, (const guint8 *) "", 1); /* no filter */
      for (int x = 0; x < columns; x++)
        for (int c = 0; c < n_planes; c++)
          {
            guint8 value = mean_of (planes + (gsize) c * plane, height, width, y * factor,
                                    x * factor, factor);
            g_byte_array_append (lines, &value, 1);
          }
    }
  g_autoptr (GByteArray) header = g_byte_array_new (), body = store (lines->data, lines->len);
  put_u32 (header, (guint32) columns);
  put_u32 (header, (guint32) rows);
  const guint8 form[5] = { 8, n_planes == 3 ? 2 : 0, 0, 0, 0 };
  g_byte_array_append (header, form, sizeof form);
  g_byte_array_append (png, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  put_chunk (png, "IHDR", header->data, header->len);
  put_chunk (png, "IDAT", body->data, body->len);
  put_chunk (png, "IEND", NULL, 0);
  g_autofree char *text = g_base64_encode (png->data, png->len);
  g_string_append (out, "data:image/png;base64,");
  g_string_append (out, text);
}

void
sl_picture_stretch (const float *values, gsize n, guint8 *out)
{
  float least = n > 0 ? values[0] : 0, most = least;
  for (gsize i = 0; i < n; i++)
    {
      least = MIN (least, values[i]);
      most = MAX (most, values[i]);
    }
  double range = (double) most - (double) least;
  for (gsize i = 0; i < n; i++)
    out[i] = range > 0 ? (guint8) (((double) values[i] - (double) least) / range * 255 + 0.5) : 128;
}
