/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The corruptions of CIFAR-10-C: Hendrycks & Dietterich, "Benchmarking neural network robustness to
 * common corruptions and perturbations", ICLR 2019. Constants by severity are those that CIFAR-10-C
 * was made with. Each is drawn from the picture's own stream of random numbers, so that the same
 * picture comes of any number of threads; its noise is not the published files' own. */
#pragma once

#include "pipeline/base/random.h"

typedef struct
{
  int channels, height, width;
  double *x;    /* [channels][height][width], 0 to 1 */
  double *room; /* [sl_corruption_room()] */
  int severity; /* 1 to 5 */
  SlRandom random;
} SlPicture;

typedef struct
{
  const char *name;
  void (*corrupt) (SlPicture *picture); /* in place; what leaves [0, 1] is clipped afterwards */
  gboolean coloured;                    /* of three channels alone */
} SlCorruption;

/* A new corruption is a function and a row; ends with a NULL name. */
extern const SlCorruption sl_corruptions[];

gsize sl_corruption_room (int channels, int height, int width);

/* Corrupts x[channels][height][width], pixels of 0 to 1; the result has 256 levels, rounded down as
 * those of CIFAR-10-C. ITEM is the hash of the item's name. ROOM: its size and that of x. */
void sl_corruption_apply (const SlCorruption *corruption, int severity, guint64 seed, guint64 item,
                          int channels, int height, int width, const float *x, double *room,
                          float *to);

static inline gsize
sl_picture_plane (const SlPicture *picture)
{
  return (gsize) picture->height * (gsize) picture->width;
}

static inline gsize
sl_picture_size (const SlPicture *picture)
{
  return (gsize) picture->channels * sl_picture_plane (picture);
}

void sl_corrupt_gaussian_noise (SlPicture *picture);
void sl_corrupt_shot_noise (SlPicture *picture);
void sl_corrupt_impulse_noise (SlPicture *picture);
void sl_corrupt_speckle_noise (SlPicture *picture);
void sl_corrupt_gaussian_blur (SlPicture *picture);
void sl_corrupt_defocus_blur (SlPicture *picture);
void sl_corrupt_glass_blur (SlPicture *picture);
void sl_corrupt_motion_blur (SlPicture *picture);
void sl_corrupt_zoom_blur (SlPicture *picture);
void sl_corrupt_fog (SlPicture *picture);
void sl_corrupt_snow (SlPicture *picture);
void sl_corrupt_spatter (SlPicture *picture);
void sl_corrupt_contrast (SlPicture *picture);
void sl_corrupt_brightness (SlPicture *picture);
void sl_corrupt_saturate (SlPicture *picture);
void sl_corrupt_elastic_transform (SlPicture *picture);
void sl_corrupt_pixelate (SlPicture *picture);
void sl_corrupt_jpeg_compression (SlPicture *picture);
