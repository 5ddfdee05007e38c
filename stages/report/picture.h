/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pixels as an image that a page holds by itself. */
#pragma once

#include <glib.h>

/* Appends a data: URI of a PNG. PLANES[n_planes][height][width], 1 (grey) or 3 (red, green, blue)
 * of them. What is larger than 96 pixels either way is made smaller by a whole number, each pixel
 * the mean of those that it stands for. The PNG is not compressed: its bytes then depend on no
 * library's version. */
void sl_picture_append (GString *out, const guint8 *planes, int n_planes, int height, int width);

/* Numbers as such pixels: OUT[n], 0 for the least and 255 for the largest of VALUES[n]. */
void sl_picture_stretch (const float *values, gsize n, guint8 *out);
