/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG by ISO/IEC 15948, JPEG by ITU-T T.81, the orientation by Exif 2.3. */
#include "image-strip.h"

#include "pipeline/base/error.h"

#include <string.h>

#define ORIENTATION 0x0112

static guint32
number (const guint8 *bytes, int n, gboolean small_first)
{
  guint32 value = 0;
  for (int i = 0; i < n; i++)
    value = value << 8 | bytes[small_first ? n - 1 - i : i];
  return value;
}

static gboolean
is_one_of (const guint8 *type, const char *const *names)
{
  for (; *names != NULL; names++)
    if (memcmp (type, *names, 4) == 0)
      return TRUE;
  return FALSE;
}

/* Chunks whose first letter is small need not be understood; of those, these change the colours. */
static gboolean
strip_png (const guint8 *bytes, gsize n, GByteArray *out)
{
  static const char *const kept[] = { "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "pHYs", NULL };
  gsize at = 8;
  g_byte_array_append (out, bytes, 8);
  while (at + 12 <= n)
    {
      gsize length = number (bytes + at, 4, FALSE);
      const guint8 *type = bytes + at + 4;
      if (length > n - at - 12)
        return FALSE;
      if ((type[0] & 0x20) == 0 || is_one_of (type, kept))
        g_byte_array_append (out, bytes + at, (guint) (length + 12));
      at += length + 12;
      if (memcmp (type, "IEND", 4) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Which side is up, 1 to 8, by an Exif segment; 1 where it does not say. */
static guint32
orientation_of (const guint8 *exif, gsize n)
{
  if (n < 14 || memcmp (exif, "Exif\0\0", 6) != 0)
    return 1;
  const guint8 *tiff = exif + 6;
  gboolean small = tiff[0] == 'I';
  gsize room = n - 6, at = number (tiff + 4, 4, small);
  if (at > room - 2 || room < 2)
    return 1;
  guint32 entries = number (tiff + at, 2, small);
  at += 2;
  for (guint32 i = 0; i < entries && at + 12 <= room; i++, at += 12)
    if (number (tiff + at, 2, small) == ORIENTATION)
      {
        guint32 value = number (tiff + at + 8, 2, small);
        return value >= 1 && value <= 8 ? value : 1;
      }
  return 1;
}

/* A segment that says nothing else. */
static void
add_orientation (GByteArray *out, guint32 orientation)
{
  const guint8 segment[36]
      = { 0xff, 0xe1, 0, 34, 'E', 'x',  'i',  'f', 0, 0, 'M', 'M', 0, 42, 0,
          0,    0,    8, 0,  1,   0x01, 0x12, 0,   3, 0, 0,   0,   1, 0,  (guint8) orientation,
          0,    0,    0, 0,  0,   0 };
  g_byte_array_append (out, segment, sizeof segment);
}

/* Where the marker behind a scan's data stands: there, 0xff is followed by 0, or says to begin
 * again. */
static gsize
end_of_scan (const guint8 *bytes, gsize n, gsize at)
{
  for (; at + 2 <= n; at++)
    if (bytes[at] == 0xff && bytes[at + 1] != 0 && bytes[at + 1] != 0xff
        && !(bytes[at + 1] >= 0xd0 && bytes[at + 1] <= 0xd7))
      return at;
  return n;
}

/* APP0 (JFIF), APP2 (a profile of colours) and APP14 (Adobe's colours) stay; comments and the other
 * APPn do not. */
static gboolean
is_metadata (guint8 marker)
{
  gboolean application = marker >= 0xe0 && marker <= 0xef;
  return marker == 0xfe || (application && marker != 0xe0 && marker != 0xe2 && marker != 0xee);
}

static gboolean
strip_jpeg (const guint8 *bytes, gsize n, GByteArray *out)
{
  gsize at = 2;
  g_byte_array_append (out, bytes, 2);
  while (at + 2 <= n && bytes[at] == 0xff)
    {
      guint8 marker = bytes[at + 1];
      if (marker == 0xff)
        {
          at++;
          continue;
        }
      if (marker == 0xd9)
        {
          g_byte_array_append (out, bytes + at, 2);
          return TRUE;
        }
      gsize length = at + 4 <= n ? number (bytes + at + 2, 2, FALSE) : 0;
      if (length < 2 || length > n - at - 2)
        return FALSE;
      guint32 orientation = marker == 0xe1 ? orientation_of (bytes + at + 4, length - 2) : 1;
      gsize end = at + 2 + length;
      end = marker == 0xda ? end_of_scan (bytes, n, end) : end;
      if (!is_metadata (marker))
        g_byte_array_append (out, bytes + at, (guint) (end - at));
      else if (orientation != 1)
        add_orientation (out, orientation);
      at = end;
    }
  return FALSE;
}

GByteArray *
sl_image_strip (const guint8 *bytes, gsize n, GError **error)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  SlImageFormat format = sl_image_format (bytes, n);
  if (format == SL_IMAGE_OTHER)
    {
      sl_error_bad_input (error, "is neither PNG nor JPEG");
      return NULL;
    }
  if (format == SL_IMAGE_PNG ? strip_png (bytes, n, out) : strip_jpeg (bytes, n, out))
    return g_steal_pointer (&out);
  sl_error_bad_input (error, "is damaged, or cut short");
  return NULL;
}
