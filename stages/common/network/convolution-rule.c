/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "convolution-rule.h"

static double
n_weights (const SlConvolutionShape *shape)
{
  const SlWindow *window = &shape->window;
  return (double) shape->in * shape->out * window->kernel * window->kernel / window->groups;
}

/* Winograd's algorithm (Lavin & Gray 2016) computes tiles of 4 × 4 with a quarter of the
 * multiplications, and transforms tiles before and after. Images of 2 × 2 fill a quarter of a tile,
 * which only pays for the gradients of many weights, over many images. */
static gboolean
winograd_pays (const SlConvolutionShape *shape, SlPass pass)
{
  const SlWindow *window = &shape->window;
  if (window->kernel != 3 || window->stride != 1 || window->pad != 1 || window->groups != 1
      || shape->in < 32 || shape->out < 32)
    return FALSE;
  if (shape->height < 4)
    return pass == SL_BACKWARD_WEIGHTS && n_weights (shape) >= 1 << 20 && shape->n >= 64;
  return TRUE;
}

/* Matrix units take 16 pixels of a row at a time, and their kernels go through all weights, or sums
 * of their gradients, for each image, which then wait for memory. So images whose rows are shorter
 * are put side by side, in as many wide ones for each thread: up to 128 columns, as long as x and y
 * of a wide one stay in the cache with what the kernels make of them. */
static int
images_beside (const SlConvolutionShape *shape)
{
  const SlWindow *window = &shape->window;
  if (window->kernel != 3 || window->pad != 1 || window->groups != 1 || shape->width > 8
      || shape->in_width != shape->width * window->stride || shape->in % 16 || shape->out % 16)
    return 1;
  int stride = window->stride, threads = MAX (shape->threads, 1);
  int columns = MIN (128, MIN (640, 1152 / (stride * stride)) / shape->height);
  int most = MAX (columns / (shape->width + 1), 1);
  int wide = (shape->n + most - 1) / most;
  wide = (wide + threads - 1) / threads * threads;
  return (shape->n + wide - 1) / wide;
}

/* Whether a network of bfloat16 computes this in float32. */
static gboolean
single_pays (const SlConvolutionShape *shape, SlPass pass, const SlDnnAbilities *abilities,
             gboolean winograd)
{
  if (abilities->bf16 == SL_BF16_BY_CONVERSION)
    return TRUE;
  if (!abilities->winograd) /* nor was it measured with the kernels of such a library */
    return FALSE;
  if (abilities->bf16 == SL_BF16_BY_VECTORS)
    return winograd;
  return pass == SL_BACKWARD_WEIGHTS && shape->window.kernel == 1 && shape->height < 8
         && n_weights (shape) >= 1 << 17;
}

SlConvolutionWay
sl_convolution_rule (const SlConvolutionShape *shape, SlPass pass, const SlDnnAbilities *abilities)
{
  gboolean winograd = abilities->winograd && winograd_pays (shape, pass);
  gboolean matrices = abilities->bf16 == SL_BF16_BY_MATRICES;
  if (shape->number == SL_BF16 && !single_pays (shape, pass, abilities, winograd))
    return (SlConvolutionWay){ SL_DIRECT, SL_BF16, matrices ? images_beside (shape) : 1 };
  return (SlConvolutionWay){ winograd ? SL_WINOGRAD : SL_DIRECT, SL_F32, 1 };
}
