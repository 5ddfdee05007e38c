/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batch.h"

#include <string.h>

/* Crop and flip as He et al., CVPR 2016, section 4.2: PADDING black pixels on every side, a crop of
 * the image's size from it, mirrored half of the time. Cutout: DeVries & Taylor 2017: a square with
 * a centre anywhere, of which what lies outside is cut off. */

static void
crop_and_flip (const SlAugment *augment, SlRandom *random, float *x, float *room)
{
  int height = augment->height, width = augment->width, padding = augment->padding;
  int down = 0, right = 0;
  if (padding > 0)
    {
      down = (int) sl_random_below (random, (guint64) (2 * padding + 1)) - padding;
      right = (int) sl_random_below (random, (guint64) (2 * padding + 1)) - padding;
    }
  gboolean flipped = augment->flip && sl_random_below (random, 2) == 1;
  if (down == 0 && right == 0 && !flipped)
    return;
  gsize size = (gsize) augment->channels * (gsize) height * (gsize) width;
  memcpy (room, x, size * sizeof *x);
  for (int c = 0; c < augment->channels; c++)
    for (int i = 0; i < height; i++)
      for (int j = 0; j < width; j++)
        {
          int from_i = i + down, from_j = (flipped ? width - 1 - j : j) + right;
          gboolean inside = from_i >= 0 && from_i < height && from_j >= 0 && from_j < width;
          x[(c * height + i) * width + j]
              = inside ? room[(c * height + from_i) * width + from_j] : 0;
        }
}

static void
cut_out (const SlAugment *augment, SlRandom *random, float *x)
{
  int height = augment->height, width = augment->width, side = augment->cutout;
  int top = (int) sl_random_below (random, (guint64) height) - side / 2;
  int left = (int) sl_random_below (random, (guint64) width) - side / 2;
  for (int c = 0; c < augment->channels; c++)
    for (int i = MAX (top, 0); i < MIN (top + side, height); i++)
      for (int j = MAX (left, 0); j < MIN (left + side, width); j++)
        x[(c * height + i) * width + j] = augment->mean[c];
}

void
sl_augment (const SlAugment *augment, SlRandom *random, float *x, float *room)
{
  if (augment->padding > 0 || augment->flip)
    crop_and_flip (augment, random, x, room);
  if (augment->cutout > 0)
    cut_out (augment, random, x);
}
