/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By which algorithm a convolution is computed, and in which numbers: a rule of its shape and of
 * the processor, never of a clock, so that the same machine always computes the same. */
#pragma once

#include "onednn/onednn.h"

typedef struct
{
  int n, threads;             /* examples */
  int in, out, height, width; /* channels; the result's size */
  int in_width;
  SlWindow window;
  SlPrecision number; /* of values between layers */
} SlConvolutionShape;

typedef struct
{
  SlAlgorithm algorithm;
  SlPrecision number; /* that the convolution is computed in */
  int beside;         /* how many images lie side by side, to be one wide one */
} SlConvolutionWay;

SlConvolutionWay sl_convolution_rule (const SlConvolutionShape *shape, SlPass pass,
                                      const SlDnnAbilities *abilities);
