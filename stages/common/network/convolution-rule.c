/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "convolution-rule.h"

/* Winograd's algorithm (Lavin & Gray 2016) computes tiles of 4 × 4 with a quarter of the
 * multiplications, and transforms tiles before and after. */
SlAlgorithm
sl_convolution_rule (const SlConvolutionShape *shape, SlPass pass)
{
  const SlWindow *window = &shape->window;
  gboolean possible = window->kernel == 3 && window->stride == 1 && window->pad == 1
                      && window->groups == 1 && shape->number == SL_F32;
  if (!possible || shape->in < 32 || shape->out < 32 || shape->height < 4)
    return SL_DIRECT;
  return SL_WINOGRAD;
}
