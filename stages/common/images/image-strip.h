/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Image files without what they say beside their pixels: titles, comments, places, cameras. */
#pragma once

#include "image-file.h"

/* BYTES[n], a PNG or JPEG file, without metadata. What changes how it looks stays: colours'
 * profiles, transparency, and of a JPEG file which side is up. NULL and ERROR where the file is
 * damaged. */
GByteArray *sl_image_strip (const guint8 *bytes, gsize n, GError **error);
