/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "png-out.h"

#include "pipeline/base/error.h"

#include <png.h>

GByteArray *
sl_png_write (const guint8 *pixels, gint32 width, gint32 height, int channels, GError **error)
{
  png_image image = { .version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32) width,
                      .height = (png_uint_32) height,
                      .format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY };
  png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX (image), n = room;
  GByteArray *out = g_byte_array_sized_new ((guint) room);
  g_byte_array_set_size (out, (guint) room);
  if (png_image_write_to_memory (&image, out->data, &n, 0, pixels, 0, NULL))
    {
      g_byte_array_set_size (out, (guint) n);
      return out;
    }
  sl_error_runtime (error, "a picture of %d x %d pixels cannot be made: %s", width, height,
                    image.message);
  png_image_free (&image);
  g_byte_array_unref (out);
  return NULL;
}
