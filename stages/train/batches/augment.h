/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images changed at random, each time that they enter a batch. */
#pragma once

#include "pipeline/base/random.h"

typedef struct
{
  int channels, height, width;
  int padding;       /* crop: moved by up to so many pixels, black coming in; 0: not */
  gboolean flip;     /* left and right, half of the time */
  int cutout;        /* side of a square that is left out; 0: none */
  const float *mean; /* [channels]: what stands in the square */
} SlAugment;

/* x[channels][height][width] in place; room as large. */
void sl_augment (const SlAugment *augment, SlRandom *random, float *x, float *room);
