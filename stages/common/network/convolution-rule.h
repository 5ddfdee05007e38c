/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By which algorithm a convolution is computed: a rule of its shape and of the processor, never of
 * a clock, so that the same machine always computes the same. */
#pragma once

#include "onednn/onednn.h"

typedef struct
{
  int in, out, height, width; /* channels; the result's size */
  SlWindow window;
  SlNumber number;
} SlConvolutionShape;

SlAlgorithm sl_convolution_rule (const SlConvolutionShape *shape, SlPass pass);
