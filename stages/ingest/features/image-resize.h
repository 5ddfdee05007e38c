/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images made smaller or larger. */
#pragma once

#include <glib.h>

/* FROM[height][width][channels] becomes TO[to_height][to_width][channels], by a triangle (bilinear)
 * filter that is as wide as a pixel of the larger grid on either side: nothing is skipped where an
 * image becomes smaller, so that it does not flicker ("antialiased"). First along rows, then along
 * columns, each rounded to 8 bits, in whole numbers: the same pixels on every machine, and those of
 * Pillow's Image.BILINEAR. WORK has room for height * to_width * channels. */
void sl_image_resize (const guint8 *from, gint32 width, gint32 height, int channels, guint8 *work,
                      guint8 *to, gint32 to_width, gint32 to_height);
