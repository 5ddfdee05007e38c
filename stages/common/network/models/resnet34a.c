/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* relu (bn2 (conv2 (relu (bn1 (conv1 (x))))) + shortcut): where the block changes the size, every
 * second pixel of x, with a quarter of the new channels as zeros on either side (option A of He et
 * al. 2016). */
static SlValue
basic_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue shortcut = x;
  SlValue y = sl_convolution (d, x, sl_name (d, "%s.conv1", name),
                              (SlConvolution){ .out = channels, .kernel = 3, .stride = stride });
  y = sl_relu (d, sl_batch_norm (d, y, sl_name (d, "%s.bn1", name)));
  y = sl_convolution (d, y, sl_name (d, "%s.conv2", name),
                      (SlConvolution){ .out = channels, .kernel = 3 });
  y = sl_batch_norm (d, y, sl_name (d, "%s.bn2", name));
  if (stride != 1)
    shortcut = sl_embed (d, sl_mean_pool (d, x, 1, stride), channels / 4, channels);
  return sl_relu (d, sl_add (d, y, shortcut));
}

/* Three stages of seven blocks with 16, 32 and 64 channels. Names and beginning (Kaiming's, by fan
 * in) as in Y. Idelbayev's resnet44 for CIFAR-10. */
gboolean
sl_describe_resnet34a (SlDescription *d, const char *sizes, GError **error)
{
  sl_begin_weights (d, SL_BEGIN_KAIMING_IN, SL_BEGIN_KAIMING_IN);
  SlValue x = sl_convolution (d, sl_describe_input (d), "conv1",
                              (SlConvolution){ .out = 16, .kernel = 3 });
  x = sl_relu (d, sl_batch_norm (d, x, "bn1"));
  for (int stage = 0; stage < 3; stage++)
    for (int block = 0; block < 7; block++)
      x = basic_block (d, x, sl_name (d, "layer%d.%d", stage + 1, block), 16 << stage,
                       stage > 0 && block == 0 ? 2 : 1);
  sl_linear (d, sl_global_mean (d, x), "linear", d->n_classes);
  return TRUE;
}
