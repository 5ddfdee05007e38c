/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "corruption.h"

#include <math.h>

const SlCorruption sl_corruptions[] = {
  { "gaussian_noise", sl_corrupt_gaussian_noise, FALSE },
  { "shot_noise", sl_corrupt_shot_noise, FALSE },
  { "impulse_noise", sl_corrupt_impulse_noise, FALSE },
  { "speckle_noise", sl_corrupt_speckle_noise, FALSE },
  { "gaussian_blur", sl_corrupt_gaussian_blur, FALSE },
  { "defocus_blur", sl_corrupt_defocus_blur, FALSE },
  { "glass_blur", sl_corrupt_glass_blur, FALSE },
  { "motion_blur", sl_corrupt_motion_blur, FALSE },
  { "zoom_blur", sl_corrupt_zoom_blur, FALSE },
  { "fog", sl_corrupt_fog, FALSE },
  { "snow", sl_corrupt_snow, FALSE },
  { "spatter", sl_corrupt_spatter, TRUE },
  { "contrast", sl_corrupt_contrast, FALSE },
  { "brightness", sl_corrupt_brightness, FALSE },
  { "saturate", sl_corrupt_saturate, TRUE },
  { "elastic_transform", sl_corrupt_elastic_transform, FALSE },
  { "pixelate", sl_corrupt_pixelate, FALSE },
  { "jpeg_compression", sl_corrupt_jpeg_compression, FALSE },
  { NULL, NULL, FALSE },
};

/* The map of fog is a square whose side is a power of two. */
gsize
sl_corruption_room (int channels, int height, int width)
{
  gsize side = 1, size = (gsize) channels * (gsize) height * (gsize) width;
  while (side < (gsize) MAX (height, width))
    side *= 2;
  return size + MAX (2 * size + 8 * (gsize) height * (gsize) width, side * side) + 64;
}

void
sl_corruption_apply (const SlCorruption *corruption, int severity, guint64 seed, guint64 item,
                     int channels, int height, int width, const float *x, double *room, float *to)
{
  SlPicture picture = { channels, height, width, room, NULL, severity, { { 0 }, { 0 }, { 0 }, 0 } };
  gsize n = sl_picture_size (&picture);
  picture.room = room + n;
  g_autofree char *name = g_strconcat ("predict: ", corruption->name, NULL);
  picture.random = sl_random (seed, sl_random_purpose (name), item, 0, (guint32) severity);
  for (gsize i = 0; i < n; i++)
    picture.x[i] = rint (x[i] * 255.0) / 255;
  corruption->corrupt (&picture);
  for (gsize i = 0; i < n; i++)
    /* A level that is whole stays so, whatever the last bit of its share of 255. */
    to[i] = (float) (floor (CLAMP (picture.x[i], 0, 1) * 255 + 1e-9) / 255);
}
