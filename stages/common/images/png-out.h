/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pixels as a PNG file. */
#pragma once

#include <glib.h>

/* PIXELS[height][width][channels], of 1 or 3 channels. NULL and ERROR where there is no memory. */
GByteArray *sl_png_write (const guint8 *pixels, gint32 width, gint32 height, int channels,
                          GError **error);
