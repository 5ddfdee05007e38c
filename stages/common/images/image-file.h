/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG and JPEG files: as pixels, made of pixels, and without what they say beside these. */
#pragma once

#include <glib.h>

/* An image of more pixels is taken for a mistake. */
#define SL_IMAGE_PIXELS (1 << 26)

typedef enum
{
  SL_IMAGE_PNG,
  SL_IMAGE_JPEG,
  SL_IMAGE_OTHER, /* neither */
} SlImageFormat;

SlImageFormat sl_image_format (const guint8 *bytes, gsize n);

/* What BYTES[n], a file that may go on behind them, says of its size, and of its channels: 1 (grey)
 * or 3. FALSE where that is no image of 1 to SL_IMAGE_PIXELS pixels. */
gboolean sl_image_size (const guint8 *bytes, gsize n, gint32 *width, gint32 *height, int *channels,
                        GError **error);

/* The whole file's pixels as PIXELS[height][width][channels], of CHANNELS 1 (grey) or 3 (red,
 * green, blue), 8 bits each, whatever the file has. Transparency is left out; 16 bits keep their
 * upper 8. Grey is made of colours as ITU-R BT.601 has it. */
gboolean sl_image_read (const guint8 *bytes, gsize n, int channels, guint8 *pixels, GError **error);

/* BYTES[n], a PNG or JPEG file, without metadata. What changes how it looks stays: colours'
 * profiles, transparency, and of a JPEG file which side is up. NULL and ERROR where the file is
 * damaged. */
GByteArray *sl_image_strip (const guint8 *bytes, gsize n, GError **error);

/* PIXELS[height][width][channels], of 1 or 3 channels. NULL and ERROR where there is no memory. */
GByteArray *sl_png_write (const guint8 *pixels, gint32 width, gint32 height, int channels,
                          GError **error);
